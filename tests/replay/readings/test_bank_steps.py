"""The steps of schedulers that serve two cores in one step, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.replay.readings.bank_steps import (
    BankSteps,
    _begins,
    _told,
    bank_steps,
    soonest_ns,
)
from lanescope.replay.readings.served import served_runs

NEVER = np.iinfo(np.int64).max


def steps(*phases: Row, submits: dict[int, int] | None = None) -> BankSteps:
    """Cores 0 to 3 are two banks. Tasks 0 and 1 run on the first at once, then task 2 on core 0,
    which waits for both, and task 3 on core 2.

    0 dispatch 0, 1 │ 100 finish 0, 1 │ 110 dispatch 2 │ 115 dispatch 3 │ 200 finish 2 │ 300 …
    """
    told = [
        {"lane": "orchestrator", "kind": "submit", "task": number, "start_ns": at, "end_ns": at}
        for number, at in (submits or {}).items()
    ]
    trace = make_trace(
        {"level": 4},
        tasks=[
            task(0, 0, 5, 10, 80, 100, task=0),
            task(1, 0, 5, 10, 90, 100, task=1),
            task(0, 110, 115, 120, 190, 200, task=2),
            task(2, 115, 118, 120, 280, 300, task=3),
        ],
        edges=[{"pred": 0, "succ": 2}, {"pred": 1, "succ": 2}],
        cores=[{"core": core, "kind": "sm", "controller": 0} for core in range(4)],
        phases=[*phases, *told],
    )
    return bank_steps(trace, nodes(trace), served_runs(trace), cores=2)


def test_the_stamps_of_a_bank_at_one_moment_are_one_step() -> None:
    found = steps()
    columns = {
        name: getattr(found, name).tolist() for name in BankSteps.__slots__ if name != "round"
    }
    assert columns == {
        "controller": [0] * 6,
        "time_ns": [0, 100, 110, 115, 200, 300],
        "gives": [True, False, True, True, False, False],
        "bank": [0, 0, 0, 1, 0, 1],
        "loop": [-1] * 6,
        "told": [0, 1, 0, 0, 0, 0],
        "earliest_end_ns": [NEVER, 80, NEVER, NEVER, 190, 280],
        "latest_end_ns": [-NEVER, 90, -NEVER, -NEVER, 190, 280],
        "opens": [False, True, False, False, False, True],
        "own": [False, False, True, False, False, False],
        "waited": [False] * 6,
    }
    assert found.round.tolist() == [1, 2, 2, 2, 3, 4]


def test_recorded_rounds_count_before_what_the_times_tell() -> None:
    """The phases say that the last two finishes are of one round, and the first step of none."""
    rounds = [phase("complete", 90, 120, loop=7), phase("complete", 190, 310, loop=9)]
    found = steps(*rounds)
    assert found.loop.tolist() == [-1, 7, 7, 7, 9, 9]
    assert found.round.tolist() == [1, 2, 2, 2, 3, 3]
    later = steps(rounds[1], phase("complete", 90, 120, loop=7, controller=1))
    assert later.loop.tolist() == [-1, -1, -1, -1, 9, 9]


def test_a_step_waits_for_a_submit_after_the_step_before_it() -> None:
    found = steps(submits={0: -5, 1: -5, 2: 100, 3: 111})
    assert found.waited.tolist() == [False, False, False, True, False, False]
    assert steps(submits={0: 0, 1: 0, 2: 101, 3: 110}).waited.tolist() == [
        *(False, False, True, False, False, False)
    ]


def told(*successors: int, gives: bool = False, cores: int = 32) -> int:
    """What one step tells whose runs have so many successors."""
    count = len(successors)
    stamps = SimpleNamespace(gives=np.full(count, gives), run=np.arange(count), first=np.array([0]))
    graph = _Graph(np.repeat(np.arange(count), successors), np.arange(count))
    runs = SimpleNamespace(rows=np.arange(count))
    return int(_told(cast(Any, graph), cast(Any, runs), cast(Any, stamps), cores=cores)[0])


class _Graph:
    def __init__(self, pred: Any, of_row: Any) -> None:
        self.pred, self.of_row = pred, of_row

    def __len__(self) -> int:
        return len(self.of_row)


@pytest.mark.parametrize(
    ("successors", "longest"),
    [((0,), 0), ((3, 8, 5), 8), ((9,), 1), ((32,), 1), ((33,), 2), ((8, 9, 65), 8 + 1 + 3)],
)
def test_up_to_eight_successors_are_told_by_one_and_longer_lists_are_shared(
    successors: tuple[int, ...], longest: int
) -> None:
    assert told(*successors) == longest
    assert told(*successors, gives=True) == 0


def begins(*others: tuple[int, str, int], opens: bool = False) -> list[bool]:
    """Steps behind one at 0 that finishes runs of bank 1: time, what it does, bank. A look takes
    10 ns."""
    times, does, banks = (np.array(values) for values in zip((0, "f", 1), *others, strict=True))
    opened = np.zeros(len(times), bool)
    opened[0] = opens
    found = _begins(times.astype(int), does == "d", banks.astype(int), opens=opened, look_ns=10.0)
    return [bool(one) for one in found[1:]]


def test_a_finish_behind_a_dispatch_or_a_long_time_begins_a_round() -> None:
    assert begins((10, "f", 2)) == [False]
    assert begins((11, "f", 2)) == [True]
    assert begins((5, "d", 1), (6, "f", 1)) == [False, True]
    assert begins((30, "f", 2), opens=True) == [False]
    assert begins((31, "f", 2), opens=True) == [True]
    assert begins((11, "f", 1), opens=True) == [True], "it does not go on to a later bank"


def test_a_dispatch_that_goes_back_after_a_long_time_begins_a_round() -> None:
    assert begins((5, "d", 2), (25, "d", 2)) == [False, False]
    assert begins((5, "d", 2), (26, "d", 2)) == [False, True]
    assert begins((5, "d", 2), (26, "d", 3)) == [False, False]
    assert begins((50, "d", 1)) == [False], "a finish came before"


def test_of_many_times_the_shortest_but_for_one_in_a_hundred_counts() -> None:
    assert soonest_ns(np.arange(101)) == 1.0
    assert soonest_ns(np.zeros(0)) == 0.0


def test_rounds_without_a_number_are_not_known() -> None:
    assert steps(phase("complete", 90, 120)).loop.tolist() == [-1] * 6
