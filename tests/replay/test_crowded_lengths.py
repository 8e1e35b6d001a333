"""How lengths follow the company of runs, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.replay.runs import hand_replica

from lanescope.replay import crowding as module
from lanescope.replay.crowding import Crowding, _company, _longer, crowding_of, replay_crowded
from lanescope.replay.replica import replay


def test_company_is_the_mean_number_of_runs_that_go_on() -> None:
    """The second goes on for half of the first; the third has no length."""
    start, end = np.array([0, 50, 20]), np.array([100, 100, 20])
    assert _company(start, end).tolist() == [1.5, 2.0, 0.0]


def crowding(company: list[float], **lines: tuple[float, float]) -> Crowding:
    by_number = {int(name.removeprefix("f")): line for name, line in lines.items()}
    func = np.array([0, 0, 1, 1])
    return Crowding(lines=by_number, names=("A",), func=func, company=np.array(company))


def test_a_crowded_function_takes_as_long_as_its_line_says() -> None:
    """In company of 1 it takes 150 ns, of 2 200, of 3 250; below 1 ns nothing is divided."""
    lines = crowding([1.0, 3.0, 1.0, 3.0], f0=(100.0, 50.0))
    assert _longer(lines, np.array([2.0, 2.0, 2.0, 2.0])).tolist() == [200 / 150, 0.8, 1.0, 1.0]
    tiny = crowding([1.0, 1.0, 1.0, 1.0], f1=(-5.0, 2.0))
    assert _longer(tiny, np.array([1.0, 1.0, 1.0, 4.0])).tolist() == [1.0, 1.0, 1.0, 3.0]


def test_lengths_and_company_are_brought_nearer_four_times_by_half() -> None:
    """A takes twice as long in company of 2. The two runs of 200 and 100 ns overlap, so they
    would take 300 and 200: 250 and 150 after the first round, then 285 and 175, 304 and 187."""
    made = hand_replica()
    alone = crowding([1.0, 1.0, 1.0, 1.0], f0=(0.0, 1_000.0))
    found = replay_crowded(made, alone).units
    assert (found["end"] - found["start"]).tolist() == [313_667, 193_750, 100_000, 200_000]
    assert made.units.lengths_ps.tolist() == [200_000, 100_000, 100_000, 200_000]


def test_without_crowding_a_run_is_replayed_once() -> None:
    made = hand_replica()
    assert replay_crowded(made, None).units.tolist() == replay(made).units.tolist()
    assert replay_crowded(made, crowding([0.0] * 4)).units.tolist() == replay(made).units.tolist()


def test_a_line_is_fitted_to_each_crowded_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ran for 200 ns in company of 1.5 and for 100 in company of 2: less with more of it, which
    counts as no more."""
    made = hand_replica()

    class Suspect:
        func, name = 0, "A"

    class Suspects:
        crowded: tuple[Any, ...] = (Suspect,)

    monkeypatch.setattr(module, "suspects", lambda trace, window: Suspects)
    found = crowding_of(made)
    assert found is not None
    assert (found.names, found.func.tolist()) == (("A",), [0, 0, 1, 1])
    assert found.lines == {0: (pytest.approx(500), 0.0)}
    assert found.company.tolist() == [1.5, 2.0, 1.0, 1.0]
