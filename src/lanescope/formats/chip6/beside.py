"""Chunk streams that lie beside a run's records: one file per core, attached to the run's tasks.

`core_7.chip6` is what the trace engine of core 7 wrote, as bytes; 7 is its number in the records.
`core_streams.json` (about.py) has the clocks. Both names are lanescope's own: no runtime is known
that writes such streams to files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from lanescope.chunks import Clocks, Decoded, decode, join_marks
from lanescope.chunks.layout import CHUNK_BYTES
from lanescope.chunks.parts import attach_parts, split_parts
from lanescope.errors import InputError, LanescopeError
from lanescope.formats.bundle import ImportAccount
from lanescope.formats.chip6.about import StreamsAbout
from lanescope.formats.chip6.kinds import FILE
from lanescope.formats.json_file import JsonFile, map_file, storable
from lanescope.trace import LedgerEntry, Trace
from lanescope.trace.meta import RecordingFacts
from lanescope.trace.schema import MISSING

_NAME = re.compile(r"core_(\d{1,6})\.chip6(\.gz|\.zst)?")
_NAMED = 4
"""How many cores a note names."""


def with_core_streams(
    trace: Trace, files: Sequence[Path], about: JsonFile | None
) -> tuple[Trace, ImportAccount]:
    """Attach each core's stream to the run's tasks, and join its marks.

    Raises:
        InputError: it is not clear which core or which clock a stream has, or its times cannot be
            laid beside the run.
    """
    paths = _by_core(files)
    if about is None:
        problem = f"has chunk streams of cores, but no {FILE} that says their clocks; write one"
        raise InputError(files[0].parent, f'{problem}, such as {{"core_mhz": 1650}}')
    told = StreamsAbout.read(about)
    kinds = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "kind"), strict=True))
    clocks = {
        core: told.clocks(kinds[core] or "", trace.meta.clock_hz) for core in paths if core in kinds
    }
    streams = {core: _decoded(paths[core], own) for core, own in clocks.items()}
    try:
        trace = attach_parts(trace, streams)
    except LanescopeError as error:
        raise InputError(files[0].parent, f"its chunk streams do not fit: {error}") from error
    trace = join_marks(trace, told.names)
    foreign = {core: path for core, path in paths.items() if core not in kinds}
    core_hz = {kinds[core] or "core": own.core_hz for core, own in clocks.items()}
    recording = msgspec.structs.replace(trace.meta.recording or RecordingFacts(), core_hz=core_hz)
    trace = trace.with_meta(
        recording=recording,
        ledger=(*trace.meta.ledger, *(_left_out(core, path) for core, path in foreign.items())),
        notes=(*trace.meta.notes, *_notes(trace, list(streams), list(foreign))),
    )
    return trace, _account(trace, streams, foreign, core_hz)


def _by_core(files: Sequence[Path]) -> dict[int, Path]:
    """Return the file of each core, sorted by number."""
    found: dict[int, Path] = {}
    for path in files:
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise InputError(
                path,
                "expected a name like core_7.chip6, where 7 is the core's number in the records",
            )
        core = int(match[1])
        if core in found:
            other = storable(found[core].name)
            raise InputError(path, f"is a second stream of core {core} beside {other}; keep one")
        found[core] = path
    return dict(sorted(found.items()))


def _decoded(path: Path, clocks: Clocks) -> list[Decoded]:
    return [decode(part, clocks) for part in split_parts(map_file(path))]


def _left_out(core: int, path: Path) -> LedgerEntry:
    """Return the account of a stream whose core has no records."""
    total = -(-len(map_file(path)) // CHUNK_BYTES)
    reason = f"{storable(path.name)} was left out: the records have no core {core}"
    return LedgerEntry(
        lane=f"core {core}", kind="chunk", total=total, delivered=0, dropped=total, reason=reason
    )


def _notes(trace: Trace, cores: list[int], foreign: list[int]) -> list[str]:
    notes = []
    if foreign:
        notes.append(f"Streams of {_list(foreign)} were left out: the records have no such core.")
    core, owned = trace.marks["core"], trace.marks["task"] != MISSING
    lost = [one for one in cores if (core == one).any() and not (owned & (core == one)).any()]
    if lost:
        notes.append(
            f"Nothing in the streams of {_list(lost)} lies in a task: they may be of another run, "
            "or have another clock."
        )
    return notes


def _list(cores: list[int]) -> str:
    more = f" and {len(cores) - _NAMED} more" if len(cores) > _NAMED else ""
    return f"core{'s' * (len(cores) > 1)} {', '.join(map(str, cores[:_NAMED]))}{more}"


def _account(
    trace: Trace,
    streams: dict[int, list[Decoded]],
    foreign: dict[int, Path],
    core_hz: dict[str, int],
) -> ImportAccount:
    """Return what was attached, and with which clocks."""
    marks = trace.marks
    inside = int(np.count_nonzero(marks["task"] != MISSING))
    parts = [part for own in streams.values() for part in own]
    bad = sum(part.account.damaged for part in parts)
    alone = sum(e.unmatched for e in trace.meta.ledger if e.kind == "paired mark")
    values = {
        "streams": len(streams),
        "left_out": sorted(foreign),
        "bytes": sum(part.account.total for part in parts),
        "damaged_bytes": bad,
        "rows_in_tasks": inside,
        "rows_in_no_task": len(marks) - inside,
        "marks_without_partner": alone,
        "core_hz": core_hz,
        "counter_hz": trace.meta.clock_hz,
    }
    clocks = ", ".join(f"{kind} {hz / 1e6:g} MHz" for kind, hz in sorted(core_hz.items()))
    counter = f"counter {(trace.meta.clock_hz or 0) / 1e6:g} MHz"
    lines = (
        f"{len(streams):,} core streams: {inside:,} rows in tasks, {len(marks) - inside:,} in no "
        f"task, {alone:,} marks without a partner, {bad:,} bytes damaged",
        f"clocks of the streams: {clocks or 'none'}; {counter}",
    )
    return ImportAccount({"core_streams": values}, lines)
