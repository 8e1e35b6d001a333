"""The directory of a capture, NAME.capture. A trace is made of its files, also after a crash.

region        the region: the recorded program and the collector both map this file
spool         the buffers that the collector took; further collectors have spool.1, spool.2, …
plan.lanes    the task graph as the platform got it; only where there is one
session.json  the names of the run and of the chip
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from lanescope.errors import OutputError

REGION, SPOOL, PLAN, NOTE = "region", "spool", "plan.lanes", "session.json"


class SessionNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `session.json`: the names of the run and of the chip."""

    name: str
    chip: str = ""


def spools(directory: Path) -> list[Path]:
    """Return the spool files of a directory, sorted by name."""
    return sorted(path for path in directory.glob(f"{SPOOL}*") if path.is_file())


def make_directory(directory: Path, note: SessionNote) -> None:
    """Make the directory of a new capture, and its `session.json`.

    Raises:
        OutputError: the directory exists; it may hold a capture that nobody has recovered yet.
    """
    try:
        directory.mkdir(parents=True)
    except FileExistsError:
        raise OutputError(
            f"{directory}: holds a capture that was not finished; 'lanescope recover {directory}' "
            "makes a trace of it; remove it if you do not need it"
        ) from None
    (directory / NOTE).write_bytes(msgspec.json.encode(note))
