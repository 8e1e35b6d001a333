"""What Python does in a simulated run while the machine goes on: counters, engines, truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lanescope.device.layouts import constant
from lanescope.native.machine import Hooks
from lanescope.platforms.sim.inside import Insides
from lanescope.platforms.sim.perfmon import Perfmon
from lanescope.platforms.sim.pmu import Pmu
from lanescope.platforms.sim.setup import SimRun
from lanescope.platforms.sim.truth import TruePhase, TrueTask, Truth
from lanescope.trace.flags import Feature

if TYPE_CHECKING:
    from lanescope.platforms.sim.computation import Computation

_KINDS = (
    *("complete", "resolve", "dispatch", "release", "async_poll", "early_dispatch"),
    *("dummy", "dummy_task", "predicated_skip"),
    *("drain", "drain_prepare", "drain_publish"),
)
CODES = {kind: constant(f"LS_PHASE_{kind.upper()}") for kind in _KINDS}
"""Phases of a scheduler to their codes in records."""
_PHASES = {code: kind for kind, code in CODES.items()}
_ACTIONS = {constant(f"LS_ORCHESTRATOR_{name.upper()}"): name for name in ("submit", "scope_end")}
_TASK, _SCHEDULER = constant("LS_CONTROLLER_TASK"), constant("LS_SCHEDULER_PHASE")


def hooks_of(run: SimRun, host_tick: Callable[[], int], computation: Computation | None) -> Hooks:
    """Return the functions that the machine calls in this run."""
    hooks = Hooks(host=lambda: host_tick() and None)
    pmu = Pmu(run, run.setup.pmu) if run.setup.pmu is not None else None
    perfmon = Perfmon(run) if run.setup.features & Feature.CORE_SWIMLANE else None
    if pmu is not None:
        hooks.sample = pmu.sample
    if perfmon is not None:
        hooks.sent, hooks.drain = perfmon.sent, perfmon.drain
    if pmu is not None or perfmon is not None:
        hooks.ended = _ended(Insides(run), pmu, perfmon)
    if computation is not None:
        told = (computation.dispatched, computation.ended, computation.finished)
        hooks.computes = lambda moment, task, time_ps: told[moment](task, time_ps)
    if run.truth is not None:
        truth, func = run.truth, run.func
        hooks.happened = lambda what: _keep(truth, func, what[0])
    return hooks


def _ended(insides: Insides, pmu: Pmu | None, perfmon: Perfmon | None) -> Callable[..., int]:
    """Return what tells counters and engines that a task has ended."""

    def ended(core: int, task: int, token: int, *span: Any) -> int:
        begin, length, spans, count = span
        shared = None
        if count >= 0:
            found = [(span.op, span.start, span.end) for span in spans[:count]]
            shared = insides.shared(task, begin, found)
        if perfmon is not None:
            perfmon.ended(core, (task, token, begin, length), shared)
        return 0 if pmu is None else pmu.ended(core, (task, token, begin, length), shared)

    return ended


def _keep(truth: Truth, func: list[int], what: Any) -> None:
    """Keep what really happened: a task, or a phase of a controller."""
    if what.kind == _TASK:
        times = (what.dispatch, what.receive, what.start, what.end, what.finish)
        truth.tasks.append(TrueTask(what.owner, what.code, what.task, func[what.task], *times))
    elif what.kind == _SCHEDULER:
        loop, tasks = what.dispatch, what.receive
        place = ("scheduler", what.owner, _PHASES[what.code], what.start, what.end)
        truth.phases.append(TruePhase(*place, loop, tasks, what.task))
    else:
        place = ("orchestrator", what.owner, _ACTIONS[what.code], what.start, what.end)
        truth.phases.append(TruePhase(*place, 0, 0, what.task))
