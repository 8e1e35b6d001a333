"""A replay as a trace: the same tasks and edges, with the times and cores that the replay found."""

from __future__ import annotations

import msgspec
import numpy as np

from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Model, Replayed
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace, Words


def replayed_trace(model: Model, found: Replayed, *, name: str, note: str) -> Trace:
    """Level 2, whole nanoseconds, 0 is when the orchestrator begins; no phases, no cycles."""
    trace, units, machine = model.trace, found.units, model.machine
    tasks = trace.tasks
    on_core = tasks["core"] != MISSING32
    others = np.flatnonzero(~on_core)
    order = np.lexsort((units["start"], units["core"]))
    units, rows = units[order], model.unit_rows[order]
    first = np.append(True, units["core"][1:] != units["core"][:-1])[: len(units)]
    place = np.arange(len(units))
    token = place - np.maximum.accumulate(np.where(first, place, 0)) + 1
    blank = np.full(len(others), MISSING, np.int64)
    columns: dict[str, Array] = {
        name: np.concatenate([tasks[name][rows], tasks[name][others]])
        for name in ("task", "kind", "func", "block", "blocks", "flags")
    }
    for moment in ("dispatch", "receive", "start", "end", "finish"):
        columns[f"{moment}_ns"] = np.concatenate([units[moment] // PS, blank])
    columns["core"] = np.concatenate(
        [units["core"].astype(np.int32), np.full(len(others), MISSING32, np.int32)]
    )
    columns["token"] = np.concatenate([token, blank])
    words = Words(trace.words)
    cores = Table.build("cores", _cores(machine.kinds, model, words))
    meta = msgspec.structs.replace(
        trace.meta,
        name=name,
        origin="predicted",
        level=2,
        clock_hz=None,
        base_cycles=None,
        base_shift_ns=0,
        queues=(),
        host_clock=None,
        ledger=(),
        notes=(*trace.meta.notes, note),
    )
    return Trace(
        meta=meta,
        words=words.freeze(),
        tasks=Table.build("tasks", columns),
        edges=trace.edges,
        functions=trace.functions,
        cores=cores,
    )


def _cores(kinds: tuple[str, ...], model: Model, words: Words) -> dict[str, Array]:
    machine = model.machine
    count = len(machine.core_kind)
    codes = machine.core_kind.tolist()
    return {
        "core": np.arange(count, dtype=np.int32),
        "name": words.codes([f"{kinds[code]} {core}" for core, code in enumerate(codes)]),
        "kind": words.codes([kinds[code] for code in codes]),
        "cluster": machine.cluster.astype(np.int32),
        "controller": machine.scheduler.astype(np.int32),
    }
