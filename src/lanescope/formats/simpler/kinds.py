"""Which of the runtime's files a file is, by its content."""

from __future__ import annotations

from lanescope.errors import InputError
from lanescope.formats.chip6.kinds import is_about, is_core_stream
from lanescope.formats.look import FileLook
from lanescope.formats.simpler.arguments import is_arguments
from lanescope.formats.simpler.deps import is_deps
from lanescope.formats.simpler.generation import is_records
from lanescope.formats.simpler.identity import is_identity
from lanescope.formats.simpler.names import is_names
from lanescope.formats.simpler.pmu import is_pmu
from lanescope.formats.simpler.scopes import is_scopes
from lanescope.formats.simpler.strace import is_host_log

LARGEST_LINES_FILE = 1 << 30
"""Files that are read line by line are held in memory; larger ones are refused."""
_OBJECTS = (
    ("records", is_records),
    ("core_streams", is_about),
    ("deps", is_deps),
    ("arguments", is_arguments),
    ("identity", is_identity),
    ("names", is_names),
)
"""Kinds of JSON object, in the order in which they are tried."""


def kind_of(look: FileLook) -> str | None:
    """The kind of a file, by its content; None for a file of another tool."""
    if is_core_stream(look.path):
        return "core_stream"
    if is_host_log(look.head):
        return "host_log"
    if look.path.suffix == ".log":
        return None
    if look.path.suffix in (".gz", ".zst") and (look.shape == "lines" or is_pmu(look.start)):
        problem = "is packed, and only JSON is read packed; unpack it with gunzip or unzstd"
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
