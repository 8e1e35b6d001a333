"""Rules of choosing, found in runs that follow them."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.native.replay import (
    BY_CORE,
    BY_END,
    FIRST_READY,
    LAST_READY,
    LATEST,
    LONGEST,
    LOWEST,
    SchedulerPolicy,
)  # fmt: skip
from lanescope.replay.readings import policy
from lanescope.replay.readings.given import GivenRuns
from lanescope.replay.readings.policy import _collect, policy_of


def given(*runs: tuple[int, int, int, int, int], told: bool = True) -> GivenRuns:
    """Runs of one scheduler and kind: core, ready, dispatch, end, finish."""
    table = np.array(runs, np.int64).reshape(-1, 5)
    count = len(table)
    return GivenRuns(
        row=np.arange(count),
        node=np.arange(count),
        core=table[:, 0],
        kind=np.zeros(count, np.int32),
        scheduler=np.zeros(count, np.int64),
        told=np.full(count, told),
        ready_ns=table[:, 1],
        dispatch_ns=table[:, 2],
        end_ns=table[:, 3],
        finish_ns=table[:, 4],
    )


def one_core(ready: list[int]) -> GivenRuns:
    """One core runs tasks that became ready at these moments, one after the other from 100 on."""
    return given(*((0, at, 100 + 10 * n, 105 + 10 * n, 106 + 10 * n) for n, at in enumerate(ready)))


def test_tasks_are_taken_in_the_order_of_their_readiness() -> None:
    assert policy_of(one_core([1, 2, 3, 4, 5])) == SchedulerPolicy()
    assert policy_of(one_core([5, 4, 3, 2, 1])).pop == LAST_READY


def test_tasks_that_were_ready_when_submitted_keep_their_order() -> None:
    runs = one_core([1, 2, 3, 4, 5])
    submitted = GivenRuns(
        **{name: getattr(runs, name) for name in runs.__slots__ if name != "told"},
        told=np.zeros(5, bool),
    )
    assert policy_of(submitted).pop == FIRST_READY


def turns(cores: list[int]) -> GivenRuns:
    """All of cores 0 to 2 run a task first, and end it in the order 1, 2, 0; then one task after
    the other, each on the next of these cores."""
    first = [(0, 0, 0, 30, 30), (1, 0, 0, 10, 10), (2, 0, 0, 20, 20)]
    later = [
        (core, 100 + 10 * n, 100 + 10 * n, 105 + 10 * n, 105 + 10 * n)
        for n, core in enumerate(cores)
    ]
    return given(*first, *later)


def test_of_idle_cores_the_longest_idle_the_lowest_or_the_latest_is_chosen() -> None:
    assert policy_of(turns([1, 2, 0, 1, 2, 0])).choice == LONGEST
    assert policy_of(turns([0, 0, 0, 0, 0, 0])).choice == LOWEST
    assert policy_of(turns([0, 0, 0, 0])).choice != LONGEST
    latest = turns([0, 0, 0, 0, 0])
    moved = latest.rows(np.arange(len(latest.node)))
    # With the numbers of cores turned round, the core that was used last is not the lowest.
    turned = GivenRuns(
        **{name: getattr(moved, name) for name in moved.__slots__ if name != "core"},
        core=2 - moved.core,
    )
    assert policy_of(turned).choice == LATEST


def test_few_choices_tell_nothing() -> None:
    assert policy_of(given((0, 1, 100, 105, 106), (0, 0, 110, 115, 116))) == SchedulerPolicy()


def test_ends_are_seen_by_number_of_core() -> None:
    by_core = given((0, 0, 0, 30, 40), (1, 0, 0, 20, 41), (2, 0, 0, 10, 42))
    assert policy_of(by_core).collect == BY_CORE
    by_end = given((0, 0, 0, 30, 42), (1, 0, 0, 20, 41), (2, 0, 0, 10, 40))
    assert policy_of(by_end).collect != BY_CORE


def collected(*runs: tuple[int, int, int], schedulers: tuple[int, ...] = ()) -> int:
    """Core, end and finish of runs, of one scheduler unless another is given."""
    made = given(*((core, 0, 0, end, finish) for core, end, finish in runs))
    if schedulers:
        kept = {name: getattr(made, name) for name in made.__slots__ if name != "scheduler"}
        made = GivenRuns(**kept, scheduler=np.array(schedulers))
    return _collect(made)


BY_NUMBER = ((0, 30, 40), (1, 20, 41))
"""The lower core is seen first though it ended later."""


def test_only_pairs_count_of_which_both_ends_were_there_and_the_rules_differ() -> None:
    assert collected(*BY_NUMBER) == BY_CORE
    assert collected((0, 30, 40), (1, 30, 41)) == BY_CORE
    assert collected((0, 20, 40), (1, 30, 41)) == BY_END, "both rules say so"
    assert collected((1, 30, 40), (0, 20, 41)) == BY_END, "neither rule says so"
    assert collected((0, 30, 40), (1, 20, 40)) == BY_END, "seen at once"
    assert collected((0, 30, 40), (1, 40, 60)) == BY_END, "the other had not ended"
    assert collected(*BY_NUMBER, schedulers=(0, 1)) == BY_END, "of two schedulers"


def test_the_rule_with_more_pairs_is_taken_and_of_equally_many_the_end() -> None:
    by_end = ((9, 100, 140), (8, 110, 141))
    assert collected(*BY_NUMBER, *by_end) == BY_END
    more = ((0, 230, 240), (1, 220, 241))
    assert collected(*BY_NUMBER, *by_end, *more) == BY_CORE


def test_of_very_many_choices_the_first_ones_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at the idle cores is one at 12 times, and a look at the tasks at nine of them. The
    first dispatch took all cores and leaves no choice."""
    runs = turns([1, 2, 0, 1, 2, 0])
    assert len(list(policy._core_choices(runs))) == 6
    for most, looks in ((11, 0), (12, 1), (23, 1), (24, 2)):
        monkeypatch.setattr(policy, "_CHOICES", most)
        assert len(list(policy._core_choices(runs))) == looks


def test_of_very_many_tasks_the_first_choices_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of five dispatches but the last had a choice, among five tasks."""
    runs = one_core([0, 1, 2, 3, 4])
    assert len(list(policy._task_choices(runs))) == 4
    for most, looks in ((4, 1), (5, 2), (9, 2), (10, 3)):
        monkeypatch.setattr(policy, "_CHOICES", most)
        assert len(list(policy._task_choices(runs))) == looks
