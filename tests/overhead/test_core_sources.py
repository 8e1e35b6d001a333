"""Engines against the driver's channels: the same rounds, coverage, records, stop time."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import LanescopeError, UsageError
from lanescope.overhead import compare_sources, core_sources, read_sources, render_sources
from lanescope.overhead.core_sources import (
    SourceResult,
    SourceRound,
    _columns,
    _time,
    _Traced,
    _traced,
)
from lanescope.platforms.recording import Recording
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


def test_cores_that_ran_and_brought_a_record_are_seen() -> None:
    """Core 0 ran nothing, core 1 brought one record, core 2 none."""
    run = _Traced(A5, tasks=(0, 2, 1), made=[4, 5, 6], taken=[3, 1, 0], stop_s=0.5)
    assert run.perfmon() == SourceRound(ran=2, seen=1, made=15, records=4, stop_s=0.5)


def test_the_driver_brings_what_its_channels_have_of_the_same_run() -> None:
    count = 108
    run = _Traced(A5, tasks=(1,) * count, made=[1_000] * count, taken=[0] * count, stop_s=0.5)
    brought = run.driver(3, 1)
    assert (brought.ran, brought.seen, brought.made) == (108, 18, 108_000)
    assert 0 < brought.records < 18_000 and brought.records % 18 == 0
    assert brought == run.driver(3, 1) != run.driver(3, 2)


def test_every_source_sees_every_round(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Told:
        def perfmon(self) -> str:
            return "engine"

        def driver(self, seed: int, number: int) -> str:
            return f"channels {seed} {number}"

    seen: list[int] = []
    monkeypatch.setattr(core_sources, "_traced", lambda graph, chip, directory: Told())
    given = {"rounds": 2, "seed": 7, "directory": tmp_path, "step": lambda: seen.append(1)}
    found = compare_sources(GRAPH, A5, ("driver", "perfmon"), **given)  # type: ignore[arg-type]
    assert [(one.source, one.rounds) for one in found] == [
        ("driver", ("channels 7 0", "channels 7 1")),
        ("perfmon", ("engine", "engine")),
    ]
    assert len(seen) == 2


def test_the_rows_of_the_table_are_means_over_the_rounds() -> None:
    def result(source: str, *rounds: SourceRound) -> SourceResult:
        return SourceResult(source, rounds)

    text = render_sources(
        [
            result("perfmon", SourceRound(4, 4, 90, 90, 1e-6), SourceRound(4, 4, 110, 108, 3e-6)),
            result("driver", SourceRound(4, 1, 90, 0, 1.0), SourceRound(4, 2, 110, 10, 1.5)),
        ]
    )
    rows = [line.split() for line in text.splitlines()]
    assert [row for row in rows if row and row[0] in ("perfmon", "driver")] == [
        ["perfmon", "4.0", "100%", "99", "99%", "1.20", "2.0", "µs"],
        ["driver", "1.5", "38%", "5", "5%", "inf", "1.2", "s"],
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.0, "1.0 s"), (72.04, "72.0 s"), (0.5, "500000.0 µs"), (2e-6, "2.0 µs"), (0, "0.0 µs")],
)
def test_times_below_a_second_are_told_in_microseconds(seconds: float, text: str) -> None:
    assert _time(seconds) == text


def test_a_word_that_comes_twice_is_one_source() -> None:
    assert read_sources(["driver", "perfmon", "driver"]) == ("driver", "perfmon")
    with pytest.raises(UsageError) as refused:
        read_sources(["driver", "fast"])
    assert str(refused.value) == "expected a core source (perfmon, driver), found 'fast'"


def test_counts_are_shown_with_their_thousands_and_a_part_of_nothing_not_at_all() -> None:
    result = SourceResult("perfmon", (SourceRound(1200, 1150, 0, 12_345, 1.0),) * 2)
    shown = {column.title: column.cells for column in _columns([result])}
    assert shown == {
        "source": ("perfmon",),
        "cores seen": ("1,150.0",),
        "of those that ran": ("96%",),
        "records": ("12,345",),
        "of those made": (None,),
        "most / least": ("1.00",),
        "stop": ("1.0 s",),
    }


def test_what_a_page_of_sources_explains() -> None:
    perfmon = SourceResult("perfmon", (SourceRound(1, 1, 1, 1, 1.0),))
    driver = SourceResult("driver", (SourceRound(1, 1, 1, 1, 1.0),))
    told = render_sources([perfmon, driver]).split("how to read this\n")[1]
    assert " ".join(told.split()) == (
        "most / least: records of the round with most over those of the round with least. Both are "
        "simulated; rounds differ because each changes every task's length a little. driver: a "
        "model of what is published about the driver's channels (which cores, one batch each, "
        "counts that vary about tenfold, 3 to 4 s to stop each); nothing here was measured on a "
        "chip."
    )


def test_engines_record_beside_the_least_that_a_chip_records(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Recording] = []

    def stop(recording: Recording) -> None:
        asked.append(recording)
        raise LanescopeError("enough")

    monkeypatch.setattr(core_sources, "features_of", stop)
    with pytest.raises(LanescopeError, match="enough"):
        _traced(GRAPH, A5, tmp_path)
    assert asked == [Recording(chip_swimlane=1, core_swimlane=True)]
