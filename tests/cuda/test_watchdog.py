"""The watchdog: when it speaks, how often it looks, and what counts as a movement."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest

from lanescope.cuda import watchdog
from lanescope.cuda.watchdog import Watchdog, movement
from lanescope.device.flags import closed, level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout, now_place
from lanescope.device.region import Region, RegionConfig, create_region
from lanescope.trace.flags import Feature


@pytest.fixture
def region(tmp_path: Path) -> Region:
    """Three lanes of slices with four buffers each."""
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),) * 3,
        pipes=1,
        buffers=4,
        buffer_records=16,
        clock_hz=1_000_000_000,
    )
    return create_region(tmp_path / "region", config)


def hold(region: Region, lane: int, cycles: int = 5) -> None:
    """A kernel has had the lane since `cycles`."""
    now = layout("ls_slice_now")
    at = int(region.head.header["lanes"]) + lane * layout("ls_lane").itemsize + now_place()
    region.memory[at : at + now.itemsize].view(now)["held_cycles"] = cycles


def watched(
    region: Region, monkeypatch: pytest.MonkeyPatch, looks: Iterable[tuple[int, float]]
) -> tuple[list[float], list[float]]:
    """What a watchdog of 8 s says at looks, and how long it waits for each; 100 s is the begin."""
    heard: list[float] = []
    waits: list[float] = []
    looks = list(looks)
    times = iter([100.0, *(seconds for _, seconds in looks)])
    moves = iter([move for move, _ in looks])

    def wait(timeout: float) -> bool:
        waits.append(timeout)
        return len(waits) > len(looks)

    monkeypatch.setattr(watchdog, "movement", lambda region: next(moves))
    monkeypatch.setattr(watchdog, "time", SimpleNamespace(monotonic=lambda: next(times)))
    dog = Watchdog(region, 8.0, heard.append)
    monkeypatch.setattr(dog, "_stop", SimpleNamespace(wait=wait))
    dog._watch()
    return heard, waits


def test_it_speaks_once_after_the_limit_and_looks_eight_times_until_then(
    region: Region, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = [(5, 101.0), (5, 108.9), (5, 109.0), (5, 200.0)]
    assert watched(region, monkeypatch, looks) == ([8.0], [1.0, 1.0, 1.0])


def test_it_is_silent_just_before_the_limit(
    region: Region, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = [(5, 101.0), (5, 108.99)]
    assert watched(region, monkeypatch, looks) == ([], [1.0, 1.0, 1.0])


def test_a_record_begins_the_time_anew(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [(5, 101.0), (6, 108.0), (6, 110.0), (5, 112.0), (5, 119.9), (5, 121.0)]
    assert watched(region, monkeypatch, looks) == ([9.0], [1.0] * 6)


@pytest.mark.parametrize("move", [1, 5])
def test_the_time_begins_when_a_kernel_is_seen_first(
    move: int, region: Region, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = [(move, 150.0), (move, 157.0)]
    assert watched(region, monkeypatch, looks) == ([], [1.0] * 3)


def test_without_a_kernel_nothing_hangs(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [(5, 101.0), (0, 105.0), (0, 150.0), (0, 200.0), (5, 201.0), (5, 208.0)]
    assert watched(region, monkeypatch, looks) == ([], [1.0] * 7)


def test_its_thread_does_not_keep_the_program_and_ends_with_stop(region: Region) -> None:
    dog = Watchdog(region, 8.0, print)
    assert (dog._thread.daemon, dog._thread.name) == (True, "lanescope-watchdog")
    calls: list[object] = []
    dog._thread = SimpleNamespace(  # type: ignore[assignment]
        start=lambda: calls.append("start"), join=lambda: calls.append(dog._stop.is_set())
    )
    dog.start()
    dog.stop()
    assert calls == ["start", True]


@pytest.mark.parametrize("opened", [1, 2, 3, 4, 5, 7, 8])
def test_of_a_lane_only_the_newest_buffer_is_looked_at(opened: int, region: Region) -> None:
    hold(region, 1)
    region.lanes["opened"][1] = opened
    begun = movement(region)
    first, stride = int(region.lanes["buffers"][1]), int(region.lanes["buffer_stride"][1])
    moved = []
    for number in range(4):
        for at in (first + number * stride, first + (number + 1) * stride - 1):
            region.memory[at] ^= 1
            moved.append(movement(region) != begun)
            region.memory[at] ^= 1
    assert moved == [(place // 2) == (opened - 1) % 4 for place in range(8)]


def test_buffers_of_lanes_that_nobody_has_or_that_have_none_are_not_looked_at(
    region: Region,
) -> None:
    hold(region, 0)
    hold(region, 1)
    region.lanes["opened"][:] = [3, 0, 3]
    begun = movement(region)
    first, stride = region.lanes["buffers"].tolist(), int(region.lanes["buffer_stride"][0])
    for lane in (1, 2):
        region.memory[first[lane] : first[lane] + 4 * stride] ^= 1
    assert movement(region) == begun
    region.memory[first[0] + 2 * stride] ^= 1
    assert movement(region) != begun


@pytest.mark.parametrize("cycles", [1, 2, (1 << 64) - 1])
def test_a_lane_is_held_from_any_cycle_on(cycles: int, region: Region) -> None:
    assert movement(region) == 0
    hold(region, 2, cycles)
    assert movement(region) != 0
    hold(region, 2, 0)
    assert movement(region) == 0


def test_words_of_lanes_without_slices_say_nothing_of_a_kernel(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=closed(level_features(1) | Feature.CORE_SWIMLANE),
        cores=(Core("sm"),),
        schedulers=0,
        orchestrators=0,
        pipes=1,
        pipes_beside=True,
        buffer_records=20,
        clock_hz=1_000_000_000,
    )
    region = create_region(tmp_path / "region", config)
    assert len(region.lanes) == 2
    hold(region, 0)
    assert movement(region) == 0
    hold(region, 1)
    assert movement(region) != 0


def test_a_kernel_that_has_a_lane_is_never_the_number_of_none(
    region: Region, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "zlib", SimpleNamespace(crc32=lambda *given: 0))
    assert movement(region) == 0
    hold(region, 0)
    assert movement(region) == 1
