"""A lane without a free buffer, on this machine's processor: waiting, giving up, counting.

Nobody drains. The clock counts two cycles per ns and stands still but for naps of 200 ns.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from ctypes import c_int, c_uint32, c_uint64, c_void_p
from typing import Any

import pytest
from tests.triton.on_cpu import HostDriver, compiled_calls

import lanescope.cuda
from lanescope.device.head import Array
from lanescope.device.layouts import layout

BUFFERS, RECORDS = 2, 1024
ROOM = BUFFERS * RECORDS
BEGIN_NS = 50_000
"""The device's clock in every test, until somebody waits."""
NOW_NS = BEGIN_NS + 1
"""How that is noted: times of waits are odd, because 0 is none."""


class FullLane:
    """The only lane of a recording; its first task is task 0."""

    def __init__(self, calls: ctypes.CDLL, **options: Any) -> None:
        self.calls, self.made = calls, 0
        options = {"cores": 1, "buffers": BUFFERS, **options}
        self.rec = lanescope.cuda.record(**options)
        self.set_ns(BEGIN_NS)
        self.open()

    def set_ns(self, ns: int) -> None:
        self.calls.set_clock(c_uint64(2 * (ns - 1000)))

    def open(self) -> None:
        """A kernel takes the lane."""
        self.calls.become(0, 32, 0, 1)
        self.handle = self.calls.lanescope_per_block(c_uint64(self.rec.handle))

    def record(self, tasks: int) -> None:
        for _ in range(tasks):
            self.calls.lanescope_begin(c_uint32(self.handle), c_uint32(self.made), c_uint32(0))
            self.calls.lanescope_end(c_uint32(self.handle))
            self.made += 1

    def record_marks(self, marks: int) -> None:
        """One task with so many marks in it."""
        self.calls.lanescope_mark.restype = c_uint64
        self.calls.lanescope_begin(c_uint32(self.handle), c_uint32(self.made), c_uint32(0))
        for _ in range(marks):
            mark = c_uint64(self.calls.lanescope_mark(c_uint32(self.handle), c_uint32(0)))
            self.calls.lanescope_done(c_uint32(self.handle), mark)
        self.calls.lanescope_end(c_uint32(self.handle))
        self.made += 1

    def close(self) -> None:
        """The kernel gives it back."""
        self.calls.lanescope_close(c_uint32(self.handle))

    @property
    def words(self) -> dict[str, int]:
        """What the lane says of itself."""
        names = ("recorded", "dropped", "opened", "published", "wait_start", "wait_end")
        return {name: int(self.rec._region.lanes[name][0]) for name in names}

    @property
    def is_held(self) -> bool:
        """Whether a kernel has the lane, as the flight recorder sees it."""
        [lane] = self.rec.flight().lanes
        return lane.held_ns is not None

    @property
    def last(self) -> dict[str, int]:
        """What the header of the last buffer says."""
        lane, kind = self.rec._region.lanes[0], layout("ls_buffer")
        place = (int(lane["opened"]) - 1) % BUFFERS
        at = int(lane["buffers"]) + place * int(lane["buffer_stride"])
        header = self.rec._region.memory[at : at + kind.itemsize].view(kind)[0]
        names = ("sequence", "first", "dropped", "wait_start", "wait_end")
        return {name: int(header[name]) for name in names}

    def release(self, buffers: int) -> None:
        """The host has taken so many buffers."""
        self.rec._region.lanes["released"][0] = buffers

    def release_after(self, naps: int, buffers: int) -> None:
        """The host takes them while the lane waits."""
        released: Array = self.rec._region.lanes["released"]
        self.calls.store_after(c_int(naps), c_void_p(released.ctypes.data), c_uint64(buffers))


def words(recorded: int, **others: int) -> dict[str, int]:
    usual = {"dropped": 0, "opened": 2, "published": 2, "wait_start": 0, "wait_end": 0}
    return {"recorded": recorded, **usual, **others}


@pytest.fixture(scope="module")
def calls() -> ctypes.CDLL:
    return compiled_calls()


@pytest.fixture
def full_lane(calls: ctypes.CDLL) -> Iterator[Callable[..., FullLane]]:
    """Makes a lane whose buffers are all full."""

    def made(**options: Any) -> FullLane:
        lane = FullLane(calls, **options)
        lane.record(ROOM)
        return lane

    with pytest.MonkeyPatch.context() as patch:
        HostDriver().install(patch)
        yield made
    calls.store_after(c_int(0), None, c_uint64(0))


def test_a_buffer_is_published_when_the_next_record_needs_room(
    full_lane: Callable[..., FullLane],
) -> None:
    lane = full_lane(on_full="drop")
    assert lane.words == words(RECORDS, published=1)
    assert lane.is_held
    lane.close()
    assert lane.words == words(ROOM)
    assert not lane.is_held


def test_a_task_may_have_more_marks_than_a_buffer_has_room(
    calls: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    HostDriver().install(monkeypatch)
    lane = FullLane(calls, on_full="drop", core_swimlane=True)
    lane.record_marks(RECORDS)
    assert lane.words == words(RECORDS, published=1)
    lane.close()
    assert lane.words == words(RECORDS + 1)


def test_what_finds_no_buffer_is_dropped_and_the_next_buffer_tells(
    full_lane: Callable[..., FullLane],
) -> None:
    lane = full_lane(on_full="drop")
    lane.record(7)
    gave_up = {"wait_start": NOW_NS, "wait_end": NOW_NS}
    assert lane.words == words(ROOM, **gave_up)
    lane.close()
    assert lane.words == words(ROOM, dropped=7, **gave_up)
    lane.release(1)
    lane.set_ns(BEGIN_NS + 500)
    lane.open()
    lane.record(1)
    assert lane.last == {"sequence": 2, "first": ROOM, "dropped": 7, **gave_up}
    lane.close()
    assert lane.words == words(ROOM + 1, dropped=7, opened=3, published=3)


def test_a_lane_that_drops_looks_again_after_as_many_as_a_buffer_holds(
    full_lane: Callable[..., FullLane],
) -> None:
    lane = full_lane(on_full="drop")
    lane.record(1)
    lane.release(2)
    lane.record(RECORDS - 1)
    assert lane.words["opened"] == 2
    lane.record(1)
    assert (lane.words["opened"], lane.last["dropped"]) == (3, RECORDS)
    lane.close()
    assert lane.words == words(ROOM + 1, dropped=RECORDS, opened=3, published=3)


def test_a_lane_that_waits_goes_on_with_the_first_free_buffer(
    full_lane: Callable[..., FullLane],
) -> None:
    lane = full_lane(on_full="block")
    lane.release_after(5, 1)
    lane.record(1)
    waited = {"wait_start": NOW_NS, "wait_end": NOW_NS + 5 * 200}
    assert lane.last == {"sequence": 2, "first": ROOM, "dropped": 0, **waited}
    assert lane.words == words(ROOM, opened=3)
    lane.record(RECORDS - 1)
    lane.release(2)
    lane.record(1)
    assert lane.last == {
        "sequence": 3, "first": ROOM + RECORDS, "dropped": 0, "wait_start": 0, "wait_end": 0,
    }  # fmt: skip


def test_a_host_that_does_not_come_is_waited_for_once(
    full_lane: Callable[..., FullLane],
) -> None:
    lane = full_lane(on_full="block", host_lost_s=1e-5)
    lane.record(1)
    lost = {"wait_start": NOW_NS, "wait_end": NOW_NS + 10_000}
    assert lane.words == words(ROOM, **lost)
    lane.set_ns(BEGIN_NS + 90_000)
    lane.record(RECORDS)  # it looks again, and does not wait
    assert lane.words == words(ROOM, dropped=RECORDS, **lost)
    lane.release(2)
    lane.record(RECORDS)
    assert lane.last == {"sequence": 2, "first": ROOM, "dropped": 2 * RECORDS, **lost}
    lane.close()
    assert lane.words == words(ROOM + 1, dropped=2 * RECORDS, opened=3, published=3)
