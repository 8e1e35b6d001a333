"""The head of a region at its limits: what is just read, and what is just refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core, check_header, read_head
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import InputError
from lanescope.trace.flags import Feature

HEADER, LANE = layout("ls_header"), layout("ls_lane")
DAMAGED = "the region's header contradicts itself, so it is damaged"


@pytest.fixture
def memory(tmp_path: Path) -> Array:
    """A region of 3 cores, 2 schedulers and 1 orchestrator: 9 lanes."""
    return made(tmp_path, cores=(Core("aic", 4, 5, 6), Core(), Core("aiv")), schedulers=2)


def made(folder: Path, **changes: Any) -> Array:
    options: dict[str, Any] = {
        "flags": level_features(4),
        "cores": (Core("aic"),) * 3,
        "buffers": 4,
        "buffer_records": 16,
        "clock_hz": 50_000_000,
        "functions": {0: "QK"},
        "name_room": 3,
    }
    folder.mkdir(exist_ok=True)
    region = create_region(folder / "region", RegionConfig(**options | changes))
    return region.memory.copy()


def header_of(memory: Array) -> Any:
    return memory[: HEADER.itemsize].view(HEADER)[0]


def lanes_of(memory: Array) -> Array:
    header = header_of(memory)
    start = int(header["lanes"])
    return memory[start : start + int(header["lane_count"]) * LANE.itemsize].view(LANE)


def problem(memory: Array, *, region_bytes: int | None = None) -> str:
    """What is wrong with a region; empty where it is read."""
    try:
        read_head(memory, source="here", region_bytes=region_bytes)
    except InputError as error:
        assert error.path == "here"
        return error.problem
    return ""


def header_problem(memory: Array, **fields: int) -> str:
    """What is wrong with a header by itself; its tables need not be there."""
    header = header_of(memory)
    for name, value in fields.items():
        header[name] = value
    try:
        found = check_header(memory[: HEADER.itemsize], source="here")
    except InputError as error:
        return error.problem
    assert {name: int(found[name]) for name in fields} == fields
    return ""


def test_a_head_has_what_was_written(memory: Array) -> None:
    head = read_head(memory, source="here")
    assert head.cores == (Core("aic", 4, 5, 6), Core("", -1, -1, 0), Core("aiv", -1, -1, 0))
    assert head.functions == {0: "QK"}
    assert (len(head.lanes), head.lane_bytes) == (9, 9 * 256)
    assert int(head.header["region_bytes"]) == len(memory)


def test_a_head_is_a_copy(memory: Array) -> None:
    head = read_head(memory, source="here")
    memory[:] = 0
    assert (int(head.header["core_count"]), head.lanes["owner"].tolist()[:3]) == (3, [0, 1, 2])


@pytest.mark.parametrize(
    ("pipes", "names"),
    [
        (1, ["core 0", "core 1", "core 2"]),
        (2, [f"core {core} pipe {pipe}" for core in range(3) for pipe in range(2)]),
    ],
)
def test_a_pipe_is_named_where_a_core_has_several(
    pipes: int, names: list[str], tmp_path: Path
) -> None:
    head = read_head(made(tmp_path, flags=level_features(1), pipes=pipes), source="here")
    assert [head.lane_name(lane) for lane in range(len(head.lanes))] == names


def test_other_owners_are_named_without_a_pipe(memory: Array) -> None:
    head = read_head(memory, source="here")
    assert [head.lane_name(lane) for lane in (2, 5, 6, 7, 8)] == [
        *("core 2", "core 2", "scheduler 0", "scheduler 1", "orchestrator 0")
    ]


def test_what_is_no_region_is_told(memory: Array) -> None:
    assert problem(memory[:383]) == "expected a region, found 383 bytes, too few for one"
    assert problem(memory[:384]) == DAMAGED, "its tables are not there"
    header_of(memory)["version"] = 99
    assert problem(memory) == (
        "the region is of version 99, this lanescope reads version 3; use the lanescope that "
        "belongs to the program"
    )
    header_of(memory)["magic"] = 1
    assert problem(memory) == "expected a region, but the first 8 bytes are not L_REGION"


def test_a_head_needs_its_tables_and_not_its_buffers(memory: Array) -> None:
    prefix = int(header_of(memory)["prefix_bytes"])
    assert problem(memory[:prefix]) == ""
    assert problem(memory[: prefix - 1]) == DAMAGED
    assert problem(memory[:prefix], region_bytes=len(memory)) == ""
    assert problem(memory[:prefix], region_bytes=len(memory) - 1) == (
        f"the region should have {len(memory)} bytes, found {len(memory) - 1}"
    )


HUGE = {"prefix_bytes": 1 << 40, "region_bytes": 1 << 40}


@pytest.mark.parametrize(
    ("most", "more"),
    [
        ({"name_count": 65536}, {"name_count": 65537}),
        ({"core_count": 65536}, {"core_count": 65537}),
        ({"scheduler_count": 65536}, {"scheduler_count": 65537}),
        ({"orchestrator_count": 65536}, {"orchestrator_count": 65537}),
        ({"host_count": 65536}, {"host_count": 65537}),
        ({"core_count": 32768, "pipe_count": 2}, {"core_count": 32769, "pipe_count": 2}),
        ({"core_count": 3, "pipe_count": 21845}, {"core_count": 3, "pipe_count": 21846}),
        ({"clock_hz": 1}, {"clock_hz": 0}),
        ({"clock_hz": (1 << 62) - 1}, {"clock_hz": 1 << 62}),
        ({"func_shift": 63}, {"func_shift": 64}),
        ({"protocol": 3}, {"protocol": 4}),
        ({"on_full": 1}, {"on_full": 2}),
        ({"prefix_bytes": 1 << 40}, {"prefix_bytes": (1 << 40) + 1}),
        ({"flags": 0b10111}, {"flags": 0b10011}),
        ({"flags": 0b1111111}, {"flags": 0b11111111}),
    ],
)
def test_every_number_of_a_header_has_a_limit(
    most: dict[str, int], more: dict[str, int], memory: Array
) -> None:
    assert header_problem(memory, **HUGE | most) == ""
    assert header_problem(memory, **HUGE | more) == DAMAGED


@pytest.mark.parametrize(
    ("table", "count", "entry"),
    [("cores", 3, "ls_core_entry"), ("names", 3, "ls_name_entry"), ("lanes", 9, "ls_lane")],
)
def test_every_table_ends_before_the_buffers_begin(
    table: str, count: int, entry: str, memory: Array
) -> None:
    last = int(header_of(memory)["prefix_bytes"]) - count * layout(entry).itemsize
    assert header_problem(memory, **{table: last}) == ""
    assert header_problem(memory, **{table: last + 1}) == DAMAGED


@pytest.mark.parametrize(
    ("counts", "lanes"),
    [
        ({}, 3 * 4 + 2 * 2 + 1 * 2),
        ({"host_count": 5}, 3 * 4 + 2 * 2 + 1 * 2 + 5),
        ({"pipe_count": 7}, 3 * 4 + 2 * 2 + 1 * 2 + 3 * 7),
        ({"core_count": 4, "scheduler_count": 3}, 4 * 4 + 3 * 2 + 1 * 2),
    ],
)
def test_a_producer_has_one_lane_at_most_for_each_kind(
    counts: dict[str, int], lanes: int, memory: Array
) -> None:
    """A core has 4 kinds and the slices of its pipes, schedulers and orchestrators have 2 each."""
    assert header_problem(memory, **HUGE | counts, lane_count=lanes) == ""
    assert header_problem(memory, **HUGE | counts, lane_count=lanes + 1) == DAMAGED


def lane_problem(memory: Array, lane: int = 0, **fields: int) -> str:
    """What is said of a lane with other words; the other lanes are gone."""
    lanes = lanes_of(memory)
    lanes[0] = lanes[lane]
    header_of(memory)["lane_count"] = 1
    for name, value in fields.items():
        lanes[name][0] = value
    found = problem(memory)
    if not found:
        return ""
    assert found.startswith("lane 0: ") and found.endswith("; the region's head is damaged")
    return found.removeprefix("lane 0: ").removesuffix("; the region's head is damaged")


OUTSIDE = "its buffers are not inside the region"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"kind": 10}, "10 is not a kind of record"),
        ({"kind": 9}, "records of 32 bytes, expected 128"),
        ({"record_bytes": 31}, "records of 31 bytes, expected 32"),
        ({"buffer_records": 0}, "0 records per buffer"),
        ({"buffer_records": 1}, ""),
        ({"buffer_records": 1 << 20}, OUTSIDE),
        ({"buffer_records": (1 << 20) + 1}, "1048577 records per buffer"),
        ({"buffer_count": 0}, "0 buffers"),
        ({"buffer_count": 1}, ""),
        ({"buffer_count": 4096}, OUTSIDE),
        ({"buffer_count": 4097}, "4097 buffers"),
        ({"buffer_stride": 64 + 16 * 32}, ""),
        ({"buffer_stride": 64 + 16 * 32 - 1}, OUTSIDE),
        ({"buffer_records": 17}, OUTSIDE),
        ({"owner": 2}, ""),
        ({"owner": 3}, "it belongs to number 3, which does not exist"),
        ({"pipe": 1 << 20}, ""),
    ],
)
def test_every_number_of_a_lane_has_a_limit(
    fields: dict[str, int], sentence: str, memory: Array
) -> None:
    assert lane_problem(memory, **fields) == sentence


@pytest.mark.parametrize(("lane", "count"), [(6, 2), (8, 1)])
def test_a_lane_belongs_to_an_owner_of_its_own_sort(lane: int, count: int, memory: Array) -> None:
    """Lane 6 is of a scheduler, lane 8 of the orchestrator."""
    assert lane_problem(memory.copy(), lane, owner=count - 1) == ""
    sentence = f"it belongs to number {count}, which does not exist"
    assert lane_problem(memory, lane, owner=count) == sentence


def test_buffers_lie_between_the_tables_and_the_end(memory: Array) -> None:
    lane = lanes_of(memory)[0].copy()
    header, size = header_of(memory), int(lane["buffer_count"]) * int(lane["buffer_stride"])
    prefix = int(header["prefix_bytes"])
    assert lane_problem(memory.copy(), buffers=prefix) == ""
    assert lane_problem(memory.copy(), buffers=prefix - 1) == OUTSIDE
    assert lane_problem(memory.copy(), buffers=len(memory) - size) == ""
    assert lane_problem(memory.copy(), buffers=len(memory) - size + 1) == OUTSIDE


@pytest.mark.parametrize(
    ("pipe", "pipes", "sentence"),
    [
        (1, 2, ""),
        (2, 2, "pipe 2 of 2"),
        (0, 1, ""),
        (1, 1, "pipe 1 of 1"),
        (65534, 65535, ""),
        (0, 40_000, ""),
        (0, 65536, "pipe 0 of 65536"),
    ],
)
def test_a_pipe_is_one_of_its_core(pipe: int, pipes: int, sentence: str, tmp_path: Path) -> None:
    memory = made(tmp_path, flags=level_features(1), pipes=2, cores=(Core("sm"),))
    header_of(memory)["pipe_count"] = pipes
    assert lane_problem(memory, pipe=pipe) == sentence


def test_beside_slices_other_lanes_have_no_pipe(tmp_path: Path) -> None:
    flags = level_features(1) | Feature.CORE_SWIMLANE
    memory = made(tmp_path, flags=flags, pipes=1, pipes_beside=True)
    kinds = lanes_of(memory)["kind"].tolist()
    assert kinds == [0, 0, 0, 5, 5, 5]
    assert lane_problem(memory.copy(), 0, pipe=9) == ""
    assert lane_problem(memory, 3, pipe=9) == "pipe 9 of 1"


@pytest.mark.parametrize("lane", range(1, 9))
def test_a_lane_may_not_reach_into_the_one_before(lane: int, memory: Array) -> None:
    lanes_of(memory)["buffers"][lane] -= 1
    assert problem(memory) == "lanes share buffers; the region's head is damaged"


def test_lanes_may_lie_in_any_order(memory: Array) -> None:
    lanes = lanes_of(memory)
    lanes["buffers"][:3] = lanes["buffers"][:3][::-1].copy()
    assert problem(memory) == ""


def test_two_lanes_at_one_place_share_it(memory: Array) -> None:
    lanes = lanes_of(memory)
    lanes["buffers"][7] = lanes["buffers"][6]
    assert problem(memory) == "lanes share buffers; the region's head is damaged"


def test_texts_that_are_no_utf_8_are_read_with_marks(memory: Array) -> None:
    entry, at = layout("ls_core_entry"), int(header_of(memory)["cores"])
    memory[at : at + entry.itemsize].view(entry)["kind"] = b"a\xff"
    assert read_head(memory, source="here").cores[0].kind == "a�"


def test_a_name_without_text_is_none(memory: Array) -> None:
    assert int(header_of(memory)["name_count"]) == 3
    entry, at = layout("ls_name_entry"), int(header_of(memory)["names"])
    names = memory[at : at + 3 * entry.itemsize].view(entry)
    names[2] = (7, b"PV")
    assert read_head(memory, source="here").functions == {0: "QK", 7: "PV"}
