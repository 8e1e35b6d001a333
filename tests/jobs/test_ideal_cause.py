"""Who is blamed for a slowdown: the fewest ranks that explain it, a role, or nobody."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.jobs.hand_made import Made, job_of

from lanescope.jobs.ideal import RankSlowdown, _cause, _fewest, _notes, _ranks, _worst
from lanescope.jobs.replays import Explained, mean, ratio


def explained(removed: float | None, ranks: tuple[int, ...] = (3,)) -> Explained:
    return Explained(ranks, 0.0, 0.0, removed, None)


@pytest.mark.parametrize(
    ("slowdown", "worst", "role", "cause"),
    [
        (1.029, 1.0, 1.0, ("none", ())),
        (1.03, 0.5, 1.0, ("ranks", (3,))),
        (1.03, 0.49, 0.5, ("role", (8, 9))),
        (1.03, 0.49, 0.49, ("spread", ())),
        (1.03, None, None, ("spread", ())),
    ],
)
def test_half_of_a_slowdown_of_three_percent_is_a_cause(
    slowdown: float, worst: float | None, role: float | None, cause: tuple[str, tuple[int, ...]]
) -> None:
    assert _cause(slowdown, explained(worst), explained(role, (8, 9))) == cause
    assert _cause(2.0, None, None) == ("spread", ())


def replays(*shares: float) -> Any:
    """Rank 10 + k explains so much, and ranks together the sum of theirs."""

    def found(places: list[int]) -> Explained:
        ranks = tuple(10 + place for place in places)
        return explained(sum(shares[place] for place in places), ranks)

    return SimpleNamespace(ranks=tuple(10 + k for k in range(len(shares))), explained=found)


@pytest.mark.parametrize(
    ("shares", "blamed"),
    [
        ((0.9, 0.05, 0.05), (10,)),
        ((0.89, 0.06, 0.05), (10, 11)),
        ((0.3, 0.3, 0.2, 0.1, 0.1), (10, 11, 12, 13)),
        ((0.2, 0.2, 0.2, 0.2, 0.2), (10, 11, 12, 13, 14)),
        ((0.0, 0.0), (10,)),
    ],
)
def test_the_first_that_explain_nine_tenths_are_blamed(
    shares: tuple[float, ...], blamed: tuple[int, ...]
) -> None:
    """One, two, four, … of them are tried."""
    worst = tuple(10 + k for k in range(len(shares)))
    assert _fewest(replays(*shares), worst) == blamed


@pytest.mark.parametrize(("count", "many"), [(2, 1), (33, 1), (34, 2), (100, 3), (101, 4)])
def test_three_percent_of_the_ranks_rounded_up_are_the_worst(count: int, many: int) -> None:
    ranks = tuple(RankSlowdown(10 + k, "", 0, 0, 1.0) for k in range(count))
    found = _worst(replays(*[0.01] * count), ranks)
    assert found is not None and found.ranks == tuple(range(10, 10 + many))
    assert _worst(replays(1.0), ranks[:1]) is None


def test_a_rank_has_the_smaller_slowdown_of_its_role_and_its_pipeline() -> None:
    job = job_of(*(Made([], [(0, 5)]) for _ in range(3)), numbers=[4, 5, 6])
    role, pipeline = np.array([0, 1, 1]), np.array([0, 0, 1])
    found = _ranks(job, (role, {0: 1.1, 1: 1.5}), (pipeline, {0: 1.2}))
    assert [(one.rank, one.role, one.pipeline, one.slowdown) for one in found] == [
        (5, 1, 0, 1.2),
        (4, 0, 0, 1.1),
        (6, 1, 1, None),
    ]


def test_what_the_replay_leaves_out_is_told() -> None:
    def notes(contradicted: int, parts: int) -> list[str]:
        graph = SimpleNamespace(contradicted=contradicted)
        return _notes(SimpleNamespace(graph=graph), parts)  # type: ignore[arg-type]

    assert notes(0, 32) == []
    assert notes(1_000, 0) == ["1,000 dependencies were left out: the recording contradicts them."]
    assert notes(0, 33) == ["Of 33 roles or pipelines the 32 that lost most time were replayed."]


def test_means_and_ratios_of_nothing() -> None:
    assert (mean(np.array([])), mean(np.array([1, 2]))) == (0.0, 1.5)
    assert (ratio(3.0, 2.0), ratio(3.0, 0.0)) == (1.5, 1.0)
