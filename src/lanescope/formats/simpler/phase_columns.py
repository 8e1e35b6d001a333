"""The `phases` table: the controllers' lists below each other, on one time axis."""

from __future__ import annotations

import numpy as np

from lanescope.formats.simpler.counters import Columns
from lanescope.formats.simpler.parts import Run
from lanescope.formats.simpler.records import PhaseList
from lanescope.formats.simpler.timebase import TimeBase, captured_phase
from lanescope.trace import Table


def phase_columns(run: Run, base: TimeBase) -> Columns:
    device = run.records.phases if run.records else []
    host = run.records.host.phases if run.records and run.records.host else []
    known = {(a, b) for p in host for a, b in zip(p.start.tolist(), p.end.tolist(), strict=True)}
    parts = [_one_list(run, phases, base, on_host=False) for phases in device]
    parts += [_one_list(run, phases, base, on_host=True) for phases in host]
    parts += [_one_list(run, _without(p, known), base, on_host=True) for p in run.loose]
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
    for side, raw in (("start", phases.start), ("end", phases.end)):
        if on_host:
            columns[f"{side}_ns"] = base.host(raw)
        else:
            times = captured_phase(raw) if in_cycles else raw
            columns[f"{side}_ns"] = base.device(times)
            if in_cycles:
                columns[f"{side}_cycles"] = times
    return columns
