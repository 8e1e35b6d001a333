"""How late schedulers were, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanescope.replay.calibration.turns import LateRuns, UsualSteps, late_runs
from lanescope.replay.readings.given import GivenRuns
from lanescope.replay.readings.machine import ReplayMachine


def machine(cores: int, *, schedulers: int = 1) -> ReplayMachine:
    """Cores of one kind, dealt to the schedulers in turn."""
    each = np.arange(cores)
    return ReplayMachine(
        kinds=("aiv",),
        core_kind=np.zeros(cores, np.int32),
        cluster=each,
        scheduler=each % schedulers,
        schedulers=schedulers,
        pre_dispatch=0,
    )


def late(made: ReplayMachine, *runs: tuple[int, int, int, int, int]) -> LateRuns:
    """Runs: core, ready, dispatch, end, finish."""
    table = np.array(runs, np.int64).reshape(-1, 5)
    given = GivenRuns(
        row=np.arange(len(table)),
        node=np.arange(len(table)),
        core=table[:, 0],
        kind=np.zeros(len(table), np.int32),
        scheduler=made.scheduler[table[:, 0]],
        told=np.ones(len(table), bool),
        ready_ns=table[:, 1],
        dispatch_ns=table[:, 2],
        end_ns=table[:, 3],
        finish_ns=table[:, 4],
    )
    return late_runs(given, made, np.zeros(len(table), bool))


def test_an_end_is_seen_in_the_next_turn() -> None:
    """Steps of 10 ns. The ends at 500 and 520 are seen in a turn that begins at 990."""
    found = late(
        machine(3),
        (0, 0, 10, 500, 1000), (1, 0, 20, 520, 1010), (2, 0, 30, 1005, 1020),
    )  # fmt: skip
    assert found.steps == UsualSteps(10.0, 10.0)
    assert found.seen.tolist() == [490, 470, 0], "the third ended while the scheduler was at work"


def test_a_task_that_was_ready_waits_for_the_turn_of_its_dispatch() -> None:
    found = late(
        machine(3),
        (0, 0, 1000, 1500, 1600), (1, 900, 1010, 1500, 1610), (2, 1005, 1020, 1500, 1620),
    )  # fmt: skip
    assert found.wait.tolist() == [990, 90, 0]
    assert found.give.tolist() == [-1, -1, -1]


def test_without_room_the_dispatch_takes_what_the_scheduler_waited_since_there_is_room() -> None:
    """One core, all tasks ready at 0. The next is dispatched 10 ns behind a finish, but for the
    third: there is room for it at 220, and it is dispatched at 620."""
    found = late(
        machine(1),
        (0, 0, 10, 100, 110), (0, 0, 120, 210, 220), (0, 0, 620, 700, 710),
        (0, 0, 720, 800, 810), (0, 0, 820, 900, 910),
    )  # fmt: skip
    assert found.wait[1:].tolist() == [0, 0, 0, 0]
    assert found.give.tolist() == [-1, -1, 400, -1, -1]


def test_without_runs_there_are_no_steps() -> None:
    assert late(machine(1)).steps == UsualSteps()


def test_steps_are_the_mean_of_what_was_done_inside_turns() -> None:
    """Three dispatches of 10 ns, finishes of 10, 10 and 30: 80 ns instead of 60."""
    found = late(
        machine(4),
        *(
            (core, 0, 10 * core + 10, 500, finish)
            for core, finish in enumerate((1000, 1010, 1020, 1050))
        ),
    )
    assert found.steps == UsualSteps(pytest.approx(40 / 3), pytest.approx(40 / 3))


def test_an_idle_core_of_another_kind_is_no_room() -> None:
    """As before, beside a core of a kind that no task needs."""
    made = machine(2)
    made = replace(made, kinds=("aiv", "aic"), core_kind=np.array([0, 1], np.int32))
    found = late(
        made,
        (0, 0, 10, 100, 110), (0, 0, 120, 210, 220), (0, 0, 620, 700, 710),
        (0, 0, 720, 800, 810), (0, 0, 820, 900, 910),
    )  # fmt: skip
    assert found.give.tolist() == [-1, -1, 400, -1, -1]
