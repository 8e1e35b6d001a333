"""Clocks of ranks on several axes: what joins them, and how wrong that may be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.bounds import JoinedIslands
from lanescope.jobs.ends import RankFit
from lanescope.jobs.placing import (
    ENDS,
    EPOCH,
    HOST_CLOCK,
    MESSAGES,
    NOTHING,
    ONE_TRACE,
    Placing,
    _joined,
    axes_note,
    by_ends,
    by_epoch,
    by_host_clock,
    by_one_trace,
    unplaced,
)
from lanescope.trace.meta import HostClock


def placing(axis: list[int], basis: list[str] | None = None) -> Placing:
    count = len(axis)
    nothing = np.zeros(count)
    return Placing(
        basis=basis or [NOTHING] * count,
        offset=nothing.copy(),
        drift=nothing.copy(),
        island=np.array(axis),
        inner=nothing.copy(),
        axis=np.array(axis),
        outer=nothing.copy(),
    )


def job(*facts: dict[str, Any]) -> Any:
    usual = {"host_clock": None, "host": "", "epoch_ns": None, "epoch_error_ns": None}
    ranks = [
        SimpleNamespace(facts=SimpleNamespace(**{**usual, **one}), part=one.get("part"))
        for one in facts
    ]
    return cast(Any, SimpleNamespace(ranks=ranks))


def utc(error_ns: int | None) -> dict[str, Any]:
    return {"epoch_ns": 7, "epoch_error_ns": error_ns}


def test_utc_joins_the_axes_whose_error_is_known_and_leaves_the_others() -> None:
    """Axis 2 has no known error; of axis 3 the rank that is known better counts."""
    place = placing([1, 2, 3, 3, 4], [NOTHING, NOTHING, HOST_CLOCK, NOTHING, NOTHING])
    by_epoch(place, job(utc(50), utc(None), utc(30), utc(20), utc(10)))
    assert place.axis.tolist() == [1, 2, 1, 1, 1]
    assert place.outer.tolist() == [50.0, 0.0, 20.0, 20.0, 10.0]
    assert place.basis == [EPOCH, NOTHING, HOST_CLOCK, EPOCH, EPOCH]
    assert place.error.tolist() == [50.0, 0.0, 20.0, 20.0, 10.0]


def test_an_epoch_without_its_error_or_an_error_without_epoch_joins_nothing() -> None:
    for other in (utc(None), {"epoch_ns": None, "epoch_error_ns": 5}, {}):
        place = placing([1, 2])
        by_epoch(place, job(utc(50), other))
        assert (place.axis.tolist(), place.outer.tolist()) == ([1, 2], [0.0, 0.0])
        assert place.basis == [NOTHING, NOTHING]


def test_ranks_of_one_machine_are_joined_by_its_clock() -> None:
    """Zeros lie at 100 and 900 on the host's clock, which read 5000 and 5700 there: so the second
    axis, of two ranks, moves by 100. A rank of another machine and one of no known clock stay."""
    known = HostClock(5_000, 0, 3, "calibrated")
    other = HostClock(5_700, 0, 8, "contained", slack_ns=30)
    ordered = HostClock(9_000, 0, 1, "ordered")
    place = placing([0, 1, 1, 2, 3])
    ranks = job(
        {"host": "a", "host_clock": known},
        {"host": "a", "host_clock": other},
        {},
        {"host": "b", "host_clock": known},
        {"host": "a", "host_clock": ordered},
    )
    by_host_clock(place, ranks, np.array([100.0, 900.0, 0.0, 0.0, 0.0]))
    assert place.axis.tolist() == [0, 0, 0, 2, 3]
    assert place.offset.tolist() == [0.0, 100.0, 100.0, 0.0, 0.0]
    assert place.outer.tolist() == [3.0, 38.0, 38.0, 3.0, 0.0]
    assert place.basis == [HOST_CLOCK, HOST_CLOCK, NOTHING, HOST_CLOCK, NOTHING]


def test_a_rank_that_collectives_place_keeps_its_basis_and_its_larger_error() -> None:
    """The first rank of a machine is the measure, and has the error of its own clock, 8 + 30 ns."""
    first = HostClock(5_000, 0, 8, "contained", slack_ns=30)
    second = HostClock(5_000, 0, 2, "contained", slack_ns=3)
    place = placing([0, 1, 2], [NOTHING, ENDS, ENDS])
    place.outer[:] = [0.0, 70.0, 4.0]
    place.drift[:] = [0.0, 0.5, 0.5]
    place.offset[:] = [10.0, 0.0, 40.0]
    hosts = ({"host": "a", "host_clock": one} for one in (first, second, second))
    by_host_clock(place, job(*hosts), np.array([100.0, 100.0, 130.0]))
    assert place.basis == [HOST_CLOCK, ENDS, ENDS]
    assert place.outer.tolist() == [38.0, 70.0, 5.0]
    assert place.axis.tolist() == [0, 0, 0]
    assert place.offset.tolist() == [10.0, 20.0, 40.0]


@pytest.mark.parametrize("part", [None, "0001"])
def test_a_part_of_a_recording_has_no_clock_of_the_host(part: str | None) -> None:
    clock = HostClock(5_000, 0, 3, "calibrated")
    place = placing([0, 1])
    facts = {"host": "a", "host_clock": clock, "part": part}
    by_host_clock(place, job(facts, facts), np.zeros(2))
    assert place.axis.tolist() == ([0, 0] if part is None else [0, 1])


def test_every_rank_is_by_itself_at_first() -> None:
    nothing = np.zeros(2)
    fit = RankFit(np.array([5.0, -5.0]), np.array([0.1, 0.2]), 7.0, nothing, nothing, nothing)
    place = unplaced(fit)
    assert (place.basis, place.axis.tolist()) == ([NOTHING, NOTHING], [0, 1])
    assert (place.island.tolist(), place.error.tolist()) == ([0, 1], [0.0, 0.0])
    assert (place.offset.tolist(), place.drift.tolist()) == ([5.0, -5.0], [0.1, 0.2])


def test_ranks_of_one_trace_are_on_its_axis_as_well_as_its_clocks_are_known() -> None:
    clock = HostClock(5_000, 0, 8, "contained", slack_ns=30)
    place = placing([0, 1, 2])
    place.offset[:], place.drift[:], place.inner[:] = 9.0, 0.5, 4.0
    by_one_trace(place, job({"host_clock": clock}, {}, {}))
    assert place.basis == [ONE_TRACE] * 3
    assert (place.axis.tolist(), place.island.tolist()) == ([0] * 3, [0] * 3)
    assert (place.offset.tolist(), place.drift.tolist()) == ([0.0] * 3, [0.0] * 3)
    assert place.inner.tolist() == [38.0, 0.0, 0.0]


def test_who_meets_in_collectives_is_an_island_as_wrong_as_its_ends_are() -> None:
    """Ends of rank 0 lie 1, 1 and 9 from the middle, those of rank 2 at 4, and rank 1 meets nobody.

    The statistical errors are 10, 20 and 30.
    """
    rows = [Row(k, 10 * k, 10 * k + 5) for k in range(3)]
    arrivals = job_of(Made(rows), Made(), Made(rows)).arrivals
    fit = RankFit(
        offset=np.zeros(3),
        drift=np.zeros(3),
        middle=0.0,
        error=np.array([10.0, 20.0, 30.0]),
        residual=np.array([1.0, 4.0, -1.0, -4.0, 9.0, 4.0]),
        moment=np.array([5.0, 15.0, 25.0]),
    )
    place = unplaced(fit)
    by_ends(place, arrivals, np.arange(6), fit)
    assert place.basis == [ENDS, NOTHING, ENDS]
    assert (place.island.tolist(), place.axis.tolist()) == ([0, 1, 0], [0, 1, 0])
    assert place.inner.tolist() == [11.0, 0.0, 34.0]


def joined(drift: float) -> Placing:
    """Ranks 0 and 1 are one island, rank 2 is ahead of it by 100 with an error of 7."""
    place = placing([0, 0, 2, 3], [ENDS, ENDS, NOTHING, NOTHING])
    islands = JoinedIslands(
        known=np.array([True, True, False]),
        offset=np.array([0.0, 100.0, 0.0]),
        drift=np.array([0.0, drift, 0.0]),
        error=np.array([0.0, 7.0, np.inf]),
    )
    _joined(place, islands, np.array([0, 1]), np.array([0, 0, 1, 2]), 1_000.0)
    return place


def test_islands_are_moved_onto_the_mean_of_their_ranks() -> None:
    """The first island is the measure, and no better known than the others beside the mean."""
    place = joined(0.0)
    assert place.offset.tolist() == pytest.approx([-100 / 3, -100 / 3, 200 / 3, 0.0])
    assert place.drift.tolist() == [0.0] * 4
    assert (place.axis.tolist(), place.outer.tolist()) == ([0, 0, 0, 3], [7.0, 7.0, 7.0, 0.0])
    assert place.basis == [ENDS, ENDS, MESSAGES, NOTHING]


def test_islands_that_drift_agree_after_they_were_joined() -> None:
    """Rank 2 reads t + 100 + 1e-5 t where ranks 0 and 1 read t; to 1 ns in a second."""
    place = joined(1e-5)
    moments = np.array([0.0, 1_000.0, 1e9])
    common = []
    for rank, times in ((0, moments), (2, moments + 100 + 1e-5 * moments)):
        plain = times - place.offset[rank]
        common.append(plain - place.drift[rank] * (plain - 1_000.0))
    np.testing.assert_allclose(common[0], common[1], rtol=0, atol=1)
    assert place.drift.tolist() == pytest.approx([-1e-5 / 3, -1e-5 / 3, 2e-5 / 3, 0.0], rel=1e-3)


def test_messages_join_what_they_reach_and_leave_the_rest_apart() -> None:
    """Of three pairs that send to each other both ways, none sends to another pair."""
    made = []
    for first in (0, 2, 4):
        for own in (first, first + 1):
            rows = []
            for k in range(20):
                source = first + k % 2
                rows.append(
                    Row(
                        k,
                        1_000 * k,
                        1_000 * k + 100,
                        f"{first}",
                        kind="send" if source == own else "recv",
                        source=source,
                        target=2 * first + 1 - source,
                    )
                )
            made.append(Made(rows))
    clock = job_of(*made).clock
    assert clock.axes.tolist() == [0, 0, 2, 2, 4, 4]
    assert {one.basis for one in clock.ranks} == {MESSAGES}


@pytest.mark.parametrize(("axes", "utc", "told"), [
    ([0, 0], True, ""),
    ([0, 1], False, "there are 2 axes, and ranks of two axes are not compared."),
    ([0, 1], True, "not compared. UTC of their machines, whose error nobody states, places them "
                   "in pictures."),
])  # fmt: skip
def test_several_axes_are_told(axes: list[int], utc: bool, told: str) -> None:
    facts = job({"epoch_ns": 7}, {"epoch_ns": 8 if utc else None})
    note = axes_note(placing(axes), facts)
    assert note.endswith(told) and bool(note) == bool(told)


def test_islands_that_the_host_joins_are_wrong_by_its_clock_on_both_sides() -> None:
    """Collectives place all ranks; the clocks of ranks 0 and 2 are known to 9 and to 2 ns."""
    known, other = HostClock(5_000, 0, 9, "calibrated"), HostClock(5_000, 0, 2, "calibrated")
    place = placing([0, 0, 2], [ENDS] * 3)
    hosts = ({"host": "a", "host_clock": known}, {}, {"host": "a", "host_clock": other})
    by_host_clock(place, job(*hosts), np.zeros(3))
    assert place.axis.tolist() == [0, 0, 0]
    assert place.outer.tolist() == [9.0, 9.0, 2.0]
