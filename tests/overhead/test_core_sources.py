"""Engines against the driver's channels: the same rounds, coverage, records, stop time."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.overhead import compare_sources, read_sources, render_sources
from lanescope.platforms.sim.chip import load_chip
from lanescope.workloads import build_workload

A5 = load_chip("a5")
GRAPH = build_workload("paged_attention", {"batches": "110"})


def test_every_core_against_the_few_with_channels(tmp_path: Path) -> None:
    perfmon, driver = compare_sources(
        GRAPH, A5, ("perfmon", "driver"), rounds=4, seed=1, directory=tmp_path / "a"
    )
    for own, other in zip(perfmon.rounds, driver.rounds, strict=True):
        assert (own.ran, own.made) == (other.ran, other.made)
        assert own.seen == own.ran == 108 and own.records == own.made
        assert other.seen == 18 and other.records < own.records / 5
        assert own.stop_s < 1e-3 < 54 <= other.stop_s <= 72
    assert perfmon.most_to_least < 1.05 < driver.most_to_least
    again = compare_sources(GRAPH, A5, ("driver",), rounds=4, seed=1, directory=tmp_path / "b")
    assert again == [driver]


def test_the_table_says_what_is_a_model(tmp_path: Path) -> None:
    results = compare_sources(
        GRAPH, A5, ("perfmon", "driver"), rounds=2, seed=1, directory=tmp_path / "a"
    )
    text = render_sources(results)
    assert "driver: a model of what is published about the driver's channels" in text
    assert "driver:" not in render_sources(results[:1])


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^expected a core source \(perfmon, driver\), found ''"):
        read_sources(["perfmon", ""])
    with pytest.raises(UsageError, match=r"^expected at least 2 rounds"):
        compare_sources(GRAPH, A5, ("driver",), rounds=1, seed=1, directory=tmp_path / "a")
    with pytest.raises(UsageError, match=r"^a2a3 has no trace engine"):
        compare_sources(
            GRAPH, load_chip("a2a3"), ("driver",), rounds=2, seed=1, directory=tmp_path / "a"
        )
