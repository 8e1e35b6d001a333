"""What a file holds, told by its content; the name only decides whether to look at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile, map_file, open_object
from lanescope.formats.simpler.arguments import is_arguments
from lanescope.formats.simpler.deps import is_deps
from lanescope.formats.simpler.generation import is_records
from lanescope.formats.simpler.names import is_names
from lanescope.formats.simpler.pmu import is_pmu
from lanescope.formats.simpler.scopes import is_scopes

ENDINGS = (".json", ".jsonl", ".csv", ".json.gz")
LARGEST_LINES_FILE = 1 << 30
"""Files that are read line by line are held in memory; larger ones are refused."""


@dataclass(frozen=True, slots=True)
class Detected:
    """`kind` is records, deps, names, arguments, pmu, scopes, host_phases, chrome, or unknown."""

    path: Path
    kind: str
    file: JsonFile | None
    bytes: int


def detect(path: Path) -> Detected:
    """Look into a file; one that cannot be read, or that claims to be JSON and is not, raises."""
    whole = map_file(path)
    head = bytes(whole[:4096]).lstrip()
    if path.suffix == ".gz" and (_is_lines(head) or is_pmu(head)):
        raise InputError(path, "is packed, and only JSON is read packed; unpack it with gunzip")
    if path.suffix == ".jsonl" or _is_lines(head):
        return Detected(path, _of_lines(path, head, len(whole)), None, len(whole))
    if path.suffix == ".csv" or is_pmu(head):
        return Detected(path, "pmu" if is_pmu(head) else _not_pmu(path, head), None, len(whole))
    if head[:1] == b"[":
        return Detected(path, "chrome", None, len(whole))
    file = open_object(path)
    return Detected(path, _of_object(file), file, file.size)


def stem(path: Path) -> str:
    """The file's name without its ending."""
    return Path(path.name.removesuffix(".gz")).stem


def _is_lines(head: bytes) -> bool:
    first, _, rest = head.partition(b"\n")
    return first.rstrip().endswith(b"}") and rest[:1] == b"{"


def _of_lines(path: Path, head: bytes, size: int) -> str:
    if size > LARGEST_LINES_FILE:
        raise InputError(path, f"has {size} bytes, more than {LARGEST_LINES_FILE} for such a file")
    first = head.split(b"\n", 1)[0]
    if is_scopes(first):
        return "scopes"
    if b'"host_monotonic_ns"' in first and b'"records"' in first:
        return "host_phases"
    return "unknown"


def _not_pmu(path: Path, head: bytes) -> str:
    if path.name == "pmu.csv":
        found = head.split(b"\n", 1)[0][:80].decode("utf-8", "replace")
        raise InputError(path, f"line 1: expected a header thread_id,core_id,…, found {found!r}")
    return "unknown"


def _of_object(file: JsonFile) -> str:
    if "traceEvents" in file:
        return "chrome"
    for kind, test in (
        ("records", is_records),
        ("deps", is_deps),
        ("arguments", is_arguments),
        ("names", is_names),
    ):
        if test(file):
            return kind
    return "unknown"
