"""Bursts on one channel of a DDR3-1600, clock by clock: rows, refreshes and what is counted."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from lanescope.model.dram import load_preset
from lanescope.model.dram.controller import ChannelController, Counts

DEVICE = load_preset("ddr3-1600")
REFI, RFC = DEVICE.refi, DEVICE.rfc
MISS, HIT = 11 + 11 + 4, 11 + 4
"""Clocks of a read: RCD, CL and its data; CL and its data."""


def controller(refi: int = REFI) -> ChannelController:
    return ChannelController(replace(DEVICE, refi=refi))


def test_a_row_is_opened_once_and_closed_for_another() -> None:
    """The second read hits 4 clocks after the first; the third waits 28 clocks, RAS, to close."""
    one = controller()
    assert one.read(0, 7, 0) == MISS
    assert one.read(0, 7, 0) == MISS + 4
    assert one.read(0, 8, 0) == 28 + 11 + MISS
    assert one.counts == Counts(hits=1, misses=1, conflicts=1)


def test_a_write_ends_with_its_data() -> None:
    one = controller()
    assert one.write(0, 7, 0) == 11 + 8 + 4
    assert one.counts == Counts(misses=1)


@pytest.mark.parametrize(("clock", "refreshes"), [(REFI - 1, 0), (REFI, 1), (2 * REFI, 2)])
def test_a_refresh_comes_when_it_is_due(clock: int, refreshes: int) -> None:
    one = controller()
    waited = RFC if refreshes else 0
    assert one.read(0, 7, clock) == clock + waited + MISS
    assert one.counts == Counts(misses=1, refreshes=refreshes)


@pytest.mark.parametrize("late", [3, 4, 5, 100])
def test_of_an_idle_time_every_refresh_is_counted(late: int) -> None:
    one = controller()
    assert one.read(0, 7, late * REFI + 500) == late * REFI + 500 + MISS
    assert one.counts == Counts(misses=1, refreshes=late)
    assert one._due == (late + 1) * REFI


def test_a_refresh_closes_the_rows_that_are_open() -> None:
    one = controller()
    one.read(0, 7, 0)
    one.read(1, 7, 0)
    assert one.read(0, 7, REFI + 300) == REFI + 300 + MISS
    assert [bank.row for bank in one.channel.banks] == [7, *[None] * 7]
    assert one.counts == Counts(misses=3, refreshes=1)


def test_a_refresh_is_due_when_the_last_burst_of_a_run_is() -> None:
    """Bursts that are all asked for at 0 run into the first refresh, which then comes first."""
    one = controller(refi=400)
    ends = [one.read(0, 7, 0) for _ in range(100)]
    steps = {after - before for before, after in pairwise(ends)}
    assert min(steps) == 4
    assert len(steps) == 2
    assert one.counts == Counts(hits=98, misses=2, refreshes=1)
