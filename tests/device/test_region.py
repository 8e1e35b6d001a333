"""Regions: what they cost per level, what is refused; test_head.py has damaged ones."""

from __future__ import annotations

import errno
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lanescope.device import region as region_file
from lanescope.device.flags import closed, level_features
from lanescope.device.head import Core
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import (
    RegionConfig,
    clock_hz,
    create_region,
    is_in_use,
    open_region,
    require_recording,
)
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


def test_a_short_file_is_no_region(tmp_path: Path) -> None:
    path = tmp_path / "region"
    for size in (0, 1, layout("ls_header").itemsize - 1):
        path.write_bytes(bytes(size))
        with pytest.raises(InputError, match=f"found {size} bytes, too few for one"):
            open_region(path)
    path.write_bytes(bytes(layout("ls_header").itemsize))
    with pytest.raises(InputError, match="the first 8 bytes are not L_REGION"):
        open_region(path)


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


def packed(config: RegionConfig) -> dict[str, Any]:
    """The set-up as C gets it, but for what there is of each kind."""
    [own] = config.packed()
    arrays = ("buffer_records", "buffer_count")
    return {name: int(own[name]) for name in own.dtype.names if name not in arrays}


def test_a_set_up_that_says_nothing_has_its_defaults() -> None:
    config = RegionConfig(flags=level_features(1), cores=(Core(),))
    assert packed(config) == {
        "flags": 1,
        "protocol": 2,
        "on_full": 0,
        "clock_hz": clock_hz(),
        "host_lost_cycles": int(30.0 * clock_hz()),
        "core_count": 1,
        "scheduler_count": 1,
        "orchestrator_count": 1,
        "pre_dispatch": 1,
        "func_shift": 0,
        "first_token": 0,
        "name_count": 1,
        "pipe_count": 0,
        "pipes_beside": 0,
        "host_count": 0,
    }
    [own] = config.packed()
    assert own["buffer_records"].tolist() == [1024] * 10
    assert own["buffer_count"].tolist() == [8] * 7 + [0] * 3


def test_all_of_a_set_up_reaches_c() -> None:
    config = RegionConfig(
        flags=closed(level_features(2) | Feature.CORE_SWIMLANE),
        cores=(Core(),) * 3,
        schedulers=4,
        orchestrators=5,
        hosts=6,
        on_full="drop",
        pre_dispatch=2,
        host_lost_s=0.5,
        clock_hz=1000,
        func_shift=32,
        first_token=7,
        pipes=2,
        pipes_beside=True,
        functions={0: "a", 1: "b"},
        name_room=9,
    )
    assert packed(config) == {
        "flags": 0b100011,
        "protocol": 2,
        "on_full": 1,
        "clock_hz": 1000,
        "host_lost_cycles": 500,
        "core_count": 3,
        "scheduler_count": 4,
        "orchestrator_count": 5,
        "pre_dispatch": 2,
        "func_shift": 32,
        "first_token": 7,
        "name_count": 9,
        "pipe_count": 2,
        "pipes_beside": 1,
        "host_count": 6,
    }


@pytest.mark.parametrize(
    ("protocol", "code"),
    [("staging", 0), ("controller-rotated", 1), ("producer-rotated", 2), ("after-finish", 3)],
)
def test_a_protocol_is_its_number(protocol: str, code: int) -> None:
    assert packed(replace(CONFIG, protocol=protocol))["protocol"] == code


@pytest.mark.parametrize(("room", "count"), [(1, 2), (2, 2), (3, 3)])
def test_there_is_room_for_every_name_that_is_known(room: int, count: int) -> None:
    assert packed(replace(CONFIG, name_room=room))["name_count"] == count


def test_kinds_that_are_not_named_have_the_usual_buffers_or_none() -> None:
    config = replace(
        CONFIG, buffer_records={"pmu": 3, "tensor": 5}, buffers={"core_task": 2, "edge": 4}
    )
    [own] = config.packed()
    records = dict(zip(KINDS, own["buffer_records"].tolist(), strict=True))
    buffers = dict(zip(KINDS, own["buffer_count"].tolist(), strict=True))
    assert records == dict.fromkeys(KINDS, 1024) | {"pmu": 3, "tensor": 5}
    assert buffers == dict.fromkeys(KINDS, 1024) | {
        "core_task": 2,
        "edge": 4,
        "host_phase": 0,
        "tensor": 0,
    }


SET_UP = "nothing can be recorded with this set-up: "
BUFFERS = (
    f"{SET_UP}a buffer holds 1 to 1048576 records, and a lane has 1 to 4096 buffers; with "
    "after-finish a core has 2 or more"
)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"buffer_records": 0}, BUFFERS),
        ({"buffers": (1 << 32) - 1}, BUFFERS),
        (
            {"buffers": 1 << 32},
            "expected a positive number of records or buffers, found 4294967296",
        ),
        ({"buffer_records": -1}, "expected a positive number of records or buffers, found -1"),
        (
            {"protocol": "magic"},
            "expected protocol staging or controller-rotated or producer-rotated or after-finish, "
            "found 'magic'",
        ),
        ({"on_full": ""}, "expected on-full block or drop, found ''"),
        ({"clock_hz": 0}, f"{SET_UP}the clock's rate is 0"),
    ],
)
def test_a_refusal_says_what_may_be(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as found:
        replace(CONFIG, **change).packed()
    assert str(found.value) == sentence


def test_on_windows_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("linux", "darwin"):
        monkeypatch.setattr(sys, "platform", name)
        require_recording()
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(UsageError) as found:
        require_recording()
    assert str(found.value) == (
        "recording needs Linux or macOS, also on a simulated chip; on Windows lanescope opens, "
        "reports, shows and converts traces"
    )


def test_a_file_is_its_makers_alone_and_never_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "region"
    create_region(path, CONFIG)
    before = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        create_region(path, CONFIG)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("size", "fits"), [(49, True), (50, False), (59, False)])
def test_the_last_block_of_a_disk_is_left_free(
    size: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimpleNamespace(f_frsize=10, f_bavail=5)
    monkeypatch.setattr(os, "fstatvfs", lambda file: disk)
    if fits:
        region_file._require_room(3, size)
        return
    with pytest.raises(OSError, match="No space left on device") as found:
        region_file._require_room(3, size)
    assert found.value.errno == errno.ENOSPC


def test_a_full_disk_is_seen_before_any_of_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []

    def full(file: int) -> object:
        opened.append(file)
        return SimpleNamespace(f_frsize=4096, f_bavail=1)

    monkeypatch.setattr(os, "fstatvfs", full)
    path, size = tmp_path / "region", CONFIG.region_bytes()
    with pytest.raises(OutputError) as found:
        create_region(path, CONFIG)
    assert str(found.value) == (
        f"{path}: the recording buffers take {size:,} bytes, which could not be had (No space left "
        "on device); free some space, or use fewer or smaller buffers"
    )
    assert not path.exists()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened[0])


def test_a_file_that_somebody_removed_meanwhile_is_the_same_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(file: int, size: int) -> None:
        (tmp_path / "region").unlink()
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(region_file, "_reserve", gone)
    with pytest.raises(OutputError, match=r"could not be had \(Input/output error\)"):
        create_region(tmp_path / "region", CONFIG)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_file_is_as_large_as_the_region_and_on_linux_its_space_is_taken(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[tuple[int, int]] = []
    monkeypatch.setattr(
        os, "posix_fallocate", lambda file, at, size: taken.append((at, size)), raising=False
    )
    monkeypatch.setattr(sys, "platform", platform)
    with (tmp_path / "file").open("wb") as file:
        region_file._reserve(file.fileno(), 12_345)
    size = (tmp_path / "file").stat().st_size
    assert (taken, size) == (([(0, 12_345)], 0) if platform == "linux" else ([], 12_345))


@pytest.mark.parametrize(("number", "region_id"), [(0, 1), (5, 5), ((1 << 64) - 1, (1 << 64) - 1)])
def test_a_region_has_a_number_that_is_not_0_and_its_process(
    number: int, region_id: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def drawn(bits: int) -> int:
        asked.append(bits)
        return number

    monkeypatch.setattr(region_file.secrets, "randbits", drawn)
    header = create_region(tmp_path / "region", CONFIG).head.header
    assert (int(header["region_id"]), int(header["process"])) == (region_id, os.getpid())
    assert asked == [64]


def test_only_a_counter_of_this_machine_is_set_against_the_hosts_clock(tmp_path: Path) -> None:
    for own_clock in (True, False):
        config = replace(CONFIG, own_clock=own_clock, clock_hz=clock_hz())
        header = create_region(tmp_path / str(own_clock), config).head.header
        assert (int(header["clock_unix_ns"]) > 0) == own_clock
    header = create_region(tmp_path / "usual", replace(CONFIG, clock_hz=clock_hz())).head.header
    assert int(header["clock_unix_ns"]) > 0


def test_a_region_knows_its_file_its_place_and_what_changes_in_it(tmp_path: Path) -> None:
    region = create_region(tmp_path / "region", CONFIG)
    assert (region.path, region.address) == (tmp_path / "region", region.memory.ctypes.data)
    region.lanes["recorded"][2] = 77
    assert region.head.lanes["recorded"][2] == 0
    assert region.fresh_head().lanes["recorded"][2] == 77
    lock = region._lock
    assert lock is not None and not os.get_inheritable(lock)
    region.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(lock)


def test_a_file_that_is_not_there_cannot_be_looked_at(tmp_path: Path) -> None:
    with pytest.raises(InputError) as found:
        is_in_use(tmp_path / "none")
    assert found.value.problem == "cannot be looked at (No such file or directory)"
