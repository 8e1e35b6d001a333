"""The machine of a recorded run: its cores, the schedulers that serve them, and their queues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """Cores by position: kind (a place in `kinds`), cluster, scheduler."""

    kinds: tuple[str, ...]
    core_kind: Array
    cluster: Array
    scheduler: Array
    schedulers: int
    pre_dispatch: int


def machine_of(trace: Trace) -> Machine:
    known = used_kinds(trace)
    kinds = _kinds_in_order(trace, known)
    cores = np.array(list(known), np.int64)
    table = {
        core: (cluster, controller)
        for core, cluster, controller in zip(
            *(trace.cores[name].tolist() for name in ("core", "cluster", "controller")), strict=True
        )
    }
    pairs = [table.get(core, (MISSING32, MISSING32)) for core in cores.tolist()]
    cluster = np.array([pair[0] for pair in pairs], np.int64)
    cluster = np.where(cluster < 0, np.arange(len(cores)) + max(int(cluster.max(initial=0)) + 1, 0),
                       cluster)  # fmt: skip
    scheduler = np.maximum(np.array([pair[1] for pair in pairs], np.int64), 0)
    return Machine(
        kinds,
        np.array([kinds.index(kind) for kind in known.values()], np.int32),
        cluster,
        scheduler,
        int(scheduler.max(initial=0)) + 1,
        _pre_dispatch(trace),
    )


def used_kinds(trace: Trace) -> dict[int, str]:
    """Cores of the kinds that tasks ran on, or that have a ready queue: schedulers look into no
    other queues."""
    known = core_kinds(trace)
    ran = np.unique(trace.tasks["core"][trace.ran()]).tolist()
    used = {known[core] for core in ran if core in known} | set(trace.meta.queues)
    return {core: kind for core, kind in known.items() if kind in used}


def _kinds_in_order(trace: Trace, known: dict[int, str]) -> tuple[str, ...]:
    """Queues are looked into in the order in which the trace names them; where it names none, as
    the kinds were first needed."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["core"] >= 0))
    rows = rows[np.argsort(tasks["task"][rows], kind="stable")]
    _, first = np.unique(tasks["core"][rows], return_index=True)
    cores = tasks["core"][rows[np.sort(first)]].tolist()
    named = [kind for kind in trace.meta.queues if kind in known.values()]
    return tuple(dict.fromkeys([*named, *(known[core] for core in cores)]))


def _pre_dispatch(trace: Trace) -> int:
    """The most tasks that a core holds beside the one it runs: as the recording says or, where it
    does not, as was seen: dispatched before an earlier one was seen to have ended."""
    recording = trace.meta.recording
    if recording is not None and recording.pre_dispatch is not None:
        return recording.pre_dispatch
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["dispatch_ns"] != MISSING))
    rows = rows[np.lexsort((tasks["start_ns"][rows], tasks["core"][rows]))]
    core, dispatch, finish = (tasks[n][rows] for n in ("core", "dispatch_ns", "finish_ns"))
    for depth in (2, 1):
        held = (core[depth:] == core[:-depth]) & (dispatch[depth:] < finish[:-depth])
        if held.any():
            return depth
    return 0
