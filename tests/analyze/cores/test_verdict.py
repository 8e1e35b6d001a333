"""The verdict: against an answer counted nanosecond by nanosecond, and on runs whose fault is
known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyze.hand import entry, make_trace, phase, task
from tests.analyze.simulated import SECTIONS, a2a3, changed, free, simulated

from lanescope.analyze.cores.suspects import suspects
from lanescope.analyze.cores.verdict import Verdict, verdict
from lanescope.analyze.cores.waiting import LABELS
from lanescope.analyze.graph.critical import critical
from lanescope.platforms.sim import given as chip_given
from lanescope.platforms.sim.costs import durations_ps
from lanescope.trace import Trace
from lanescope.workloads import GraphBuilder, build_workload
from lanescope.workloads.graph import TaskGraph

CORES = ({"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}, {"core": 2, "kind": "aiv"})


def answers(found: Verdict, kind: str = "chip") -> dict[str, int]:
    """What is not 0."""
    (one,) = [one for one in found.kinds if one.kind == kind]
    return {share.what: share.ns for share in one.shares if share.ns}


def submit(number: int, start: int, end: int) -> dict[str, Any]:
    return phase("submit", start, end, lane="orchestrator", task=number, submit=number)


def test_every_reason_has_its_place() -> None:
    """aiv 1 runs task 1 from 10 to 20; task 2 waits for it and starts at 40."""
    trace = make_trace(
        {"level": 4},
        cores=CORES[:2],
        tasks=[
            task(0, 90, 95, 96, 100, 100, task=3),
            task(1, 5, 8, 10, 20, 22, task=1),
            task(1, 30, 35, 40, 50, 100, task=2),
        ],
        edges=[{"pred": 1, "succ": 2, "kind": "explicit"}, {"pred": 2, "succ": 3}],
        phases=[submit(1, 0, 1), submit(2, 1, 2), submit(3, 2, 80)],
    )
    found = verdict(trace)
    # From 5 on: switch 5..10, run 10..20, scheduler 20..30, switch 30..40, run 40..50, the rest
    # nothing. Core 0: its data is there at 50, its submit at 80, dispatch at 90, start at 96.
    assert answers(found, "aiv") == {"running": 20, "switch": 15, "scheduler": 10, "nothing": 50}
    assert answers(found, "aic") == {
        "running": 4,
        "data": 45,
        "orchestrator": 30,
        "scheduler": 10,
        "switch": 6,
    }
    assert found.chip is not None and found.chip.total_ns == 2 * 95


def test_a_barrier_hands_on_what_it_waits_for() -> None:
    trace = make_trace(
        {"level": 2},
        cores=CORES[1:],
        tasks=[
            task(1, 0, 0, 0, 10, 12, task=1),
            task(2, 30, 30, 30, 40, 40, task=3),
            {"kind": "dummy", "task": 2},
        ],
        edges=[{"pred": 1, "succ": 2}, {"pred": 2, "succ": 3}],
    )
    assert answers(verdict(trace)) == {"running": 20, "data": 10, "scheduler": 20, "nothing": 30}


def test_a_predecessor_that_is_not_in_the_trace_makes_nothing_ready() -> None:
    trace = make_trace(
        {"level": 2},
        cores=CORES[1:2],
        tasks=[task(1, 0, 0, 0, 5, 5, task=1), task(1, 20, 20, 20, 30, 30, task=3),
               {"kind": "outside", "task": 2}],
        edges=[{"pred": 2, "succ": 3}],
    )  # fmt: skip
    found = verdict(trace)
    assert answers(found) == {"running": 15, "unexplained": 15}
    assert found.doubtful == 1


def test_tasks_queued_on_a_busy_core_are_told_from_the_switch() -> None:
    """Core 1 runs, a second task waits behind it, core 2 is idle."""
    trace = make_trace(
        {"level": 2},
        cores=CORES[1:],
        tasks=[task(1, 0, 0, 0, 20, 20, task=1), task(1, 5, 20, 20, 30, 30, task=2)],
    )
    assert answers(verdict(trace)) == {"running": 30, "queued": 15, "unexplained": 5, "nothing": 10}


def test_lost_records_make_an_interval() -> None:
    """Token 2 of core 1 is lost: what was between its neighbours is not known."""
    trace = make_trace(
        {"level": 2, "ledger": (entry("core 1", 3, 2, dropped=1),)},
        cores=CORES[1:2],
        tasks=[task(1, 0, 0, 0, 10, 10, task=1, token=1),
               task(1, 40, 40, 40, 50, 50, task=3, token=3)],
        edges=[{"pred": 1, "succ": 3}],
    )  # fmt: skip
    found = verdict(trace)
    assert answers(found) == {"running": 20, "lost": 30}
    assert found.chip is not None
    running = next(share for share in found.chip.shares if share.what == "running")
    assert (running.share, running.high_share) == (0.4, 1.0)


def test_a_stalled_scheduler_is_the_profiler() -> None:
    trace = make_trace(
        {"level": 2},
        cores=[{"core": 1, "kind": "aiv", "controller": 0}],
        tasks=[task(1, 0, 0, 0, 10, 10, task=1), task(1, 40, 40, 40, 50, 50, task=3)],
        edges=[{"pred": 1, "succ": 3}],
        stalls=[{"lane": "scheduler", "controller": 0, "start_ns": 15, "end_ns": 35}],
    )
    assert answers(verdict(trace)) == {"running": 20, "scheduler": 10, "blocked": 20}


def test_level_1_has_no_reasons() -> None:
    trace = make_trace(
        {"level": 1},
        cores=CORES[1:2],
        tasks=[task(1, None, 0, 0, 10, None, task=1), task(1, None, 30, 30, 40, None, task=2)],
    )
    assert answers(verdict(trace)) == {"running": 20, "unexplained": 20}


# ---- against counting ----------------------------------------------------------------------------


@st.composite
def runs(draw: st.DrawFn) -> Trace:
    """A few tasks on three cores, dispatched before they start, with edges forward in time."""
    free_at = [0, 0, 0]
    tasks, edges, phases = [], [], []
    for number in range(draw(st.integers(1, 7))):
        core = draw(st.integers(0, 2))
        start = free_at[core] + draw(st.integers(0, 6))
        dispatch = max(start - draw(st.integers(0, 8)), 0)
        end = start + draw(st.integers(1, 6))
        free_at[core] = end
        tasks.append(task(core, dispatch, start, start, end, end, task=number))
        for other in tasks[:-1]:
            if other["end_ns"] <= dispatch and draw(st.booleans()):
                edges.append({"pred": other["task"], "succ": number})
        if draw(st.booleans()):
            phases.append(submit(number, 0, draw(st.integers(0, dispatch))))
    return make_trace({"level": 4}, cores=CORES, tasks=tasks, edges=edges, phases=phases)


def counted(trace: Trace) -> dict[str, int]:
    """The definitions, applied to every nanosecond and core."""
    tasks = trace.tasks
    rows = range(len(tasks))
    core, start, end, given = (
        tasks[name].tolist() for name in ("core", "start_ns", "end_ns", "dispatch_ns")
    )
    preds: dict[int, list[int]] = {row: [] for row in rows}
    for pred, succ in zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True):
        preds[succ].append(pred)
    sent = dict(zip(trace.phases["task"].tolist(), trace.phases["end_ns"].tolist(), strict=True))
    latest = {row: max(preds[row], key=lambda p: (end[p], -p), default=None) for row in rows}
    kind = ["aic" if number == 0 else "aiv" for number in core]

    def ready(row: int) -> int | None:
        times = [end[p] for p in preds[row]] + ([sent[row]] if row in sent else [])
        return max(times) if times else None

    def held_up_by(row: int, now: int) -> int | None:
        """The task on the row's chain of latest producers that lacks only its submit."""
        while True:
            since = end[latest[row]] if latest[row] is not None else 0
            if now >= since:
                return row if row in sent and now < sent[row] else None
            row = latest[row]

    total = dict.fromkeys(LABELS, 0)
    first, last = min(given), max(end)
    for now in range(first, last):
        waiting = [row for row in rows if now < given[row]]
        is_ready = [r for r in waiting if ready(r) is not None and ready(r) <= now]
        idle, spare = {}, {}
        for name, numbers in (("aic", [0]), ("aiv", [1, 2])):
            busy = {core[r] for r in rows if start[r] <= now < end[r]}
            held = {core[r] for r in rows if given[r] <= now < start[r]}
            queued = sum(kind[r] == name and given[r] <= now < start[r] for r in rows)
            switch = held - busy
            total["running"] += len(busy & set(numbers))
            total["switch"] += len(switch & set(numbers))
            free_cores = len(set(numbers) - busy - held)
            idle[name] = free_cores, queued - len(switch & set(numbers))
            spare[name] = free_cores - sum(kind[r] == name for r in is_ready)
        for name, (cores_left, queued) in idle.items():
            mine = [row for row in waiting if kind[row] == name]
            behind = [held_up_by(r, now) for r in mine if r not in is_ready]
            counts = {
                "scheduler": sum(row in is_ready for row in mine),
                "queued": queued,
                "orchestrator": sum(b is not None and spare[kind[b]] > 0 for b in behind),
            }
            unsure = sum(ready(row) is None for row in mine)
            counts["data"] = len(mine) - counts["scheduler"] - counts["orchestrator"] - unsure
            counts["unexplained"] = unsure
            for what, count in counts.items():
                taken = min(cores_left, count)
                total[what] += taken
                cores_left -= taken
            total["nothing"] += cores_left
    return {what: ns for what, ns in total.items() if ns}


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(runs())
def test_the_verdict_is_what_counting_gives(trace: Trace) -> None:
    found = verdict(trace)
    assert answers(found) == counted(trace)
    for kind in found.kinds:
        assert sum(share.ns for share in kind.shares) == kind.total_ns
        assert found.window is not None
        assert kind.total_ns == kind.cores * found.window.length_ns


# ---- on runs whose fault is known ----------------------------------------------------------------


def share(trace: Trace, what: str, kind: str = "chip") -> float:
    (one,) = [one for one in verdict(trace).kinds if one.kind == kind]
    return one.share(what)


def worst(trace: Trace) -> str:
    """The largest reason for not running, of cores for which there was a task."""
    chip = verdict(trace).chip
    assert chip is not None
    reasons = [one for one in chip.shares if one.what not in ("running", "nothing")]
    return max(reasons, key=lambda one: one.ns).what


@pytest.mark.parametrize("workload", ["chain", "fan", "paged_attention", "random_dag"])
def test_a_scheduler_that_costs_nothing_has_no_share(workload: str) -> None:
    chip = free(a2a3(), *SECTIONS)
    trace = simulated(build_workload(workload, {}), chip)
    chip_verdict = verdict(trace).chip
    assert chip_verdict is not None
    assert (chip_verdict.ns("scheduler"), chip_verdict.ns("switch")) == (0, 0)


def test_a_slow_scheduler_is_named() -> None:
    chip = changed(free(a2a3(), *SECTIONS), "scheduler", dispatch_ps=5_000_000)
    trace = simulated(build_workload("fan", {}), chip)
    assert worst(trace) == "scheduler" and share(trace, "scheduler", "aiv") > 0.8


def test_a_starving_orchestrator_is_named() -> None:
    chip = changed(free(a2a3(), *SECTIONS), "orchestrator", submit_ps=5_000_000)
    trace = simulated(build_workload("paged_attention", {}), chip)
    assert worst(trace) == "orchestrator" and share(trace, "orchestrator") > 0.5


def test_a_slow_link_is_the_switch() -> None:
    chip = changed(free(a2a3(), *SECTIONS), "link", dispatch_latency_ps=50_000_000)
    trace = simulated(build_workload("fan", {"width": "96"}), chip)
    assert worst(trace) == "switch"


def test_a_slow_function_is_named() -> None:
    """One of three functions in a row takes ten times as long; cores wait for its data."""
    builder = GraphBuilder("slow")
    last: int | None = None
    for _ in range(20):
        for name, spin in (("A", 3000), ("SLOW", 30_000), ("C", 3000)):
            last = builder.task(name, spin_ns=spin, after=[] if last is None else [last])
    trace = simulated(builder.graph(), a2a3())
    assert worst(trace) == "data"
    first = critical(trace).functions[0]
    assert first.name == "SLOW" and first.share is not None and first.share > 0.65


def test_a_slow_core_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build_workload("fan", {"width": "2000", "spin_ns": "60000"})
    assert suspects(simulated(graph, a2a3())).slow_cores == ()
    trace = simulated(graph, a2a3())
    for _ in range(12):  # until the same tasks come to the slow core again
        slow = np.zeros(len(graph), bool)
        slow[trace.tasks["task"][trace.tasks["core"] == 31]] = True
        monkeypatch.setattr(
            chip_given, "durations_ps", lambda *of, slow=slow: durations_ps(*of) * (1 + slow)
        )
        trace = simulated(graph, a2a3())
    found = suspects(trace).slow_cores
    assert [core.core for core in found] == [31]
    assert found[0].ratio == pytest.approx(2, abs=0.01)


def ramp() -> TaskGraph:
    """Loads of one tile each, ever more of them at once, then fewer."""
    graph = build_workload("vector", {"tiles": "4"})
    builder = GraphBuilder("ramp")
    kernel = graph.kernels[0]
    before: list[int] = []
    for width in (1, 2, 4, 8, 16, 32, 48, 48, 32, 16, 8, 4, 2, 1):
        barrier = [builder.task("step", kind="aiv", spin_ns=100, after=before)]
        before = [
            builder.task("load", kind="aiv", kernel=kernel, after=barrier) for _ in range(width)
        ]
    return builder.graph()


def test_a_saturated_memory_is_named() -> None:
    graph, fast = ramp(), free(a2a3(), "orchestrator", "scheduler")
    assert suspects(simulated(graph, fast)).crowded == ()
    slow = changed(fast, "memory", hbm_bytes_per_s=400_000_000_000)
    (found,) = suspects(simulated(graph, slow)).crowded
    assert found.name == "load" and found.ratio > 2


def test_a_profiler_that_blocks_is_named() -> None:
    graph = build_workload("fan", {"width": "4000", "spin_ns": "300"})
    trace = simulated(
        graph,
        changed(a2a3(), "recording", host_latency_ps=200_000_000),
        buffer_records=4,
        buffers=2,
    )
    assert len(trace.stalls) and share(trace, "blocked") > 0.3


def test_dropped_records_are_unknown_time() -> None:
    graph = build_workload("fan", {"width": "4000", "spin_ns": "300"})
    chip = changed(a2a3(), "recording", host_latency_ps=200_000_000)
    trace = simulated(graph, chip, buffer_records=4, buffers=2, on_full="drop")
    assert np.sum([one.dropped for one in trace.meta.ledger]) > 0
    assert share(trace, "lost") > 0.1
