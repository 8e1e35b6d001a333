"""Which replica explains a run, and one that constant costs cannot explain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.replay.runs import recorded, replica

from lanescope.replay.changes import scale_function
from lanescope.replay.nearest import nearest_replica
from lanescope.replay.preemption import off_processor, without_preemption
from lanescope.replay.replica import Replica, distance, replay, replica_of
from lanescope.replay.unexplained import UnexplainedWait, unexplained_waits
from lanescope.replay.unseen import unseen_distances
from lanescope.trace import Trace

HOPS = 60
LATE = {7: 900_000, 20: 2_000_000, 41: 4_000_000}
"""Hop to how many ns its core's thread was off the processor before it picked its task up."""


AT_ONCE = 30
"""This hop is picked up when it is dispatched."""


def uneven() -> Trace:
    """A chain on one core, level 2: 10 µs to pick up, 5 µs of work, 1 µs until it is seen, 0.5 µs
    until the next is dispatched; three pick-ups take milliseconds."""
    rows, at = [], 0
    for hop in range(HOPS):
        start = at + (0 if hop == AT_ONCE else 10_000) + LATE.get(hop, 0)
        rows.append(task(0, at, start, start, start + 5_000, start + 6_000, task=hop, func=0))
        at = start + 6_500
    return make_trace(
        {"level": 2},
        tasks=rows,
        edges=[{"pred": hop, "succ": hop + 1} for hop in range(HOPS - 1)],
        cores=[{"core": 0, "name": "aiv 0", "kind": "aiv", "cluster": 0, "controller": 0}],
        functions=[{"func": 0, "name": "LINK"}],
    )


@pytest.fixture(scope="module")
def chain() -> Replica:
    return nearest_replica(uneven())


def test_constant_costs_stay_where_they_explain_the_run() -> None:
    assert nearest_replica(recorded("fan")).own is None


def test_a_run_whose_pick_ups_differ_keeps_its_own(chain: Replica) -> None:
    assert distance(replica_of(uneven())) < -0.5, "a constant pick-up is a mean without outliers"
    assert chain.own is not None
    assert abs(distance(chain)) < 0.001
    assert chain.units.own_ps["pick_up"][[6, 7, AT_ONCE]].tolist() == [10_000_000, 910_000_000, 0]


def test_work_that_becomes_shorter_saves_just_that(chain: Replica) -> None:
    """A half of 5 µs in each hop; waits stay with their tasks."""
    saved_ps = replay(chain).makespan_ps - replay(scale_function(chain, 0, 0.5)).makespan_ps
    assert saved_ps == pytest.approx(HOPS * 2_500_000, rel=0.01)


def test_what_threads_were_off_the_processor_is_a_part_of_the_makespan(chain: Replica) -> None:
    whole = chain.window.length_ns
    assert off_processor(chain) == pytest.approx(sum(LATE.values()) / whole, rel=0.01)
    shorter = without_preemption(chain)
    assert shorter.units.own_ps["pick_up"].max() == 10_000_000
    assert off_processor(replica("fan")) is None


def test_a_half_that_was_not_seen_is_replayed_with_the_other_ones_values(chain: Replica) -> None:
    """The first half has 2.9 ms off the processor and the second 4: 30 hops of 21.5 µs each beside
    them. The last hop ends with its finish."""
    first, second = unseen_distances(chain)
    assert first == pytest.approx((4_000 - 2_900) / (2_900 + 645), abs=0.02)
    assert second == pytest.approx((2_900 - 4_000) / (4_000 + 645), abs=0.02)


def test_constant_costs_that_one_half_tells_hold_for_the_other() -> None:
    assert np.abs(unseen_distances(replica("fan"))).max() < 0.01


def test_a_short_run_has_no_halves() -> None:
    trace = uneven().select(until=400_000)
    assert unseen_distances(replica_of(trace)) == ()


def test_waits_that_differ_most_come_first(chain: Replica) -> None:
    waits = chain.units.own_ps["wait"].copy()
    waits[[0, 9]] = 70_000_000, 90_000_000
    units = replace(chain.units, own_ps={**chain.units.own_ps, "wait": waits})
    found = unexplained_waits(replace(chain, units=units))
    assert [(one.task, one.function) for one in found[:2]] == [(9, "LINK"), (0, "LINK")]
    assert found[0].replayed_ns - found[0].recorded_ns == pytest.approx(90_000, rel=0.01)
    assert isinstance(found[0], UnexplainedWait)
