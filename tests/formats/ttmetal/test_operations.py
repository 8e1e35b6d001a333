"""The report of operations: the real file in all figures of its answer; damage by hand."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.simpler.runs import rows
from tests.formats.spans import DATA, spans

from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.trace import Trace

REAL = DATA / "tt-metal/bh_8xp150_deepseek_v3_d_p.csv"
needs_data = pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data")
HEAD = (
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,CORE COUNT,DEVICE FW START CYCLE,"
    "DEVICE FW END CYCLE,DEVICE FW DURATION [ns],DEVICE COMPUTE CB WAIT FRONT [ns],"
    "INPUT_0_W_PAD[LOGICAL]"
)
ROWS = (
    "Matmul,tt_dnn_device,5,0,blackhole,64,1000,2350,1000,12.5,1[1]",
    "AllGatherAsync,tt_dnn_device,6,0,blackhole,8,4050,4725,500,,1[1]",
    "Matmul,tt_dnn_device,7,1,blackhole,64,9000000,9002700,2000,3,1[1]",
    "ttnn.from_torch,python_fallback,8,,,,,,,,",
)


def answer() -> dict[str, Any]:
    return dict(json.loads((DATA / "expected/tt-metal.json").read_text())["plain"])


def report(folder: Path, *lines: str, head: str = HEAD) -> Path:
    path = folder / "ops_perf_results_2026_01_01.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def counter(trace: Trace, name: str, core: int) -> np.ndarray:
    mine = np.array(trace.text("counters", "name")) == name
    return trace.counters["value"][mine & (trace.counters["core"] == core)]


@needs_data
def test_real_chips_have_the_figures_of_the_answer() -> None:
    trace = import_trace(REAL)
    assert len(trace.tasks) == answer()["rows"]
    assert (trace.meta.chip, trace.meta.clock_hz) == ("blackhole", 1_350_000_000)
    devices = answer()["devices"]
    assert [str(device) for (device,) in rows(trace, "cores", "device")] == list(devices)
    length = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    for core, want in enumerate(devices.values()):
        mine = trace.tasks["core"] == core
        start, end = trace.tasks["start_cycles"][mine], trace.tasks["end_cycles"][mine]
        found = {
            "rows": int(mine.sum()),
            "sum_device_fw_duration_ns": length[mine].sum(),
            "sum_device_kernel_duration_ns": counter(
                trace, "DEVICE KERNEL DURATION [ns]", core
            ).sum(),
            "sum_op_to_op_latency_ns": counter(trace, "OP TO OP LATENCY [ns]", core).sum(),
            "first_fw_start_cycle": start.min(),
            "last_fw_end_cycle": end.max(),
            "fw_busy_union_cycles": spans(start, end)["busy_union_ns"],
            "cycles_per_ns": trace.meta.clock_hz / 1e9,
        }
        assert found == want


@needs_data
def test_real_operations_are_summed_as_in_the_answer() -> None:
    trace = import_trace(REAL)
    length = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    found = [
        {"op": name, "count": int((trace.tasks["func"] == func).sum())}
        | {"sum_device_fw_duration_ns": length[trace.tasks["func"] == func].sum()}
        for func, name in rows(trace, "functions", "func", "name")
    ]
    by_sum = sorted(found, key=lambda one: -one["sum_device_fw_duration_ns"])
    assert by_sum == answer()["by_op_code"]


@needs_data
def test_real_rows_lie_by_the_counter_of_their_chip_and_the_note_says_so() -> None:
    trace = import_trace(REAL)
    assert trace.meta.notes == (
        "Counters of two chips are not in step: each chip begins at 0 ns here, and no order "
        "between chips is known.",
    )
    first = trace.tasks["token"] == 0
    assert trace.tasks["start_ns"][first].tolist() == [0] * 8
    bases = trace.meta.extra["base_cycles_of_chips"]
    base = np.array([bases[str(chip)] for (chip,) in rows(trace, "cores", "device")])
    since = trace.tasks["start_cycles"] - base[trace.tasks["core"]]
    assert np.abs(trace.tasks["start_ns"] * 1.35 - since).max() <= 0.5 * 1.35 + 1e-3


@needs_data
def test_real_length_in_ns_is_that_of_the_cycles() -> None:
    trace = import_trace(REAL)
    cycles = trace.tasks["end_cycles"] - trace.tasks["start_cycles"]
    length = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    assert np.abs(length - cycles / 1.35).max() <= 0.51


def test_operations_are_placed_and_counted(tmp_path: Path) -> None:
    trace = import_trace(report(tmp_path, *ROWS))
    assert rows(trace, "cores", "name", "lane", "device") == [
        ("chip 0", "queue", 0),
        ("chip 1", "queue", 1),
    ]
    columns = ("core", "token", "func", "start_ns", "end_ns", "id")
    assert rows(trace, "tasks", *columns) == [
        (0, 0, 0, 0, 1000, 5),
        (0, 1, 1, 2259, 2759, 6),
        (1, 0, 0, 0, 2000, 7),
    ]
    assert rows(trace, "functions", "name", "work")[:2] == [
        ("Matmul", "compute"),
        ("AllGatherAsync", "communication"),
    ]
    assert rows(trace, "counters", "name", "value", "task") == [
        *[("cores used", 64.0, 0), ("cores used", 8.0, 1), ("cores used", 64.0, 2)],
        ("DEVICE COMPUTE CB WAIT FRONT [ns]", 12.5, 0),
        ("DEVICE COMPUTE CB WAIT FRONT [ns]", 3.0, 2),
    ]
    assert trace.meta.notes[-1] == "1 operations ran on no chip and are not shown."


def test_one_chip_has_a_base_and_no_note(tmp_path: Path) -> None:
    meta = import_trace(report(tmp_path, *ROWS[:2])).meta
    assert (meta.device, meta.base_cycles, meta.clock_hz) == (0, 1000, 1_350_000_000)
    assert meta.notes == ()


def test_a_packed_report_is_read_alike(tmp_path: Path) -> None:
    path = report(tmp_path, *ROWS)
    packed = tmp_path / "ops.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert rows(import_trace(packed), "tasks", "end_ns") == rows(
        import_trace(path), "tasks", "end_ns"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            ROWS[0].replace("1000,2350", "1e,2350"),
            "line 2, 'DEVICE FW START CYCLE': a whole number was expected, found '1e'",
        ),
        (
            ROWS[0].replace("1000,2350", "2350,1000"),
            "line 2, 'DEVICE FW END CYCLE': the operation ends before it starts",
        ),
        (
            ROWS[0].replace("2350,1000", "2350,-1"),
            "line 2, 'DEVICE FW DURATION [ns]': a length of 0 or more was expected",
        ),
        (
            ROWS[0].replace("2350,1000", "2350,0"),
            "'DEVICE FW DURATION [ns]' is 0 in every row, so the rate of the counter is not known",
        ),
        (
            ROWS[0].replace("12.5", "long"),
            "line 2, 'DEVICE COMPUTE CB WAIT FRONT [ns]': a number was expected, found 'long'",
        ),
        (
            ROWS[0].replace("5,0,black", "5,,black"),
            "line 2, 'DEVICE ID': the number of a chip was expected",
        ),
        (
            "Matmul,tt_dnn_device,5",
            "is not the CSV file that it should be: line 2 has 3 cells instead of 11; it may be "
            "cut off there",
        ),
    ],
)
def test_a_damaged_report_is_refused_in_one_sentence(
    tmp_path: Path, line: str, message: str
) -> None:
    extra = () if "rate of the counter" in message else (ROWS[1],)
    path = report(tmp_path, line, *extra)
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == f"{path}: {message}"


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    head = HEAD.replace("DEVICE FW DURATION [ns]", "SOMETHING")
    path = report(tmp_path, ROWS[0], head=head)
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == (
        f"{path}: has no column 'DEVICE FW DURATION [ns]', which a report of operations has"
    )


@needs_data
def test_any_truncation_gives_a_trace_or_one_sentence(tmp_path: Path) -> None:
    whole = REAL.read_bytes()
    with REAL.open() as file:
        count = sum(1 for _ in csv.reader(file)) - 1
    path = tmp_path / "ops.csv"
    for size in range(3500, 30000, 611):
        path.write_bytes(whole[:size])
        try:
            assert len(import_trace(path).tasks) < count
        except InputError as error:
            assert "\n" not in str(error)
