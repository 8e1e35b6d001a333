"""When schedulers had something to do and did not do it, by hand."""

from __future__ import annotations

import numpy as np

from lanescope.replay.calibration.absences import (
    Absences,
    Pieces,
    UsualSteps,
    absences_of,
    pieces_of,
    usual_steps,
)  # fmt: skip
from lanescope.replay.readings.given import GivenRuns
from lanescope.replay.readings.machine import ReplayMachine


def machine(schedulers: int) -> ReplayMachine:
    """One core of one kind per scheduler."""
    each = np.arange(schedulers)
    return ReplayMachine(
        kinds=("aiv",),
        core_kind=np.zeros(schedulers, np.int32),
        cluster=each,
        scheduler=each,
        schedulers=schedulers,
        pre_dispatch=0,
    )


def given(*runs: tuple[int, int, int, int, int]) -> GivenRuns:
    """Core (and scheduler), ready, dispatch, end, finish."""
    table = np.array(runs, np.int64).reshape(-1, 5)
    return GivenRuns(
        node=np.arange(len(table)),
        core=table[:, 0],
        kind=np.zeros(len(table), np.int32),
        scheduler=table[:, 0],
        told=np.ones(len(table), bool),
        ready_ns=table[:, 1],
        dispatch_ns=table[:, 2],
        end_ns=table[:, 3],
        finish_ns=table[:, 4],
    )


def pieces(made: GivenRuns, schedulers: int = 1) -> Pieces:
    alone = np.zeros(len(made.node), bool)
    return pieces_of(made, machine(schedulers), alone, begin_ns=0)


def rows(found: Pieces) -> list[tuple[int, ...]]:
    names = ("scheduler", "start_ns", "end_ns", "finishes", "dispatches", "idle", "acts")
    columns = (getattr(found, name).tolist() for name in names)
    return [tuple(int(value) for value in row) for row in zip(*columns, strict=True)]


def test_a_scheduler_has_something_to_do_until_it_does_it() -> None:
    """The second task is ready at 90, but there is room for it only at the finish of the first."""
    made = pieces(given((0, 10, 50, 80, 100), (0, 90, 130, 200, 205)))
    assert rows(made) == [
        (0, 10, 50, 0, 1, 1, 0),
        (0, 80, 100, 1, 0, 1, 1),
        (0, 100, 130, 0, 1, 0, 2),
        (0, 200, 205, 1, 0, 1, 3),
    ]


def test_what_another_scheduler_took_was_waiting_for_both() -> None:
    made = pieces(given((1, 10, 50, 80, 100)), schedulers=2)
    assert rows(made) == [
        (0, 10, 50, 0, 0, 1, 0),
        (1, 10, 50, 0, 1, 1, 0),
        (1, 80, 100, 1, 0, 1, 1),
    ]


def test_a_full_core_is_no_room() -> None:
    made = pieces(given((0, 0, 0, 300, 300), (1, 10, 50, 80, 100)), schedulers=2)
    assert [row for row in rows(made) if row[0] == 0] == []


def table(*values: tuple[int, int, int, int, int, int, int]) -> Pieces:
    """Start, end, finishes, dispatches, idle, last, acts."""
    columns = np.array(values, np.int64)
    return Pieces(
        scheduler=np.zeros(len(values), np.int64),
        start_ns=columns[:, 0],
        end_ns=columns[:, 1],
        finishes=columns[:, 2],
        dispatches=columns[:, 3],
        idle=columns[:, 4] > 0,
        last_ns=columns[:, 5],
        acts=columns[:, 6],
    )


def test_usual_steps_are_those_of_a_busy_scheduler() -> None:
    made = table(
        (0, 10, 1, 0, 0, 0, 0), (10, 30, 2, 0, 0, 10, 1), (30, 34, 0, 1, 0, 30, 3),
        (50, 950, 1, 0, 1, 34, 4), (950, 2950, 1, 1, 0, 950, 5),
    )  # fmt: skip
    assert usual_steps(made) == UsualSteps(finish=10.0, dispatch=4.0)
    assert usual_steps(table((50, 950, 1, 0, 1, 34, 4))) == UsualSteps()


def listed(found: Absences) -> list[tuple[int, ...]]:
    columns = (found.start_ns.tolist(), found.end_ns.tolist(), found.acts.tolist())
    return list(zip(*columns, strict=True))


def test_a_piece_that_is_too_long_is_an_absence() -> None:
    """Steps of 10 ns, a turn of 200: what takes up to twice as long is no absence of a busy one."""
    steps = UsualSteps(finish=10.0, dispatch=10.0)
    busy = table((1000, 1020, 1, 0, 0, 1000, 3), (1020, 2020, 0, 1, 0, 1020, 4))
    assert listed(absences_of(busy, steps)) == [(820, 2010, 4)]


def test_an_idle_scheduler_was_away_before_but_not_right_behind_what_it_did_last() -> None:
    steps = UsualSteps(finish=10.0, dispatch=10.0)
    idle = table((1000, 1110, 1, 0, 1, 0, 3), (3000, 5010, 1, 0, 1, 1110, 4))
    assert listed(absences_of(idle, steps)) == [(890, 1100, 3), (1310, 5000, 4)]
