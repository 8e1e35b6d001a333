"""Clocks of ranks on several axes: what joins them, and how wrong that may be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from lanescope.jobs.placing import EPOCH, HOST_CLOCK, NOTHING, Placing, by_epoch, by_host_clock
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


@pytest.mark.parametrize("part", [None, "0001"])
def test_a_part_of_a_recording_has_no_clock_of_the_host(part: str | None) -> None:
    clock = HostClock(5_000, 0, 3, "calibrated")
    place = placing([0, 1])
    facts = {"host": "a", "host_clock": clock, "part": part}
    by_host_clock(place, job(facts, facts), np.zeros(2))
    assert place.axis.tolist() == ([0, 0] if part is None else [0, 1])
