"""Without a GPU: what is refused and how, and the bytes that kernels would get."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

import lanescope.cuda
from lanescope.cuda import driver
from lanescope.cuda.handle import handle_block, slice_lanes
from lanescope.device.flags import closed, level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import UsageError
from lanescope.native import library
from lanescope.trace.flags import Feature


def without_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    library()  # lanescope's own, loaded the same way
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)


def test_without_the_driver_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    without_driver(monkeypatch)
    with pytest.raises(UsageError) as found:
        lanescope.cuda.record()
    assert str(found.value) == (
        "recording on a GPU needs NVIDIA's driver (libcuda.so.1), which this machine does not "
        "have; run it where the GPU is, or use --platform threads or a simulated chip"
    )
    assert found.value.exit_code == 2


@pytest.mark.parametrize("level", [0, 2, 4])
def test_other_levels_are_refused(level: int) -> None:
    with pytest.raises(UsageError, match=f"expected level 1, found {level}"):
        lanescope.cuda.record(level=level)


def test_the_handle_says_where_everything_is(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),) * 3,
        pipes=2,
        buffer_records=20,
        buffers=4,
        clock_hz=1_000_000_000,
        host_lost_s=2.0,
    )
    head = create_region(tmp_path / "region", config).head
    block = np.frombuffer(handle_block(head, 1 << 40, 77), np.uint8)
    kind = layout("ls_handle")
    handle = block[: kind.itemsize].view(kind)[0]
    lanes = block[kind.itemsize :].view(layout("ls_handle_lane"))
    end = kind.itemsize + 6 * layout("ls_handle_lane").itemsize
    wanted = {
        "buffer_stride": int(head.lanes["buffer_stride"][0]),
        "host_lost_ns": 2_000_000_000,
        "core_count": 3,
        "pipe_count": 2,
        "buffer_records": 16,
        "buffer_count": 4,
        "on_full": 0,
        "marks": 0,
        "bin": 77 + end,
    }
    assert {name: int(handle[name]) for name in wanted} == wanted
    assert len(block) == end
    assert lanes["next.lane"].tolist() == list(range(6))
    assert set(lanes["handle"].tolist()) == {77}
    table = (1 << 40) + int(head.header["lanes"])
    assert lanes["lane"].tolist() == [table + 256 * number for number in range(6)]
    assert lanes["ring"].tolist() == [(1 << 40) + at for at in head.lanes["buffers"].tolist()]


def test_a_handle_for_some_cores_has_their_lanes_and_no_others(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),) * 7,
        pipes=2,
        buffer_records=20,
        clock_hz=1_000_000_000,
    )
    head = create_region(tmp_path / "region", config).head
    kind, lane_kind = layout("ls_handle"), layout("ls_handle_lane")
    whole = np.frombuffer(handle_block(head, 1 << 40, 77), np.uint8)
    part = np.frombuffer(handle_block(head, 1 << 40, 99, cores=range(3, 5)), np.uint8)
    first, second = (block[: kind.itemsize].view(kind)[0] for block in (whole, part))
    lanes = part[kind.itemsize :].view(lane_kind)
    assert (int(first["core_count"]), int(second["core_count"])) == (7, 2)
    assert lanes["next.lane"].tolist() == [6, 7, 8, 9]
    assert set(lanes["handle"].tolist()) == {99}
    assert int(second["bin"]) == 99 + len(part)
    assert lanes["ring"].tolist() == whole[kind.itemsize :].view(lane_kind)["ring"][6:10].tolist()
    same = ("buffer_stride", "pipe_count", "buffer_records")
    assert [first[name] for name in same] == [second[name] for name in same]


@pytest.mark.parametrize("cores", [(), (4, 0), (-1, 2)])
def test_numbers_of_ctas_that_cannot_be_are_refused(
    cores: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "use_context", lambda: driver.Gpu("none", 2))
    with pytest.raises(UsageError) as found:
        lanescope.cuda.record(cores=cores)
    assert str(found.value) == f"expected numbers of CTAs from 1 on for cores, found {cores}"


def test_lanes_of_slices_may_stand_behind_others(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=closed(level_features(1) | Feature.CORE_SWIMLANE),
        cores=(Core("sm"),) * 2,
        schedulers=0,
        orchestrators=0,
        pipes=1,
        pipes_beside=True,
        buffer_records=20,
        buffers=4,
        clock_hz=1_000_000_000,
    )
    head = create_region(tmp_path / "region", config).head
    numbers = slice_lanes(head)
    first = int(numbers[0])
    assert (first > 0, len(numbers)) == (True, 2)
    block = np.frombuffer(handle_block(head, 0, 77), np.uint8)
    kind = layout("ls_handle")
    handle = block[: kind.itemsize].view(kind)[0]
    lanes = block[kind.itemsize :].view(layout("ls_handle_lane"))
    assert int(handle["marks"]) == 1
    assert lanes["next.lane"].tolist() == [first, first + 1]
    assert lanes["ring"].tolist() == head.lanes["buffers"][first:].tolist()
