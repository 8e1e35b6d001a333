"""Costs from chains of stamps: better than a tick, and untouched where the chains do not hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.analyze.hand import Row, make_trace, phase

from lanescope.native.replay import Costs
from lanescope.replay.calibration import chains
from lanescope.replay.calibration.chains import chained
from lanescope.replay.readings.phases import scheduler_phases
from lanescope.replay.readings.served import served_runs

TICK = 20
TRUTH = Costs(scheduler_phase=87_900, release=12_300, publish=5_000)
GUESS = Costs(scheduler_phase=88_400, release=12_200, publish=5_000)


def releases(count: int, *, pause_ns: float = 0.0) -> list[Row]:
    """Releases of 3 to 9 tasks in one round, as a counter of 50 MHz sees them; after every fifth
    one the scheduler does something that is not recorded."""
    now, rows = 1000.0, []
    for number in range(count):
        tasks = 3 + number * 5 % 7
        start, now = now, now + tasks * TRUTH.release / 1000
        rows.append(phase("release", tick(start), tick(now), tasks=tasks, loop=4))
        now += TRUTH.scheduler_phase / 1000 + (pause_ns if number % 5 == 4 else 0.0)
    return rows


def tick(ns: float) -> int:
    return int(ns // TICK) * TICK


def fitted(phases: list[Row], costs: Costs = GUESS) -> Costs:
    trace = make_trace({"clock_hz": 50_000_000}, phases=phases)
    return chained(trace, scheduler_phases(trace), served_runs(trace), costs=costs)


def test_a_long_chain_tells_costs_far_better_than_to_a_tick() -> None:
    answer = fitted(releases(400))
    assert answer.scheduler_phase == pytest.approx(TRUTH.scheduler_phase, abs=60)
    assert answer.release == pytest.approx(TRUTH.release, abs=20)
    # Nothing in the chain tells of these.
    assert replace(answer, scheduler_phase=0, release=0) == Costs(publish=5_000)


def test_every_scheduler_has_a_chain_of_its_own() -> None:
    other = [{**row, "controller": 1, "start_ns": row["start_ns"] + 7 * TICK,
              "end_ns": row["end_ns"] + 7 * TICK} for row in releases(200)]  # fmt: skip
    answer = fitted([*releases(200), *other])
    assert answer.scheduler_phase == pytest.approx(TRUTH.scheduler_phase, abs=250)


def test_where_chains_break_too_often_the_costs_stay() -> None:
    """Chains of ten stamps are long enough, chains of fewer are not."""
    assert fitted(releases(400, pause_ns=5000.0)) != GUESS
    broken = [row for number, row in enumerate(releases(400)) if number % 3]
    assert fitted(broken) is GUESS


def test_costs_that_are_far_off_break_every_chain() -> None:
    wrong = replace(GUESS, scheduler_phase=300_000)
    assert fitted(releases(400), wrong) is wrong


def test_of_very_many_phases_the_means_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "MOST_PHASES", 399)
    assert fitted(releases(400)) is GUESS
    assert fitted([]) is GUESS
