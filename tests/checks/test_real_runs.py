"""Runs that were captured: nothing is lost in any that has records."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.checks.check import check

SHARED = Path(__file__).parents[2] / "../shared/data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")


def test_nothing_is_lost_in_captured_runs_that_have_records() -> None:
    checked = check(SHARED / "chip-swimlane")
    assert len(checked.runs) == 54
    assert checked.findings == ()
    found = {(one.producer, one.kind) for one in checked.all_findings if one.is_bad}
    assert found == {("pmu", "unknown")}  # Counters alone: nothing says how many there should be.
    assert all(run.is_whole for run in checked.runs if run.level is not None)


def test_of_the_hand_made_examples_one_is_not_whole() -> None:
    found = {
        folder.name
        for folder in (SHARED / "simpler-today").iterdir()
        if folder.is_dir() and not check(folder).nothing_lost
    }
    assert found == {"g11_collected"}
