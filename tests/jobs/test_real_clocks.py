"""Clocks of real jobs, aligned by the ends of their collectives, beside other people's answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.formats import import_paths
from lanescope.jobs.job import Job, open_job
from lanescope.trace import save

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "traces"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real traces are not here")


def stored(source: Path, folder: Path) -> Job:
    for place, trace in enumerate(import_paths([source])):
        save(trace, folder / f"{place}.lanes")
    return open_job(folder)


@pytest.fixture(scope="module")
def jax(tmp_path_factory: pytest.TempPathFactory) -> Job:
    return stored(DATA / "nsys-jax-4proc", tmp_path_factory.mktemp("jax"))


def expected(name: str) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads((DATA / "expected" / f"{name}.json").read_text())
    return answers


def test_clocks_half_a_second_apart_end_together_within_5_us(jax: Job) -> None:
    clock = jax.clock
    assert clock.raw_spread_p50_ns is not None and clock.raw_spread_p50_ns > 100e6
    assert clock.end_spread_p50_ns is not None and clock.end_spread_p50_ns < 5_000
    assert {one.basis for one in clock.ranks} == {"ends of collectives"}
