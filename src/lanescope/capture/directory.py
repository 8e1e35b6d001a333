"""The directory of a capture, NAME.capture. A trace is made of its files, also after a crash.

region        the region: the recorded program and the collector both map this file
spool         the buffers that the collector took; further collectors have spool.1, spool.2, …
spool-0002 …  the spools of further parts, where the capture is cut into parts; see parts.py
parts.npz     which parts are stored as traces, and what they left for the next one
plan.lanes    the task graph as the platform got it; only where there is one
session.json  the names of the run and of the chip
host.jsonl    what the host side of a recorded kernel noted: ranges, launches; see host_log.py

`lanescope collect` takes many processes. Its directory has `session.json` and, for each process
that records, a directory PROCESS-ID with the files above. PROCESS is the number of the process, and
ID that of the region.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import numpy as np

from lanescope.device.call_config import CallConfig
from lanescope.device.layouts import layout
from lanescope.dump.write import TENSOR_LIMIT_BYTES, TOTAL_LIMIT_BYTES
from lanescope.errors import OutputError, UsageError
from lanescope.trace.replacing import make_parents, sweep

REGION, SPOOL, PLAN, NOTE = "region", "spool", "plan.lanes", "session.json"


class DumpAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which tensors the program was asked to dump, and how much of them."""

    select: str = ""
    tensor_bytes: int = TENSOR_LIMIT_BYTES
    total_bytes: int = TOTAL_LIMIT_BYTES


class SessionNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `session.json`: the names of the run and of the chip, and what was asked."""

    name: str
    chip: str = ""
    dump: DumpAsked = DumpAsked()


UNNAMED = SessionNote("run")
"""The note of a run of which nothing is known."""


def session_note(name: str, call: CallConfig, chip: str = "") -> SessionNote:
    """Return the note of a run that was asked for by a CallConfig."""
    dump = DumpAsked(call.dump_select, call.dump_limit, call.dump_total)
    return SessionNote(name, chip, dump)


def spools(directory: Path) -> list[Path]:
    """Return the spool files of a directory, sorted by part, then by name."""
    found = [path for path in directory.glob(f"{SPOOL}*") if path.is_file()]
    return sorted(found, key=lambda path: (part_number(path), path.name))


def part_spool(directory: Path, number: int) -> Path:
    """Return the spool of a part of a capture; the first part has number 1."""
    return directory / (SPOOL if number == 1 else f"{SPOOL}-{number:04d}")


def part_number(spool: Path) -> int:
    """Return the number of the part that a spool belongs to."""
    number = spool.name.partition("-")[2]
    return int(number) if number.isdecimal() else 1


def process_directories(directory: Path) -> list[Path]:
    """Return the directories of the processes that recorded, the first to make a region first.

    A process that was killed while it made its region has none, and recorded nothing.
    """
    regions = [
        path / REGION
        for path in directory.iterdir()
        if path.is_dir() and not path.name.startswith(".")  # as those that are being removed
    ]
    made = [(_made_ns(path), path.parent) for path in regions if path.exists()]
    gone = [path.parent for path in regions if not path.exists() and spools(path.parent)]
    return [path for _, path in sorted(made)] + sorted(gone)


def sole_capture(directory: Path) -> Path:
    """Return the directory with the region and the spool: the given one, or that of a process.

    Raises:
        UsageError: several processes recorded; each has a directory.
    """
    processes = process_directories(directory)
    if len(processes) > 1:
        raise UsageError(
            f"{directory}: {len(processes)} processes recorded; name the directory of one of them: "
            f"{', '.join(path.name for path in processes)}"
        )
    return processes[0] if processes else directory


def _made_ns(region: Path) -> int:
    """Return when a region was made, in ns since 1970; 0 where its header is cut off."""
    header = layout("ls_header")
    data = np.fromfile(region, np.uint8, count=header.itemsize)
    return int(data.view(header)["clock_unix_ns"][0]) if len(data) == header.itemsize else 0


def process_of(directory: Path) -> int:
    """Return the number of the process that a directory belongs to; 0 where its name has none."""
    number = directory.name.partition("-")[0]
    return int(number) if number.isdecimal() else 0


def process_suffixes(directories: list[Path]) -> list[str]:
    """Return what is added to the run's name for the trace of each process.

    A single process needs nothing, others have `-PROCESS`. A process that became another program
    has several regions: `-PROCESS`, `-PROCESS-2`, `-PROCESS-3`, …
    """
    if len(directories) == 1:
        return [""]
    suffixes, seen = [], dict[int, int]()
    for process in map(process_of, directories):
        seen[process] = seen.get(process, 0) + 1
        suffixes.append(f"-{process}" + (f"-{seen[process]}" if seen[process] > 1 else ""))
    return suffixes


def kept(directory: Path) -> str:
    """Say where a capture is, for a sentence about a trace that could not be made or stored."""
    return f"what was recorded is in {directory}, 'lanescope recover' makes a trace of it"


def make_directory(directory: Path, note: SessionNote) -> None:
    """Make the directory of a new capture, and its `session.json`; only its user may read it.

    Raises:
        OutputError: the directory exists; it may hold a capture that nobody has recovered yet.
    """
    make_parents(directory)
    sweep(directory)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        raise OutputError(
            f"{directory}: holds a capture that was not finished; 'lanescope recover {directory}' "
            "makes a trace of it; remove it if you do not need it"
        ) from None
    try:
        write_note(directory, note)
    except OSError:
        (directory / NOTE).unlink(missing_ok=True)
        directory.rmdir()
        raise


def write_note(directory: Path, note: SessionNote) -> None:
    """Make the `session.json` of a directory; only its user may read it, and no link is followed.

    Raises:
        FileExistsError: there is a file of this name.
    """
    file = os.open(directory / NOTE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "wb") as stream:
        stream.write(msgspec.json.encode(note))
