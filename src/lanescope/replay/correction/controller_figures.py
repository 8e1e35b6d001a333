"""What controllers took without the profiler: the recorded time less the records written in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lanescope.analyze.controllers.threads import Controller, controllers
from lanescope.replay.correction.figure import Figure, widened
from lanescope.replay.correction.record_costs import RecordCosts, records_of
from lanescope.trace.trace import Trace


def controller_figures(trace: Trace, costs: RecordCosts, tick_ns: float) -> list[Figure]:
    """The span of each orchestrator's submits, and the time of all schedulers in their phases."""
    threads = controllers(trace)
    figures = [
        _less("first to last submit", one.span_ns, costs, of="orchestrator", tick_ns=tick_ns,
              records=_orchestrator_records(one, trace))
        for one in threads if one.lane == "orchestrator"
    ]  # fmt: skip
    schedulers = [one for one in threads if one.lane == "scheduler"]
    if schedulers:
        busy = sum(thread.busy_ns for thread in schedulers)
        ticks_ns = tick_ns * sum(thread.phases for thread in schedulers)
        figures.append(_less("time in phases", busy, costs, of="schedulers", tick_ns=ticks_ns,
                             records=_scheduler_records(schedulers, trace)))  # fmt: skip
    return figures


def _orchestrator_records(thread: Controller, trace: Trace) -> dict[str, int]:
    """Kind of cost → records from the begin of the orchestrator's first phase to the end of its
    last one. The last one's record is written behind that."""
    finish = trace.tasks["finish_ns"]
    copies = np.count_nonzero((finish >= (thread.start_ns or 0)) & (finish < (thread.end_ns or 0)))
    return {"orchestrator_phase": thread.phases - 1, "staging_shared": int(copies)}


def _scheduler_records(threads: list[Controller], trace: Trace) -> dict[str, int]:
    """Kind of cost → records written inside phases: those of tasks and of inner phases. The record
    of a phase itself is written behind it."""
    inner = sum(
        budget.count
        for thread in threads
        for budget in thread.kinds
        if budget.role in ("inner", "marker")
    )
    tasks = sum(thread.completed or 0 for thread in threads)
    each = ("controller_task", "core_moved", "pmu_controller", "engine_drain")
    bursts = records_of(trace, "burst")
    return {**dict.fromkeys(each, tasks), "scheduler_phase": inner, "burst": bursts}


def _less(
    name: str,
    recorded_ns: int,
    costs: RecordCosts,
    *,
    of: str,
    records: Mapping[str, int],
    tick_ns: float,
) -> Figure:
    """The recorded time less what these records cost."""
    middle, low, high = (
        max(recorded_ns - sum(n * ns.get(kind, 0.0) for kind, n in records.items()), 0.0)
        for ns in (costs.at("ns"), costs.at("high_ns"), costs.at("low_ns"))
    )
    return Figure(name, of, float(recorded_ns), middle, *widened(low, high, tick_ns))
