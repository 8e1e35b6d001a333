"""The directory of a capture, NAME.capture: all there is to make a trace from, also after a crash.

region        the region's file, mapped by the recorded program and the collector
spool         what the collector took from it; spool.1, spool.2, … of further collectors
plan.lanes    the task graph as it was handed over, where there is one
session.json  the run's name and chip
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from lanescope.errors import OutputError

REGION, SPOOL, PLAN, NOTE = "region", "spool", "plan.lanes", "session.json"


class SessionNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `session.json` says."""

    name: str
    chip: str = ""


def spools(directory: Path) -> list[Path]:
    """The spools that are there."""
    return sorted(path for path in directory.glob(f"{SPOOL}*") if path.is_file())


def make_directory(directory: Path, note: SessionNote) -> None:
    """A new directory; one that is there may hold a capture not yet recovered."""
    try:
        directory.mkdir(parents=True)
    except FileExistsError:
        raise OutputError(
            f"{directory}: holds a capture that was not finished; 'lanescope recover {directory}' "
            "makes a trace of it; remove it if you do not need it"
        ) from None
    (directory / NOTE).write_bytes(msgspec.json.encode(note))
