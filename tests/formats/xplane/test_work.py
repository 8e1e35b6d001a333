"""What a device's event does, and its numbers, by names and details."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import rows
from tests.formats.xplane.spaces import Plane, space
from tests.formats.xplane.test_read import imported

from lanescope.formats.streams.recording import WORK
from lanescope.formats.xplane.work import _details, work_of_names


@pytest.mark.parametrize(
    ("name", "work"),
    [
        *((f"{kind}.1", "communication") for kind in ("all-reduce", "all-gather", "all-to-all")),
        *((kind, "communication") for kind in ("ragged-all-to-all", "reduce-scatter", "send")),
        *((f"%{kind} =", "communication") for kind in ("collective-permute", "recv-done")),
        ("collective-broadcast-start(x)", "communication"),
        ("sender", "compute"),
        ("my-send", "compute"),
        ("ncclDevKernel_AllReduce", "communication"),
        ("MemcpyH2D", "copy"),
        ("void copyBuffer", "copy"),
        ("copy", "copy"),
        ("copy.3", "copy"),
        ("Copy-start", "copy"),
        ("copy-done.1", "copy"),
        ("copy_fusion", "compute"),
        ("my copy", "compute"),
        ("Memset", "fill"),
        ("fillbuffer", "fill"),
        ("memset of memcpy", "copy"),
        ("fusion.1", "compute"),
        ("", "compute"),
    ],
)
def test_the_name_of_an_event_says_what_it_does(name: str, work: str) -> None:
    assert [WORK[code] for code in work_of_names(["fusion", name])] == ["compute", work]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("grid:16,2,3 block:128,2,1", {"blocks": 96, "threads": 256}),
        ("regs:32 other:7", {"registers": 32}),
        ("static_shared:5 dynamic_shared:64 group_mem:1", {"shared memory": 70}),
        ("occ_pct:50", {"occupancy": 50}),
        ("occ_pct:0", {}),
        ("size:4096,1", {"bytes": 4096}),
        ("size:,", {}),
        ("regs:x", {}),
        ("", {}),
        (" " * 4089 + "regs:32", {"registers": 32}),
        (" " * 4089 + "regs:32 size:1", {"registers": 32}),
        (" " * 4090 + "regs:32", {}),
        (" " * 4092 + "regs:32", {}),
        ("size:1 " + " " * 4084 + "regs:32 size:1", {"bytes": 1}),
    ],
)
def test_details_are_numbers_behind_their_keys(text: str, numbers: dict[str, float]) -> None:
    assert _details(text) == numbers


def device(name: str = "/device:GPU:0", **events: Any) -> Plane:
    """A stream whose events begin 10 ns apart and last 5 ns, each with its stats."""
    return Plane(name).line(
        "Stream #1",
        *((name, 10_000 * k, 5_000, stats) for k, (name, stats) in enumerate(events.items())),
    )


def test_stats_of_an_event_say_more_than_its_name(tmp_path: Path) -> None:
    events: dict[str, Any] = {
        "a": {"memcpy_details": "size:1"},
        "b": {"Memset_details": "size:2"},
        "c": {"hlo_op": "all-reduce.1"},
        "d": {"hlo_op": "fusion.1"},
        "memset": {},
        "memset 2": {"hlo_op": "fusion.1"},
    }
    trace = imported(tmp_path, space(device(**events)))
    assert [work for (work,) in rows(trace, "functions", "work")] == [
        *("copy", "fill", "communication", "compute", "fill", "fill"),
    ]


def test_stats_that_measure_something_are_counters(tmp_path: Path) -> None:
    some = {"Model_FLOPS": 1, "x_bytes_y": 2.5, "occupancy": 3, "a_pct": 4, "percent": 5}
    more = {"Utilization": 6, "a_pct_b": 7, "other": 8, "kernel_details": "regs:9"}
    trace = imported(tmp_path, space(device(a={**some, **more}, b={"kernel_details": "block:2"})))
    assert rows(trace, "counters", "name", "value", "task") == [
        ("Model_FLOPS", 1.0, 0),
        ("Utilization", 6.0, 0),
        ("a_pct", 4.0, 0),
        ("occupancy", 3.0, 0),
        ("percent", 5.0, 0),
        ("x_bytes_y", 2.5, 0),
        ("registers", 9.0, 0),
        ("threads", 2.0, 1),
    ]


COLLECTIVES = {
    "all-reduce": "all_reduce",
    "all-gather-start": "all_gather",
    "all-to-all.2": "all_to_all",
    "ragged-all-to-all": "all_to_all",
    "reduce-scatter": "reduce_scatter",
    "collective-permute": "collective_permute",
    "collective-broadcast": "broadcast",
    "send": "send",
    "recv-start.1": "recv",
    "all-reduce-done": None,
    "fusion": None,
}


def test_operations_among_devices_are_collectives_and_their_second_part_is_none(
    tmp_path: Path,
) -> None:
    events = {f"event {op}": {"hlo_op": op} for op in COLLECTIVES}
    trace = imported(tmp_path, space(device(**events)))
    want = [(op, kind) for op, kind in COLLECTIVES.items() if kind is not None]
    assert rows(trace, "collectives", "group", "kind") == want


@pytest.mark.parametrize(
    ("stats", "group"),
    [
        ({"hlo_module": "m", "program_id": 7}, "m(7) send"),
        ({"hlo_module": "m"}, "m send"),
        ({"program_id": 7}, "7 send"),
        ({}, "send"),
    ],
)
def test_a_collective_is_of_its_module_and_program(
    tmp_path: Path, stats: dict[str, Any], group: str
) -> None:
    about = {**stats, "hlo_op": "send", "bytes_accessed": 64}
    plane = Plane("/device:GPU:0").line("Stream #1", ("a", 9_000, 10, about), ("b", 0, 10, about))
    plane.line("Stream #2", ("a", 20_000, 10, {**stats, "hlo_op": "send"}))
    found = rows(imported(tmp_path, space(plane)), "collectives", "group", "sequence", "bytes")
    assert found == [(group, 0, 64), (group, 1, 64), (group, 2, None)]
