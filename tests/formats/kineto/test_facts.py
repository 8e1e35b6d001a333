"""What the head of a Kineto file tells of its trace: rank, device, process, step and UTC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.kineto.files import file, host, kernel, op, read

LATE_US = 1_600_000_000_000_000.0
"""September 2020, as files before 2024 write it."""


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("3", 3),
        (0, 0),
        ((1 << 31) - 1, (1 << 31) - 1),
        (1 << 31, None),
        (-1, None),
        ("first", None),
        (None, None),
    ],
)
def test_rank_and_world_are_numbers_of_31_bits(
    tmp_path: Path, written: Any, known: int | None
) -> None:
    about = {"rank": written, "world_size": written}
    meta = read(tmp_path, file(op("a", 1, 1), distributedInfo=about)).meta
    assert (meta.rank, meta.world) == (known, known)
    assert meta.extra == {"kineto": {"schemaVersion": 1, "distributedInfo": about}}


def test_the_chip_is_that_of_the_devices_with_rows(tmp_path: Path) -> None:
    told = [{"id": 0, "name": "H100"}, {"id": 1, "name": "H200"}, "odd"]
    trace = read(tmp_path, file(kernel("k", 1, 1, 1), deviceProperties=told))
    assert (trace.meta.chip, trace.meta.device) == ("H100", 0)
    assert trace.meta.extra["kineto"]["deviceProperties"] == [{"id": 0, "name": "H100"}]


def test_without_rows_of_a_device_all_chips_are_told(tmp_path: Path) -> None:
    told = [
        {"id": 0, "name": "H100"},
        {"id": 1},
        {"id": 2, "name": "H200"},
        {"id": 3, "name": "H100"},
    ]
    trace = read(tmp_path, file(op("a", 1, 1), deviceProperties=told))
    assert (trace.meta.chip, trace.meta.device) == ("H100 and H200", None)
    assert trace.meta.extra == {"kineto": {"schemaVersion": 1}}


def test_one_process_and_one_step_are_those_of_the_trace(tmp_path: Path) -> None:
    step = host("user_annotation", "ProfilerStep#4", 1, 5)
    meta = read(tmp_path, file(step, host("user_annotation", "ProfilerStep#4", 9, 5))).meta
    assert (meta.process, meta.step) == (100, 4)
    other = {**host("user_annotation", "ProfilerStep#5", 20, 5), "pid": 101}
    meta = read(tmp_path, file(step, other)).meta
    assert (meta.process, meta.step) == (None, None)
    meta = read(tmp_path, file(kernel("k", 1, 1, 1))).meta
    assert (meta.process, meta.step) == (None, None)


def test_the_run_is_the_id_of_the_trace_cut_at_256_letters(tmp_path: Path) -> None:
    assert read(tmp_path, file(op("a", 1, 1), trace_id="r" * 257)).meta.run == "r" * 256
    none = read(tmp_path, file(op("a", 1, 1))).meta.run
    assert read(tmp_path, file(op("a", 1, 1), trace_id="")).meta.run == none
    assert read(tmp_path, file(op("a", 1, 1), trace_id=7)).meta.run == none


def test_small_values_of_the_head_are_kept(tmp_path: Path) -> None:
    head = {
        "schemaVersion": 2,
        "cupti_version": 24,
        "cuda_runtime_version": 12060,
        "cuda_driver_version": 12070,
        "trace_id": "x" * ((1 << 16) - 2),
        "with_flops": 1,
    }
    kept = {key: value for key, value in head.items() if key != "with_flops"}
    assert read(tmp_path, file(op("a", 1, 1), **head)).meta.extra == {"kineto": kept}
    larger = {**head, "trace_id": "x" * ((1 << 16) - 1)}
    del kept["trace_id"]
    assert read(tmp_path, file(op("a", 1, 1), **larger)).meta.extra == {"kineto": kept}


def test_a_file_that_is_just_the_rows_keeps_nothing(tmp_path: Path) -> None:
    rows = [host("Runtime", "cudaLaunchKernel", 1, 2)]
    assert read(tmp_path, rows).meta.extra == {}


@pytest.mark.parametrize(
    ("base", "epoch"),
    [
        (1, 3001),
        ((1 << 62) - 1, (1 << 62) + 2999),
        (1 << 62, None),
        (0, None),
        (-1, None),
        ("1", None),
    ],
)
def test_times_count_from_the_base_that_the_file_names(
    tmp_path: Path, base: Any, epoch: int | None
) -> None:
    meta = read(tmp_path, file(op("a", 3, 1), baseTimeNanoseconds=base)).meta
    assert (meta.epoch_ns, meta.epoch_clock) == (epoch, "" if epoch is None else "realtime")


@pytest.mark.parametrize(
    ("start", "epoch"),
    [(10**15, 10**18), (10**15 - 1, None), (LATE_US, int(LATE_US) * 1000)],
)
def test_times_without_a_base_are_utc_since_2001(
    tmp_path: Path, start: float, epoch: int | None
) -> None:
    rows = [kernel("k", start, 1, 1), op("a", start + 1, 1)]
    content = {"schemaVersion": 1, "traceEvents": rows}
    assert read(tmp_path, content).meta.epoch_ns == epoch


def test_a_file_without_work_and_base_has_no_utc(tmp_path: Path) -> None:
    assert read(tmp_path, {"schemaVersion": 1, "traceEvents": []}).meta.epoch_ns is None
