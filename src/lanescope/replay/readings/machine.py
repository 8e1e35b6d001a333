"""The machine of a recorded run: its cores, the schedulers that serve them, and their queues."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.native.replay import SchedulerPolicy
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReplayMachine:
    """The cores and schedulers that a replay runs on. Arrays have one entry per core."""

    kinds: tuple[str, ...]
    """Kinds of core, in the order in which a scheduler looks into their ready queues."""
    core_kind: Array
    """Place in `kinds`."""
    cluster: Array
    """Cores of one cluster can run one block of a task together."""
    scheduler: Array
    """The scheduler that serves the core."""
    schedulers: int
    pre_dispatch: int
    """How many tasks a core may hold beside the one it runs."""
    bank_cores: int = 1
    """How many cores a scheduler serves in one step; 1: one after the other."""
    policy: SchedulerPolicy = field(default_factory=SchedulerPolicy)
    """How the schedulers choose."""


def machine_of(trace: Trace) -> ReplayMachine:
    """The machine that the trace's run ran on, without cores of kinds that no task needed."""
    kind_of = used_kinds(trace)
    kinds = _kinds_in_order(trace, kind_of)
    cores = np.array(list(kind_of), np.int64)
    cluster, controller = (_by_core(trace, name, cores) for name in ("cluster", "controller"))
    alone = np.arange(len(cores)) + max(int(cluster.max(initial=0)) + 1, 0)
    scheduler = np.maximum(controller, 0)
    return ReplayMachine(
        kinds=kinds,
        core_kind=np.array([kinds.index(kind) for kind in kind_of.values()], np.int32),
        cluster=np.where(cluster < 0, alone, cluster),
        scheduler=scheduler,
        schedulers=int(scheduler.max(initial=0)) + 1,
        pre_dispatch=_pre_dispatch(trace),
    )


def _by_core(trace: Trace, column: str, cores: Array) -> Array:
    """A column of the trace's `cores` for these cores; MISSING32 for one that it does not have."""
    known = dict(zip(trace.cores["core"].tolist(), trace.cores[column].tolist(), strict=True))
    return np.array([known.get(core, MISSING32) for core in cores.tolist()], np.int64)


def used_kinds(trace: Trace) -> dict[int, str]:
    """Core → its kind, for cores whose kind ran a task or has a ready queue. Schedulers look into
    no other queues."""
    known = core_kinds(trace)
    ran = different(trace.tasks["core"][trace.ran()]).tolist()
    used = {known[core] for core in ran if core in known} | set(trace.meta.queues)
    return {core: kind for core, kind in known.items() if kind in used}


def _kinds_in_order(trace: Trace, kind_of: dict[int, str]) -> tuple[str, ...]:
    """First the kinds that have a ready queue, as the trace names them; then the others in the
    order of the first task that ran on them."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["core"] >= 0))
    rows = rows[np.argsort(tasks["task"][rows], kind="stable")]
    _, first = np.unique(tasks["core"][rows], return_index=True)
    cores = tasks["core"][rows[np.sort(first)]].tolist()
    named = [kind for kind in trace.meta.queues if kind in kind_of.values()]
    return tuple(dict.fromkeys([*named, *(kind_of[core] for core in cores)]))


def _pre_dispatch(trace: Trace) -> int:
    """How many tasks a core may hold beside the one it runs.

    The recording says so. Where it does not, a task was held that was dispatched before an earlier
    task of its core had finished; no more than 2 are looked for.
    """
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
