"""Suggestions for a stored trace, worked out once: hundreds of replays stand behind them.

They are kept under a name that changes with every byte of the trace and with the program, so they
are what working them out again would give. The module imports no replay.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from lanescope import __version__
from lanescope.analyze.next_step import NextSteps
from lanescope.kept import cache_directory, keep
from lanescope.native import library

_MOST = 1000
"""So many runs are remembered; a file has about 1 kB."""
_ROOMS = ("analyze", "native", "replay", "trace")
"""Rooms that decide which suggestions there are."""


def kept_steps(folder: Path, work_out: Callable[[], NextSteps]) -> NextSteps:
    """What `work_out` gives for the stored trace in this folder, or gave at an earlier time."""
    try:
        file = cache_directory("suggestions") / f"{_key(folder)}.json"
    except OSError:  # a trace without checksums, or files of another tool
        return work_out()
    try:
        return msgspec.json.decode(file.read_bytes(), type=NextSteps)
    except (OSError, msgspec.MsgspecError):
        steps = work_out()
    keep(file, msgspec.json.encode(steps), most=_MOST)
    return steps


def _key(folder: Path) -> str:
    """Checksums stand for the tables: a table that does not match its checksum is not opened."""
    digest = hashlib.sha256(__version__.encode())
    for name in ("checksums.json", "meta.json"):
        digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
    for stamp in _stamps():
        digest.update(stamp.encode())
    return digest.hexdigest()[:32]


def _stamps() -> Iterator[str]:
    """Size and time of every file that decides: a version may change while it is worked on."""
    package = Path(__file__).parents[1]
    files = [str(library()._name)]
    for room in _ROOMS:
        for at, _, names in os.walk(package / room):
            files += [f"{at}/{name}" for name in names if name.endswith(".py")]
    for file in sorted(files):
        status = os.stat(file)  # noqa: PTH116  (hundreds of them)
        yield f"{file} {status.st_size} {status.st_mtime_ns}\n"
