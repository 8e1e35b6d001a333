"""What controllers took, less the records that lie in that time."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.replay.correction.controller_figures import controller_figures
from lanescope.replay.correction.figure import Figure, widened
from lanescope.replay.correction.record_costs import Cost, RecordCosts
from lanescope.trace import LedgerEntry


def costs(**by_kind: Cost) -> RecordCosts:
    return RecordCosts(platform="", protocol="", basis="fitted", costs=by_kind)


def submit(start: int, end: int) -> Row:
    return phase("submit", start, end, lane="orchestrator")


def test_between_three_submits_there_are_two_records() -> None:
    trace = make_trace(phases=[submit(0, 20), submit(40, 60), submit(80, 100)])
    paid = costs(orchestrator_phase=Cost(5.0, 4.0, 7.0))
    assert controller_figures(trace, paid, 1.0) == [
        Figure("first to last submit", "orchestrator", 100.0, 100 - 10.0, *widened(86.0, 92.0, 1.0))
    ]


def test_copies_while_the_orchestrator_submits_are_taken_back() -> None:
    """Of three finishes two lie between the first and the last submit."""
    trace = make_trace(
        phases=[submit(10, 20), submit(80, 100)],
        tasks=[task(0, 0, 1, 2, 3, finish, task=finish) for finish in (10, 99, 100)],
    )
    paid = costs(staging_shared=Cost(8.0, 8.0, 8.0))
    (figure,) = controller_figures(trace, paid, 1.0)
    assert (figure.recorded, figure.corrected) == (90.0, 74.0)


def test_schedulers_write_the_records_of_tasks_and_inner_phases_inside_phases() -> None:
    """Two schedulers are in phases for 90 ns; the first one completes 3 tasks and tells successors
    in between. The records of outer phases are written behind them."""
    trace = make_trace(
        {"ledger": (LedgerEntry(lane="core 0", kind="burst", total=2, delivered=2),)},
        phases=[
            phase("complete", 0, 50, tasks=3),
            phase("resolve", 40, 50, tasks=1),
            phase("dispatch", 60, 80, tasks=1),
            phase("dispatch", 0, 20, tasks=1, controller=1),
        ],
    )
    one = Cost(1.0, 1.0, 1.0)
    paid = costs(controller_task=Cost(10.0, 9.0, 12.0), scheduler_phase=one, burst=one)
    (figure,) = controller_figures(trace, paid, 2.0)
    rest = 90 - 1 - 2
    assert figure == Figure(
        *("time in phases", "schedulers", 90.0, rest - 30.0),
        *widened(rest - 36.0, rest - 27.0, 2.0 * 4),
    )


def test_more_than_was_recorded_is_not_taken_back() -> None:
    trace = make_trace(phases=[submit(0, 20), submit(40, 60)])
    paid = costs(orchestrator_phase=Cost(500.0, 10.0, 900.0))
    (figure,) = controller_figures(trace, paid, 1.0)
    assert (figure.corrected, figure.low, figure.high) == (0.0, *widened(0.0, 50.0, 1.0))


def test_a_run_without_phases_has_no_such_figures() -> None:
    assert controller_figures(make_trace(), costs(), 1.0) == []
