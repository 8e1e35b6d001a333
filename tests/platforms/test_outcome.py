"""The figures of a run, and of several rounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.platforms.cuda.program import Check
from lanescope.platforms.outcome import Makespans, RunOutcome


@pytest.mark.parametrize(
    ("makespans", "kept"),
    [
        ((5,), 0),
        ((9, 3), 1),
        ((3, 9), 0),
        ((30, 10, 20), 2),
        ((4, 4, 4), 1),
        ((4, 4, 4, 4), 1),
        ((1, 2, 3, 4, 0), 1),
    ],
)
def test_the_kept_round_is_the_median_and_of_equal_ones_the_earlier(
    makespans: tuple[int, ...], kept: int
) -> None:
    found = Makespans(7, makespans)
    assert (found.kept, found.median_ns) == (kept, makespans[kept])


FIGURES = {
    "makespan_ns": 5,
    "orchestrator_ns": None,
    "scheduler_ns": None,
    "tasks_done": 3,
    "tasks_per_core": [1, 2],
    "region_bytes": 64,
    "spool_bytes": 32,
    "interrupted": False,
    "tensors": None,
    "check": None,
}


def outcome() -> RunOutcome:
    return RunOutcome(
        trace=None,
        makespan_ns=5,
        tasks_per_core=(1, 2),
        tasks_done=3,
        region_bytes=64,
        spool_bytes=32,
    )


def test_an_outcome_has_no_budget_and_no_rounds_unless_asked_for() -> None:
    assert outcome().to_dict() == FIGURES
    assert outcome().capture is None


def test_an_outcome_has_what_its_platform_gives() -> None:
    found = RunOutcome(
        trace=None,
        makespan_ns=5,
        tasks_per_core=(1, 2),
        tasks_done=3,
        region_bytes=64,
        spool_bytes=32,
        interrupted=True,
        orchestrator_ns=0,
        scheduler_ns=4,
        check=Check(9, 0.5),
        capture=Path("somewhere"),
        rounds=Makespans(1, (6, 5)),
    )
    assert found.to_dict() == FIGURES | {
        "interrupted": True,
        "orchestrator_ns": 0,
        "scheduler_ns": 4,
        "check": {"compared": 9, "largest": 0.5, "problem": ""},
        "rounds": Makespans(1, (6, 5)).to_dict(),
    }
