"""A replay as a trace: the same tasks and edges, with the cores and times of the replay."""

from __future__ import annotations

import msgspec
import numpy as np

from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replayed, Replica
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace, Words


def replayed_trace(replica: Replica, replayed: Replayed, *, name: str, note: str) -> Trace:
    """A trace of level 2 in whole nanoseconds, without phases and cycles.

    Time 0 is when the orchestrator begins. `note` is added to the recorded trace's notes.
    """
    trace, words = replica.trace, Words(replica.trace.words)
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
    cores = _cores(replica.machine, words)
    return Trace(
        meta=meta,
        words=words.freeze(),
        tasks=Table.build("tasks", _tasks(replica, replayed)),
        edges=trace.edges,
        functions=trace.functions,
        cores=Table.build("cores", cores),
    )


def _tasks(replica: Replica, replayed: Replayed) -> dict[str, Array]:
    """The replayed runs by core and start, then the recorded rows that have no core."""
    tasks, units = replica.trace.tasks, replayed.units
    others = np.flatnonzero(tasks["core"] == MISSING32)
    order = np.lexsort((units["start"], units["core"]))
    units, rows = units[order], replica.units.rows[order]
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
    columns["token"] = np.concatenate([_tokens(units["core"]), blank])
    return columns


def _tokens(core: Array) -> Array:
    """Running numbers from 1 within each core; equal cores follow each other."""
    first = np.append(True, core[1:] != core[:-1])[: len(core)]
    place = np.arange(len(core))
    return np.asarray(place - np.maximum.accumulate(np.where(first, place, 0)) + 1)


def _cores(machine: ReplayMachine, words: Words) -> dict[str, Array]:
    kinds = [machine.kinds[code] for code in machine.core_kind.tolist()]
    return {
        "core": np.arange(len(kinds), dtype=np.int32),
        "name": words.codes([f"{kind} {core}" for core, kind in enumerate(kinds)]),
        "kind": words.codes(kinds),
        "cluster": machine.cluster.astype(np.int32),
        "controller": machine.scheduler.astype(np.int32),
    }
