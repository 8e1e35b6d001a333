"""Where controller threads' time goes, and the peer's mistakes that we do not repeat."""

from __future__ import annotations

import pytest
from tests.analyze.hand import make_trace, phase

from lanescope.analyze.controllers.threads import Controller, PhaseBudget, controllers


def only(*rows: dict[str, object]) -> Controller:
    (controller,) = controllers(make_trace(phases=rows))
    return controller


def test_every_figure_of_one_thread() -> None:
    found = only(
        phase("resolve", 2, 8, loop=5),
        phase("complete", 0, 10, loop=5, tasks=2),
        phase("dispatch", 10, 15, loop=6, tasks=1, pop_hit=1, pop_miss=3),
        phase("dummy_task", 16, 16, loop=7, task=4),
        phase("dispatch", 20, 20, loop=9, tasks=0, pop_hit=0, pop_miss=4),
    )
    assert found == Controller(
        lane="scheduler",
        controller=0,
        phases=5,
        untimed=0,
        start_ns=0,
        end_ns=20,
        busy_ns=15,
        overlap_ns=0,
        loops=5,
        dispatched=1,
        completed=2,
        pop_hits=1,
        pop_misses=7,
        submits=None,
        kinds=(
            PhaseBudget("complete", "outer", 1, 10, 0.5),
            PhaseBudget("resolve", "inner", 1, 6, 0.3),
            PhaseBudget("dispatch", "outer", 2, 5, 0.25),
            PhaseBudget("dummy_task", "marker", 1, 0, 0.0),
        ),
    )
    assert (found.idle_ns, found.idle_share, found.pop_hit_rate) == (5, 0.25, 1 / 8)


@pytest.mark.parametrize(
    "kind", ["release", "dummy", "early_dispatch", "drain", "graph_prepare", "never heard of"]
)
def test_no_outer_kind_vanishes_into_idle(kind: str) -> None:
    """The peer counts only complete, async_poll and dispatch as work."""
    found = only(phase("complete", 0, 10), phase(kind, 10, 70), phase("dispatch", 90, 100))
    assert (found.busy_ns, found.idle_ns) == (80, 20)
    assert PhaseBudget(kind, "outer", 1, 60, 0.6) in found.kinds


def test_loops_count_from_the_first_recorded_one() -> None:
    """The peer divides by the last loop's number, here 1003, and says 99.7 ns."""
    found = only(phase("complete", 0, 10, loop=1000), phase("dispatch", 90_000, 100_000, loop=1003))
    assert (found.loops, found.ns_per_loop) == (4, 25_000.0)


def test_outer_shares_and_idle_make_the_whole() -> None:
    found = only(
        phase("complete", 0, 333),
        phase("resolve", 3, 300),
        phase("release", 400, 701),
        phase("dispatch", 701, 1000),
    )
    outer = sum(budget.total_ns for budget in found.kinds if budget.role == "outer")
    assert outer + found.idle_ns == found.span_ns
    assert found.busy_ns + found.idle_ns == found.span_ns


@pytest.mark.parametrize("kind", ["idle", "scan", "poll"])
def test_recorded_idle_is_idle(kind: str) -> None:
    found = only(phase("complete", 0, 10), phase(kind, 10, 90), phase("dispatch", 95, 100))
    assert (found.busy_ns, found.idle_ns) == (15, 85)
    assert PhaseBudget(kind, "idle", 1, 80, 0.8) in found.kinds


def test_overlapping_outer_phases_are_busy_once() -> None:
    found = only(phase("complete", 0, 60), phase("dispatch", 40, 100))
    assert (found.busy_ns, found.overlap_ns, found.idle_ns) == (100, 20, 0)


def test_inner_phases_are_not_added() -> None:
    found = only(phase("drain_prepare", 1, 4), phase("drain_publish", 4, 9), phase("drain", 0, 10))
    assert (found.busy_ns, found.overlap_ns) == (10, 0)


def test_orchestrator_counts_submits_not_steps() -> None:
    thread = {"lane": "orchestrator", "controller": 3}
    found = only(
        phase("alloc", 0, 10, submit=0, **thread),
        phase("lookup", 10, 20, submit=0, **thread),
        phase("alloc", 30, 40, submit=1, **thread),
    )
    assert (found.lane, found.controller, found.submits) == ("orchestrator", 3, 2)
    assert (found.ns_per_submit, found.busy_share) == (15.0, 0.75)


def test_threads_come_in_order_of_lane_then_number() -> None:
    rows = [
        phase("submit", 0, 1, lane="orchestrator", controller=0),
        phase("dispatch", 0, 1, controller=2),
        phase("dispatch", 0, 1, controller=0),
        phase("upload", 0, 1, lane="host", controller=0),
    ]
    found = [(c.lane, c.controller) for c in controllers(make_trace(phases=rows))]
    assert found == [("scheduler", 0), ("scheduler", 2), ("orchestrator", 0), ("host", 0)]


def test_phases_without_usable_times_are_counted_and_left_out() -> None:
    found = only(
        {"lane": "scheduler", "controller": 0, "kind": "dispatch", "tasks": 2},
        phase("complete", 30, 20),
    )
    assert (found.phases, found.untimed, found.span_ns, found.kinds) == (2, 2, 0, ())
    assert (found.idle_share, found.ns_per_loop, found.dispatched) == (None, None, 2)


def test_no_phases_give_no_controllers() -> None:
    assert controllers(make_trace()) == ()
