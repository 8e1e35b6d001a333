"""Regions: what they cost per level, what is refused, what a damaged one is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.device.flags import closed, level_features
from lanescope.device.head import Core, read_head
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig, create_region, is_in_use, open_region
from lanescope.errors import InputError, OutputError, UsageError
from lanescope.trace.flags import Feature

CONFIG = RegionConfig(
    flags=level_features(4),
    cores=(Core("aic", 0, 0), Core("aiv", 0, 1), Core("aiv", 0, 0)),
    schedulers=2,
    orchestrators=1,
    buffer_records=16,
    buffers=4,
    clock_hz=50_000_000,
    functions={0: "QK", 7: "ein langer Name, der nicht in die sechzig Bytes passt, die es gibt…"},
)


def sized(level: int, **changes: Any) -> int:
    return replace(CONFIG, flags=level_features(level), **changes).region_bytes()


def test_nothing_on_takes_no_memory(tmp_path: Path) -> None:
    assert sized(0) == 0
    with pytest.raises(UsageError, match="nothing to make a region for"):
        create_region(tmp_path / "region", replace(CONFIG, flags=Feature(0)))
    assert list(tmp_path.iterdir()) == []


def test_each_level_adds_exactly_its_own_lanes() -> None:
    small = 64 + 16 * 32
    large = 64 + 16 * 64
    lane = layout("ls_lane").itemsize
    sizes = [sized(level) for level in range(1, 5)]
    assert sizes[1] - sizes[0] == 3 * (lane + 4 * small)  # one per core
    assert sizes[2] - sizes[1] == 2 * (lane + 4 * large)  # one per scheduler
    assert sizes[3] - sizes[2] == 1 * (lane + 4 * small)  # one orchestrator


def test_staging_slots_exist_only_where_they_are_used() -> None:
    rotated = sized(1, protocol="producer-rotated")
    assert sized(1, protocol="controller-rotated") == rotated
    assert sized(1, protocol="staging", pre_dispatch=1) == rotated + 3 * 2 * 64
    assert sized(1, protocol="staging", pre_dispatch=2) == rotated + 3 * 4 * 64


def test_counters_take_a_lane_per_core() -> None:
    lanes = 3 * (layout("ls_lane").itemsize + 4 * (64 + 16 * 64))
    assert replace(CONFIG, flags=closed(Feature.PMU)).region_bytes() == sized(1) + lanes
    every = closed(level_features(4) | Feature.PMU)
    assert replace(CONFIG, flags=every).region_bytes() == sized(4) + lanes


def test_bursts_take_a_lane_per_core() -> None:
    lanes = 3 * (layout("ls_lane").itemsize + 4 * (64 + 16 * 32))
    assert replace(CONFIG, flags=closed(Feature.CORE_SWIMLANE)).region_bytes() == sized(1) + lanes


def test_a_feature_without_lanes_of_its_own_takes_none() -> None:
    every = closed(level_features(1) | Feature.DUMP_TENSOR)
    assert replace(CONFIG, flags=every).region_bytes() == sized(1)


def test_a_region_says_what_it_was_made_for(tmp_path: Path) -> None:
    region = create_region(tmp_path / "region", CONFIG)
    head = open_region(tmp_path / "region").head
    assert head.cores == CONFIG.cores
    assert head.functions[0] == "QK"
    assert CONFIG.functions[7].startswith(head.functions[7])
    assert len(head.functions[7].encode()) <= 59
    assert [head.lane_name(lane) for lane in range(len(head.lanes))] == [
        *("core 0", "core 1", "core 2", "core 0", "core 1", "core 2"),
        *("scheduler 0", "scheduler 1", "orchestrator 0"),
    ]
    assert int(head.header["clock_hz"]) == 50_000_000
    assert region.state == 0
    region.mark_stopped()
    assert region.state == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"flags": Feature.CHIP_SWIMLANE_PHASE_BUFFERS}, "lack one that they imply"),
        ({"cores": ()}, "1 to 65536 cores"),
        ({"pre_dispatch": 3}, "0, 1 or 2 tasks in advance"),
        ({"buffer_records": 0}, "a buffer holds 1 to 1048576 records"),
        ({"buffers": 5000}, "a lane has 1 to 4096 buffers"),
        ({"buffers": -1}, "positive number"),
        ({"clock_hz": 0}, "rate is 0"),
        ({"func_shift": 64}, "outside its 64 bits"),
        ({"protocol": "magic"}, "found 'magic'"),
        ({"on_full": "panic"}, "expected on-full block or drop, found 'panic'"),
    ],
)
def test_a_set_up_that_cannot_work_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        replace(CONFIG, **change).packed()


def test_no_room_on_the_disk_is_said_before_anything_runs(tmp_path: Path) -> None:
    huge = replace(CONFIG, buffer_records=1 << 20, buffers=4096, cores=(Core("aic"),) * 1000)
    with pytest.raises(OutputError, match="could not be had"):
        create_region(tmp_path / "region", huge)
    assert list(tmp_path.iterdir()) == []


def damaged(tmp_path: Path, struct: str, offset: int, field: str, value: int) -> str:
    """What is said about a region with one field set to `value`."""
    path = tmp_path / "region"
    create_region(path, CONFIG)
    data = np.fromfile(path, np.uint8)
    if struct == "ls_lane":
        offset += int(data[: layout("ls_header").itemsize].view(layout("ls_header"))[0]["lanes"])
    entry = layout(struct)
    data[offset : offset + entry.itemsize].view(entry)[0][field] = value
    with pytest.raises(InputError) as caught:
        read_head(data, source=path, region_bytes=len(data))
    return caught.value.problem


@pytest.mark.parametrize(
    ("struct", "offset", "field", "value", "problem"),
    [
        ("ls_header", 0, "magic", 1, "the first 8 bytes are not L_REGION"),
        ("ls_header", 0, "version", 99, "the region is of version 99"),
        ("ls_header", 0, "region_bytes", 1 << 40, "the region should have 1099511627776 bytes"),
        ("ls_header", 0, "lane_count", 1 << 30, "contradicts itself"),
        ("ls_header", 0, "names", 1 << 60, "contradicts itself"),
        ("ls_header", 0, "flags", 1 << 40, "contradicts itself"),
        ("ls_header", 0, "clock_hz", 0, "contradicts itself"),
        ("ls_header", 0, "clock_hz", 1 << 62, "contradicts itself"),
        ("ls_header", 0, "func_shift", 64, "contradicts itself"),
        ("ls_header", 0, "protocol", 4, "contradicts itself"),
        ("ls_header", 0, "on_full", 2, "contradicts itself"),
        ("ls_header", 0, "pipe_count", 1 << 16, "contradicts itself"),
        ("ls_lane", 0, "kind", 99, "lane 0: 99 is not a kind of record"),
        ("ls_lane", 256, "record_bytes", 16, "lane 1: records of 16 bytes, expected 32"),
        ("ls_lane", 0, "buffer_count", 0, "lane 0: 0 buffers"),
        ("ls_lane", 0, "buffer_records", 1 << 31, "records per buffer"),
        ("ls_lane", 0, "buffers", 0, "lane 0: its buffers are not inside the region"),
        ("ls_lane", 0, "buffer_stride", 8, "lane 0: its buffers are not inside the region"),
        ("ls_lane", 0, "buffer_count", 4097, "lane 0: 4097 buffers"),
        ("ls_lane", 0, "buffer_records", 0, "lane 0: 0 records per buffer"),
        ("ls_lane", 0, "buffer_stride", 64 + 16 * 32 - 1, "lane 0: its buffers are not inside"),
        ("ls_lane", 0, "owner", 3, "lane 0: it belongs to number 3, which does not exist"),
        ("ls_lane", 0, "owner", 77, "lane 0: it belongs to number 77, which does not exist"),
    ],
)
def test_a_damaged_head_is_refused_by_place(
    tmp_path: Path, struct: str, offset: int, field: str, value: int, problem: str
) -> None:
    assert problem in damaged(tmp_path, struct, offset, field, value)


@pytest.mark.parametrize(
    "count", ["core_count", "name_count", "scheduler_count", "orchestrator_count", "lane_count"]
)
def test_a_sparse_file_does_not_pass_for_large_tables(tmp_path: Path, count: str) -> None:
    """Tables in a hole of the file cost its maker nothing, and its reader 100 bytes per row."""
    path = tmp_path / "region"
    head = create_region(path, CONFIG).head
    header = layout("ls_header")
    rows, size = 1 << 20, 1 << 30
    raw = np.fromfile(path, header, count=1)
    raw[count], raw["region_bytes"], raw["prefix_bytes"] = rows, size, size
    for table in ("cores", "names", "lanes"):
        raw[table] = int(head.header[table]) if count == "lane_count" else 1 << 20
    with path.open("r+b") as file:
        file.write(raw.tobytes())
        file.truncate(size)
    assert path.stat().st_blocks * 512 < 1 << 20
    with pytest.raises(InputError, match="the region's header contradicts itself"):
        open_region(path)


def test_lanes_do_not_share_buffers(tmp_path: Path) -> None:
    head = create_region(tmp_path / "other", CONFIG).head
    first = int(head.lanes["buffers"][0])
    assert "lanes share buffers" in damaged(tmp_path, "ls_lane", 256, "buffers", first)


def test_a_short_file_is_no_region(tmp_path: Path) -> None:
    path = tmp_path / "region"
    for size in (0, 1, layout("ls_header").itemsize - 1):
        path.write_bytes(bytes(size))
        with pytest.raises(InputError, match=f"found {size} bytes, too few for one"):
            open_region(path)
    path.write_bytes(bytes(layout("ls_header").itemsize))
    with pytest.raises(InputError, match="the first 8 bytes are not L_REGION"):
        open_region(path)


@pytest.mark.parametrize(
    ("field", "value"),
    [("clock_hz", (1 << 62) - 1), ("func_shift", 63), ("protocol", 3), ("on_full", 1)],
)
def test_a_head_with_values_at_their_limits_is_read(tmp_path: Path, field: str, value: int) -> None:
    memory = create_region(tmp_path / "region", CONFIG).memory.copy()
    memory[: layout("ls_header").itemsize].view(layout("ls_header"))[0][field] = value
    assert read_head(memory, source="test", region_bytes=len(memory)).header[field] == value
    with pytest.raises(InputError, match=f"should have {len(memory)} bytes, found"):
        read_head(memory, source="test", region_bytes=len(memory) - 1)


@pytest.mark.parametrize(("seconds", "cycles"), [(2.0, 100_000_000), (1e300, 1 << 62)])
def test_a_host_may_be_silent_for_any_time(tmp_path: Path, seconds: float, cycles: int) -> None:
    head = create_region(tmp_path / "region", replace(CONFIG, host_lost_s=seconds)).head
    assert int(head.header["host_lost_cycles"]) == cycles


def test_texts_are_cut_to_their_room_without_half_a_character(tmp_path: Path) -> None:
    """A kind has room for 15 bytes, a name for 59; behind each is a zero."""
    cores = (Core("k" * 15), Core("k" * 16, clock_hz=7))
    names = {0: "n" * 59, 1: "n" * 60, 2: "n" * 58 + "…"}
    config = replace(CONFIG, cores=cores, functions=names)
    head = create_region(tmp_path / "region", config).head
    assert [core.kind for core in head.cores] == ["k" * 15] * 2
    assert (head.cores[1].clock_hz, head.cores[0].cluster) == (7, -1)
    assert head.functions == {0: "n" * 59, 1: "n" * 59, 2: "n" * 58}


def test_a_region_that_was_closed_is_free_while_its_memory_is_still_mapped(tmp_path: Path) -> None:
    region = create_region(tmp_path / "region", CONFIG)
    assert is_in_use(region.path)
    region.close()
    assert not is_in_use(region.path)
    assert region.state == 0, "the memory is there"
    region.close()
