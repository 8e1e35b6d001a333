"""The `phases` table: the controllers' lists below each other, on one time axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.counters import Columns
from lanescope.formats.simpler.parts import Run
from lanescope.formats.simpler.records import PhaseList
from lanescope.formats.simpler.timebase import TimeBase
from lanescope.trace import MISSING, Table


def phase_columns(run: Run, base: TimeBase, *, keep_damaged: bool) -> Columns:
    """A phase that ends before it starts is an error, or is kept with its cycles only."""
    device = run.records.phases if run.records else []
    host = run.records.host.phases if run.records and run.records.host else []
    known = {(a, b) for p in host for a, b in zip(p.start.tolist(), p.end.tolist(), strict=True)}
    loose = [_without(phases, known) for phases in run.loose]
    if not keep_damaged and run.files.records is not None:
        _require_forward(run.files.records.path, [*device, *host])
    if not keep_damaged and run.files.host_phases is not None:
        _require_forward(run.files.host_phases, loose)
    parts = [_one_list(run, phases, base, on_host=False) for phases in device]
    parts += [_one_list(run, phases, base, on_host=True) for phases in [*host, *loose]]
    if not parts:
        return {}
    tables = [Table.build("phases", part) for part in parts]
    return {key: np.concatenate([t[key] for t in tables]) for key in tables[0].columns}


def _without(phases: PhaseList, known: set[tuple[int, int]]) -> PhaseList:
    """Less the intervals that the records file already holds."""
    pairs = zip(phases.start.tolist(), phases.end.tolist(), strict=True)
    keep = np.array([pair not in known for pair in pairs], bool)
    return PhaseList(
        phases.lane,
        phases.controller,
        phases.kinds[keep],
        phases.kind_names,
        phases.start[keep],
        phases.end[keep],
        {name: column[keep] for name, column in phases.columns.items()},
    )


def _require_forward(path: Path, lists: list[PhaseList]) -> None:
    for phases in lists:
        backward = phases.backward
        if backward.any():
            row = int(np.argmax(backward))
            name = phases.kind_names[int(phases.kinds[row])]
            raise InputError(
                path,
                f"phase {row} ({name}) of {phases.lane} {phases.controller} ends before it starts "
                f"({int(backward.sum())} such phases); --keep-damaged imports them without times",
            )


def _one_list(run: Run, phases: PhaseList, base: TimeBase, *, on_host: bool) -> Columns:
    count = len(phases.start)
    codes = run.words.codes(phases.kind_names or ["submit"])
    columns: Columns = {
        "lane": np.full(count, run.words.code(phases.lane), np.int32),
        "controller": np.full(count, phases.controller, np.int32),
        "kind": codes[phases.kinds],
        **phases.columns,
    }
    in_cycles = run.records is not None and run.records.clock_hz is not None
    damaged = phases.backward
    for side, raw in (("start", phases.start), ("end", phases.end)):
        usable = np.where(damaged, MISSING, raw)
        columns[f"{side}_ns"] = base.host(usable) if on_host else base.device(usable)
        if in_cycles and not on_host:
            columns[f"{side}_cycles"] = raw
    return columns
