"""Runs that another runtime recorded: most are explained, and every other one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import lanescope
from lanescope.replay.what_if import FAR_OFF

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "chip-swimlane"
RUNS = (
    "a2a3sim-hbg-paged_attention/L4_dep",
    "a2a3sim-tmr-dummy_task/L4_dep",
    "a2a3sim-tmr-mixed_example/L4_dep",
    "a2a3sim-tmr-pa_big/B8_L4_dep",
    "a2a3sim-tmr-pa_big/B8_all",
    "a2a3sim-tmr-predicated_dispatch/L4_dep",
    "a2a3sim-tmr-spmd_multiblock_mix/L4_dep",
    "a2a3sim-tmr-vector_example/L4_dep",
    "a5sim-tmr-vector_example/L4_dep",
)


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the recorded runs are not here")
def test_four_fifths_of_the_recorded_runs_are_explained_and_the_others_refused() -> None:
    files = [path for run in RUNS for path in (FOLDER / run).rglob("chip_swimlane_records.json")]
    answers = [lanescope.what_if(path, rank=True) for path in sorted(files)]
    far_off = [one for one in answers if abs(one.honesty) > FAR_OFF]
    assert len(answers) >= len(RUNS) and len(far_off) <= len(answers) / 5
    assert [one.refused is None for one in far_off] == [False] * len(far_off)
    assert all(one.unexplained and not one.ranking for one in far_off)
    assert all(one.ranking for one in answers if one.refused is None)
