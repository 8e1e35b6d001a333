"""Runs that were captured: nothing is lost in any that has records."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.checks.check import check

SHARED = Path(__file__).parents[2] / "../shared/data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
CAPTURED = (
    *("a2a3sim-hbg-paged_attention", "a2a3sim-tmr-dfx_args_dump", "a2a3sim-tmr-dummy_task"),
    *("a2a3sim-tmr-mixed_example", "a2a3sim-tmr-pa_big", "a2a3sim-tmr-predicated_dispatch"),
    *("a2a3sim-tmr-spmd_multiblock_mix", "a2a3sim-tmr-vector_example", "a5sim-tmr-dfx_pmu"),
    *("a5sim-tmr-vector_example", "history"),
)
HAND_MADE = (
    *("g10_a5_hbg_aicore_level3", "g10_hbg_level2_id_spaces", "g10_tmr_level4_two_runs"),
    *("g11_collected", "g9_tmr_level3", "two_ranks"),
)
"""The folders by name: others may come."""


def test_nothing_is_lost_in_captured_runs_that_have_records() -> None:
    checked = [check(SHARED / "chip-swimlane" / name) for name in CAPTURED]
    runs = [run for one in checked for run in one.runs]
    assert len(runs) == 54
    assert [one.findings for one in checked if one.findings] == []
    bad = {(one.producer, one.kind) for many in checked for one in many.all_findings if one.is_bad}
    assert bad == {("pmu", "unknown")}  # Counters alone: nothing says how many there should be.
    assert all(run.is_whole for run in runs if run.level is not None)


def test_of_the_hand_made_examples_one_is_not_whole() -> None:
    found = {name for name in HAND_MADE if not check(SHARED / "simpler-today" / name).nothing_lost}
    assert found == {"g11_collected"}
