"""The importer's two functions: which file of a run a file is, and a run's files to its trace."""

from __future__ import annotations

from collections.abc import Iterator

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.look import FileLook
from lanescope.formats.simpler.arguments import is_arguments
from lanescope.formats.simpler.build import build_trace
from lanescope.formats.simpler.deps import is_deps
from lanescope.formats.simpler.generation import is_records
from lanescope.formats.simpler.names import is_names
from lanescope.formats.simpler.parts import RunFiles
from lanescope.formats.simpler.pmu import is_pmu
from lanescope.formats.simpler.scopes import is_scopes
from lanescope.trace import Trace

LARGEST_LINES_FILE = 1 << 30
"""Files that are read line by line are held in memory; larger ones are refused."""
_OBJECTS = (
    ("records", is_records),
    ("deps", is_deps),
    ("arguments", is_arguments),
    ("names", is_names),
)
"""Kinds of JSON object, in the order in which they are tried."""


def recognises(look: FileLook) -> str | None:
    """The kind of a file, by its content; None for a file of another tool."""
    if look.path.suffix == ".gz" and (look.shape == "lines" or is_pmu(look.start)):
        problem = "is packed, and only JSON is read packed; unpack it with gunzip"
        raise InputError(look.path, problem)
    if look.shape == "lines":
        return _of_lines(look)
    if is_pmu(look.start):
        return "pmu"
    if look.path.name == "pmu.csv":
        line = look.start.split(b"\n", 1)[0][:80].decode("utf-8", "replace")
        problem = f"line 1: expected a header thread_id,core_id,…, found {line!r}"
        raise InputError(look.path, problem)
    if look.json is None or "traceEvents" in look.json:
        return None
    return next((kind for kind, matches in _OBJECTS if matches(look.json)), None)


def _of_lines(look: FileLook) -> str | None:
    if look.size > LARGEST_LINES_FILE:
        problem = f"has {look.size} bytes, more than {LARGEST_LINES_FILE} for such a file"
        raise InputError(look.path, problem)
    first = look.start.split(b"\n", 1)[0]
    if is_scopes(first):
        return "scopes"
    if b'"host_monotonic_ns"' in first and b'"records"' in first:
        return "host_phases"
    return None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One run is one trace."""
    files = {kind: file.json or file.path for kind, file in bundle.files.items()}
    run = RunFiles(
        name=bundle.name,
        sources=bundle.sources(),
        notes=bundle.notes,
        **files,  # type: ignore[arg-type]
    )
    yield build_trace(run, keep_damaged=bundle.keep_damaged)
