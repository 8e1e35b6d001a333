"""Each cost of a scheduler, from phases that hold a known number of each thing."""

from __future__ import annotations

from typing import Any

from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.native.replay import Costs
from lanescope.replay.calibration.phase_costs import phase_costs
from lanescope.replay.readings.phases import scheduler_phases
from lanescope.replay.readings.served import served_runs


def costs(phases: list[Row], tasks: list[Row] | None = None) -> Costs:
    """What phases add to costs of which one is known."""
    cores = [{"core": number, "controller": 0} for number in range(9)]
    trace = make_trace(phases=phases, tasks=tasks or [run(0, 1, 900)], cores=cores)
    runs = served_runs(trace)
    return phase_costs(trace, scheduler_phases(trace), runs, costs=Costs(dispatch_latency=7))


def run(core: int, dispatch: int, finish: int, **more: Any) -> Row:
    return task(core, dispatch, dispatch, dispatch, finish, finish, **more)


def test_a_known_number_of_things_shares_a_phase() -> None:
    """30 + 60 ns for 2 + 4 successors, 40 ns for 4 releases, 12 ns for 3 cores."""
    assert costs(
        [
            phase("resolve", 0, 30, tasks=2),
            phase("resolve", 100, 160, tasks=4),
            phase("resolve", 200, 290, tasks=0),
            phase("release", 300, 340, tasks=4),
            phase("drain_publish", 400, 412, tasks=3),
        ]
    ) == Costs(
        dispatch_latency=7, resolve_edge=15_000, release=10_000, release_tasks=4, publish=4_000
    )


def test_between_two_phases_of_a_round_a_record_is_written() -> None:
    """3 ns. From round to round, and from one scheduler to the other, it is something else."""
    assert costs(
        [
            phase("async_poll", 0, 10, loop=1),
            phase("dummy", 13, 20, loop=1),
            phase("resolve", 14, 15, loop=1),
            phase("drain", 23, 30, loop=1),
            phase("async_poll", 90, 100, loop=2),
            phase("async_poll", 104, 110, loop=2, controller=1),
        ]
    ) == Costs(dispatch_latency=7, scheduler_phase=3_000)


def test_as_many_tasks_are_released_at_once_as_in_nearly_all_releases() -> None:
    """The release at 950 comes after the last finish, at 900: it releases what is left."""
    releases = [phase("release", 10 * n, 10 * n + 8, tasks=8) for n in range(19)]
    early, late = phase("release", 300, 301, tasks=1), phase("release", 950, 952, tasks=2)
    assert costs([*releases, early, late]).release_tasks == 8
    assert costs([late]).release_tasks == 3
    assert costs([phase("dummy", 0, 1)]).release_tasks == 1


def dispatching(start: int, end: int, hit: int, miss: int) -> Row:
    return phase("dispatch", start, end, pop_hit=hit, pop_miss=miss)


def test_looks_and_dispatches_are_told_apart_by_their_number() -> None:
    """5 ns per look, 20 ns per dispatch."""
    answer = costs(
        [dispatching(0, 30, 1, 1), dispatching(100, 150, 2, 0), dispatching(200, 210, 0, 2)],
        [run(0, 25, 900), run(1, 125, 900), run(2, 150, 900)],
    )
    assert answer == Costs(dispatch_latency=7, pop=5_000, dispatch=20_000)


def test_where_all_phases_are_alike_the_looks_behind_the_last_dispatch_tell() -> None:
    """Each phase has two looks and one dispatch; after it there are 5 ns for the look in vain."""
    answer = costs(
        [dispatching(0, 30, 1, 1), dispatching(100, 130, 1, 1)],
        [run(0, 25, 900), run(1, 125, 900)],
    )
    assert answer == Costs(dispatch_latency=7, pop=5_000, dispatch=20_000)


def test_no_cost_is_negative() -> None:
    """By least squares a look would take -10 ns."""
    answer = costs(
        [dispatching(0, 30, 1, 1), dispatching(100, 140, 1, 0)],
        [run(0, 20, 900), run(1, 120, 900)],
    )
    assert answer == Costs(dispatch_latency=7, pop=0, dispatch=35_000)


def test_completions_are_told_by_the_finishes_inside_a_phase() -> None:
    """A look at a core takes 10 ns, a completion 8, its record 4. The first phase finds three cores
    with tasks and sees two ends, the second one core and one end. Successors are told after the
    last record."""
    answer = costs(
        [
            phase("complete", 100, 160, tasks=2),
            phase("resolve", 154, 160, tasks=1),
            phase("complete", 200, 230, tasks=1),
            phase("resolve", 222, 230, tasks=1),
        ],
        [run(0, 1, 138), run(1, 1, 150), run(2, 1, 218)],
    )
    assert answer == Costs(
        dispatch_latency=7,
        poll_core=10_000,
        complete=8_000,
        task_record=4_000,
        resolve_edge=7_000,
        complete_base=0,
    )


def test_what_only_the_first_end_of_a_phase_takes_is_its_base() -> None:
    """As before, but the first end of each phase is seen 6 ns later."""
    answer = costs(
        [
            phase("complete", 100, 166, tasks=2),
            phase("resolve", 160, 166, tasks=1),
            phase("complete", 200, 236, tasks=1),
            phase("resolve", 228, 236, tasks=1),
        ],
        [run(0, 1, 144), run(1, 1, 156), run(2, 1, 224)],
    )
    assert (answer.poll_core, answer.complete_base, answer.complete) == (10_000, 6_000, 8_000)


def test_a_scheduler_without_complete_phases_says_nothing_about_records() -> None:
    """Scheduler 1 sees an end and tells successors, but has no phase for it."""
    alone = [
        phase("complete", 100, 160, tasks=2),
        phase("resolve", 154, 160, tasks=1),
        phase("complete", 200, 230, tasks=1),
        phase("resolve", 222, 230, tasks=1),
    ]
    other = phase("resolve", 240, 248, tasks=1, controller=1)
    runs = [run(0, 1, 138), run(1, 1, 150), run(2, 1, 218), run(3, 1, 235, controller=1)]
    assert costs([*alone, other], runs).task_record == 4_000


def test_where_each_phase_has_one_end_a_completion_takes_what_follows_the_looks() -> None:
    """Looks at three and two cores of 10 ns, a completion of 8 ns, a record of 4 ns."""
    answer = costs(
        [
            phase("complete", 100, 150, tasks=1),
            phase("resolve", 142, 150, tasks=1),
            phase("complete", 200, 240, tasks=1),
            phase("resolve", 232, 240, tasks=1),
        ],
        [run(0, 1, 138), run(1, 1, 228), run(2, 1, 900)],
    )
    assert answer == Costs(
        dispatch_latency=7,
        poll_core=10_000,
        complete=8_000,
        task_record=4_000,
        resolve_edge=8_000,
        complete_base=0,
    )
