"""Costs from chains of stamps: better than a tick, and untouched where the chains do not hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
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


STAMPED = {
    "complete": [(10, {}), (12, {"poll_core": 3, "complete_base": 1, "complete": 1}),
                 (15, {"task_record": 1, "complete": 1}), (20, {"task_record": 1})],
    "dummy": [(10, {}), (20, {"pop": 2, "scheduler_phase": 2})],
    "async_poll": [(10, {}), (20, {"poll_engine": 4})],
    "release": [(10, {}), (20, {"release": 2})],
    "drain": [(10, {}), (20, {"pop": 1, "dispatch": 2, "publish": 2, "scheduler_phase": 2})],
    "early_dispatch": [(10, {}), (20, {"pop": 2, "dispatch": 2})],
    "dispatch": [(10, {}), (14, {"pop": 2, "dispatch": 1}), (17, {"pop": 1, "dispatch": 1}),
                 (20, {"pop": 2})],
}  # fmt: skip
"""Per kind of phase: its stamps, each with what was done since the one before."""


@pytest.mark.parametrize("kind", STAMPED)
def test_what_a_scheduler_did_in_a_phase(kind: str) -> None:
    """From 10 to 20 ns: two tasks, five looks into queues of 1 ns, three cores that hold a task."""
    one = chains._Phase(kind, 10, 20, tasks=2, looks=5, holding=3, awaited=4)
    nobody = chains._Told(*(np.zeros(0, np.int64) for _ in range(3)))
    moments = chains._Moments(
        np.array([10, 14, 17, 21]),
        np.array([9, 12, 15, 20]),
        nobody,
        Costs(pop=1_000, dispatch=2_000),
    )
    found = [(stamp.time_ns, stamp.done) for stamp in chains._inside(one, moments)]
    assert found == STAMPED[kind][1:]


def test_successors_are_told_at_the_end_of_a_phase() -> None:
    one = chains._Phase("async_poll", 10, 20, tasks=0, looks=0, holding=0, awaited=4)
    told = chains._Told(np.array([3, 15]), np.array([5, 20]), np.array([9, 6]))
    moments = chains._Moments(np.zeros(0), np.zeros(0), told, Costs())
    found = [(stamp.time_ns, stamp.done) for stamp in chains._inside(one, moments)]
    assert found == [
        (15, {"poll_engine": 4}),
        (20, {"resolve_edge": 6}),
        (20, {"scheduler_phase": 1}),
    ]


def test_rounds_between_two_phases_poll_the_cores_that_hold_a_task() -> None:
    """Core 0 has a task from 5 ns on; the second phase is three rounds after the first."""
    trace = make_trace(
        {"clock_hz": 10**9, "level": 2},
        cores=[{"core": 0, "kind": "aic"}],
        tasks=[{"core": 0, "kind": "run", "task": 1, "controller": 0, "dispatch_ns": 5,
                "receive_ns": 6, "start_ns": 7, "end_ns": 90, "finish_ns": 95}],
        phases=[phase("release", 10, 20, tasks=1, loop=4),
                phase("release", 50, 60, tasks=-1, loop=7)],
    )  # fmt: skip
    own = scheduler_phases(trace)
    stamps = list(chains._stamps(trace, own, served_runs(trace), costs=GUESS))
    assert [stamp.time_ns for stamp in stamps] == [10, 20, 50, 60]
    assert stamps[0].done == {}
    assert stamps[1].done == {"release": 1}
    assert stamps[2].done == {"scheduler_phase": 1, "loop": 3, "poll_core": 3}
    assert stamps[3].done == {}


def test_a_phase_in_which_no_task_ends_records_none() -> None:
    one = chains._Phase("complete", 10, 20, tasks=0, looks=0, holding=3, awaited=0)
    nobody = chains._Told(*(np.zeros(0, np.int64) for _ in range(3)))
    moments = chains._Moments(np.zeros(0), np.array([9, 20]), nobody, Costs())
    assert [(stamp.time_ns, stamp.done) for stamp in chains._inside(one, moments)] == [(20, {})]


def test_a_dispatch_has_no_fewer_looks_than_none_and_no_more_than_are_left() -> None:
    """A look takes 1 ns and a dispatch 5: the first comes too soon for it, the second has time for
    ten looks, of which there were four, and behind the last there is none left."""
    one = chains._Phase("dispatch", 10, 40, tasks=0, looks=4, holding=0, awaited=0)
    nobody = chains._Told(*(np.zeros(0, np.int64) for _ in range(3)))
    moments = chains._Moments(
        np.array([12, 27, 32]), np.zeros(0), nobody, Costs(pop=1_000, dispatch=5_000)
    )
    found = [(stamp.time_ns, stamp.done) for stamp in chains._inside(one, moments)]
    assert found == [
        (12, {"dispatch": 1}),
        (27, {"pop": 4, "dispatch": 1}),
        (32, {"dispatch": 1}),
        (40, {}),
    ]


def test_a_task_that_no_engine_has_is_not_polled() -> None:
    """As before, but the task ended before the first phase."""
    trace = make_trace(
        {"clock_hz": 10**9, "level": 2},
        cores=[{"core": 0, "kind": "aic"}],
        tasks=[{"core": 0, "kind": "run", "task": 1, "controller": 0, "dispatch_ns": 5,
                "receive_ns": 6, "start_ns": 7, "end_ns": 8, "finish_ns": 9}],
        phases=[phase("release", 10, 20, tasks=1, loop=4),
                phase("release", 50, 60, tasks=-1, loop=7)],
    )  # fmt: skip
    stamps = chains._stamps(trace, scheduler_phases(trace), served_runs(trace), costs=GUESS)
    assert [stamp.done for stamp in stamps] == [
        *({}, {"release": 1}),
        *({"scheduler_phase": 1, "loop": 3}, {}),
    ]
