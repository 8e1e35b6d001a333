"""Without a GPU: what is refused and how, and the bytes that kernels would get."""

from __future__ import annotations

import ctypes
import gc
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.capture.test_slices import buffer, clock_block
from tests.cuda.stand_in import StandIn
from tests.cuda.test_stand_in import gpu, written

import lanescope.cuda
from lanescope.cuda import driver, recorder
from lanescope.cuda.handle import handle_block, slice_lanes
from lanescope.device.flags import closed, level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import UsageError
from lanescope.native import library
from lanescope.trace.flags import Feature

__all__ = ["gpu"]


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
    with pytest.raises(UsageError) as found:
        lanescope.cuda.record(level=level)
    assert str(found.value) == (
        f"expected level 1, found {level}: a kernel of your own has no scheduler to record; to "
        "record nothing, launch it with handle 0"
    )


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


def test_of_the_finished_records_a_flight_has_the_last_one(gpu: StandIn) -> None:
    """Without a number it is one for each lane."""
    own = lanescope.cuda.record(cores=1, buffer_records=16)
    written(own)
    assert [len(own.flight(**asked).lanes[0].last) for asked in ({}, {"last": 2})] == [1, 2]
    own.discard()


def test_what_is_recorded_is_counted_without_the_clocks(gpu: StandIn) -> None:
    """Two buffers with two records each; a clock block takes the room of 4 more."""
    own = lanescope.cuda.record(cores=1, buffer_records=16, buffers=2)
    assert own.gpu == driver.Gpu("Stand-in", 116)
    with own:
        written(own)
        now = own._first.device_ns
        times = {"start_ns": now, "open_ns": now, "close_ns": now + 1_000_000}
        clock = clock_block(**times)
        data = buffer((900, 700, 9, 0), (999, 9, 8, 0), clock=clock, sequence=1, first=6)
        lanes, region = own._region.lanes, own._region
        at = int(lanes["buffers"][0]) + int(lanes["buffer_stride"][0])
        region.memory[at : at + len(data)] = data
        lanes["recorded"][0], lanes["opened"][0] = 12, 2
        lanes["published"][0] = 2
    assert own._session.buffers == 2
    assert own.live().records == own._records() == 4
    assert (len(own.trace.tasks), len(own.trace.marks)) == (3, 1)


def test_functions_marks_and_pipes_have_numbers_of_their_own(gpu: StandIn) -> None:
    own = lanescope.cuda.record(cores=1, buffer_records=16, pipes=("load", "math"))
    assert [own.function("a"), own.function("b"), own.mark("a"), own.function("a")] == [0, 1, 0, 0]
    assert own._region.fresh_head().functions == {
        2 << 16: "load",
        (2 << 16) + 1: "math",
        0: "a",
        1: "b",
        1 << 16: "a",
    }
    own.discard()


def test_a_recording_that_ended_has_given_everything_back(gpu: StandIn, tmp_path: Path) -> None:
    own = lanescope.cuda.record(cores=1, buffer_records=16, directory=tmp_path / "kept")
    address = own._region.address
    with own:
        written(own)
    assert (address,) in gpu.given("cuMemHostUnregister")
    assert own._region.state == 2
    assert own._log._file is None
    assert (tmp_path / "kept").is_dir()
    own.discard()
    assert not (tmp_path / "kept").exists()


def test_a_kernel_that_failed_was_refused_no_lane(gpu: StandIn) -> None:
    own = lanescope.cuda.record(cores=1, buffer_records=16)
    with own:
        gpu.fails["cuCtxSynchronize"] = 700
    notes = own.trace.meta.notes
    assert not [note for note in notes if note.startswith("Kernels asked")]
    assert [note for note in notes if "\n" in note or "  " in note] == []
    told = own.trace.meta.host_clock
    assert told is not None and told.drift_ppb == 0


def test_lanes_that_were_refused_say_how_to_have_more(gpu: StandIn) -> None:
    assert recorder._refused_note(0) == ()
    assert recorder._refused_note(7) == (
        "Kernels asked 7 times for a lane that did not exist, was in use or has buffers of another "
        "size, and recorded nothing there; give record() as many cores and pipes as the largest "
        "grid has CTAs and recording warps, kernels that run at once handles of their own "
        "(record(cores=(64, 64)) has two), and the LS_SLICE_RECORDS of the kernels.",
    )


def test_a_folder_that_went_away_before_is_no_error(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    own = lanescope.cuda.record(cores=1, buffer_records=16)
    shutil.rmtree(own._session.directory.parent)
    del own
    gc.collect()
    assert said == []


def test_the_clock_of_a_region_is_the_gpus_and_never_the_hosts(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "anchor", lambda region, fit: None)
    own = lanescope.cuda.record(cores=1, buffer_records=16)
    header = own._region.fresh_head().header
    assert (int(header["clock_cycles"]), int(header["clock_unix_ns"])) == (0, 0)
    own.discard()
