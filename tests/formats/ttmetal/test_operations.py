"""The report of operations: the real file in all figures of its answer; damage by hand."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.simpler.runs import rows
from tests.formats.spans import DATA, spans

from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace
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


def counter(trace: Trace, name: str) -> np.ndarray:
    return trace.counters["value"][np.array(trace.text("counters", "name")) == name]


def lengths(trace: Trace) -> np.ndarray:
    return trace.tasks["end_ns"] - trace.tasks["start_ns"]


@pytest.fixture(scope="module")
def real() -> list[Trace]:
    return import_paths([REAL])


@needs_data
def test_real_chips_have_the_figures_of_the_answer(real: list[Trace]) -> None:
    assert sum(len(trace.tasks) for trace in real) == answer()["rows"]
    assert [str(trace.meta.device) for trace in real] == list(answer()["devices"])
    for trace, want in zip(real, answer()["devices"].values(), strict=True):
        start, end = trace.tasks["start_cycles"], trace.tasks["end_cycles"]
        assert trace.meta.clock_hz is not None
        found = {
            "rows": len(start),
            "sum_device_fw_duration_ns": lengths(trace).sum(),
            "sum_device_kernel_duration_ns": counter(trace, "DEVICE KERNEL DURATION [ns]").sum(),
            "sum_op_to_op_latency_ns": counter(trace, "OP TO OP LATENCY [ns]").sum(),
            "first_fw_start_cycle": start.min(),
            "last_fw_end_cycle": end.max(),
            "fw_busy_union_cycles": spans(start, end)["busy_union_ns"],
            "cycles_per_ns": trace.meta.clock_hz / 1e9,
        }
        assert found == want


@needs_data
def test_real_operations_are_summed_as_in_the_answer(real: list[Trace]) -> None:
    count: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for trace in real:
        names = np.array(trace.text("functions", "name"))[trace.tasks["func"]]
        for name, length in zip(names.tolist(), lengths(trace).tolist(), strict=True):
            count[name] += 1
            total[name] += length
    assert answer()["by_op_code"] == [
        {"op": name, "count": count[name], "sum_device_fw_duration_ns": ns}
        for name, ns in total.most_common()
    ]


@needs_data
def test_real_rows_lie_by_the_counter_of_their_chip(real: list[Trace]) -> None:
    for trace in real:
        since = trace.tasks["start_cycles"] - trace.meta.base_cycles
        assert np.abs(trace.tasks["start_ns"] * 1.35 - since).max() <= 0.5 * 1.35 + 1e-3
        cycles = trace.tasks["end_cycles"] - trace.tasks["start_cycles"]
        assert np.abs(lengths(trace) - cycles / 1.35).max() <= 0.51
    assert real[2].meta.notes == (
        "Chip 2 of the file's chips 0, 1, 2, 3, 4, 5, 6, 7; each is a trace of its own, because "
        "counters of chips are not in step.",
    )


@needs_data
def test_real_operations_among_chips_are_collectives(real: list[Trace]) -> None:
    found = [rows(trace, "collectives", "group", "sequence", "matched", "kind") for trace in real]
    assert all(one == found[0] for one in found)
    gather, scatter = "AllGatherAsyncDeviceOperation", "ReduceScatterMinimalAsyncDeviceOperation"
    assert sorted(found[0]) == [
        (gather, 0, "stream", "all_gather"),
        (gather, 1, "stream", "all_gather"),
        (scatter, 0, "stream", "reduce_scatter"),
        (scatter, 1, "stream", "reduce_scatter"),
    ]


def test_operations_are_placed_and_counted(tmp_path: Path) -> None:
    trace, other = import_paths([report(tmp_path, *ROWS)])
    assert rows(trace, "cores", "name", "lane", "device") == [("chip 0", "queue", 0)]
    columns = ("core", "token", "func", "start_ns", "end_ns", "id")
    assert rows(trace, "tasks", *columns) == [(0, 0, 0, 0, 1000, 5), (0, 1, 1, 2259, 2759, 6)]
    assert rows(other, "tasks", *columns) == [(0, 0, 0, 0, 2000, 7)]
    assert rows(trace, "functions", "name", "work")[:2] == [
        ("Matmul", "compute"),
        ("AllGatherAsync", "communication"),
    ]
    assert rows(trace, "counters", "name", "value", "task") == [
        *[("cores used", 64.0, 0), ("cores used", 8.0, 1)],
        ("DEVICE COMPUTE CB WAIT FRONT [ns]", 12.5, 0),
    ]
    assert trace.meta.notes[0] == "Not shown: 1 operation that ran on no chip."


def test_one_chip_has_no_note(tmp_path: Path) -> None:
    meta = import_trace(report(tmp_path, *ROWS[:2])).meta
    assert (meta.device, meta.base_cycles, meta.clock_hz) == (0, 1000, 1_350_000_000)
    assert meta.notes == ()


def test_a_packed_report_is_read_alike(tmp_path: Path) -> None:
    path = report(tmp_path, *ROWS)
    packed = tmp_path / "ops.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    both = [[rows(one, "tasks", "end_ns") for one in import_paths([p])] for p in (path, packed)]
    assert both[0] == both[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            ROWS[0].replace("1000,2350", "1e,2350"),
            "line 2, 'DEVICE FW START CYCLE': a whole number was expected, found '1e'",
        ),
        (
            ROWS[0].replace("12.5", "long"),
            "line 2, 'DEVICE COMPUTE CB WAIT FRONT [ns]': a number was expected, found 'long'",
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
    path = report(tmp_path, line, ROWS[1])
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == f"{path}: {message}"


def test_an_operation_that_ends_before_it_starts_is_kept_on_request(tmp_path: Path) -> None:
    path = report(tmp_path, ROWS[0].replace("1000,2350", "2350,1000"), ROWS[1])
    trace = import_trace(path, keep_damaged=True)
    assert rows(trace, "tasks", "start_ns", "end_ns", "start_cycles", "flags")[0] == (
        *(None, None, 2350, 9),
    )
    assert (trace.meta.ledger[0].delivered, trace.meta.ledger[0].unmatched) == (1, 1)


def test_a_report_without_rows_has_no_run(tmp_path: Path) -> None:
    path = report(tmp_path)
    assert import_paths([path]) == []
    path.write_text(HEAD)
    assert import_paths([path]) == []


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
            assert sum(len(trace.tasks) for trace in import_paths([path])) < count
        except InputError as error:
            assert "\n" not in str(error)
