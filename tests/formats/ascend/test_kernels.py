"""Tables of kernels: the real file in all figures of its answer; other columns by hand."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.formats.simpler.runs import rows
from tests.formats.spans import DATA, expected, lane_spans, spans

from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.formats.ascend.kernels import core_counts
from lanescope.trace import Trace

REAL = DATA / "ascend/kernel_details.csv"
needs_data = pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data")
HEAD = "Step Id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)"
ROWS = (
    "3,7,16,Add1,Add,AI_VECTOR_CORE,1700000000000000.5,2.25",
    "3,8,16,MatMul2,MatMul,MIX_AIC,1700000000000004.0,1.0005",
    "4,N/A,N/A,hcom_allReduce__445_7_1,hcom_allReduce_,HCCL,1700000000000001.0,9",
)


def answer() -> dict[str, object]:
    plain = json.loads((DATA / "expected/ascend.json").read_text())["plain"]
    return dict(plain["kernel_details.csv"])


def table(folder: Path, *lines: str, head: str = HEAD) -> Path:
    path = folder / "kernel_details.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def counter(trace: Trace, name: str) -> np.ndarray:
    return trace.counters["value"][np.array(trace.text("counters", "name")) == name]


@needs_data
def test_real_streams_have_the_figures_of_the_answer() -> None:
    trace = import_trace(REAL)
    lanes = rows(trace, "cores", "core", "name", "lane")
    want = {block["stream"]: expected(block) for block in answer()["by_stream"]}  # type: ignore[attr-defined]
    for stream in ("16", "17"):
        [core] = [core for core, name, _ in lanes if name == f"stream {stream}"]
        assert lane_spans(trace, [core]) == want[stream]
    groups = [core for core, _, lane in lanes if lane == "communicator"]
    assert lane_spans(trace, groups) == want["N/A"]
    assert spans(trace.tasks["start_ns"], trace.tasks["end_ns"]) == expected(answer()["all"])  # type: ignore[arg-type]
    assert trace.meta.epoch_ns == answer()["all"]["first_start_ns"]  # type: ignore[index]
    assert trace.meta.epoch_clock == "realtime"


@needs_data
def test_real_kernels_are_summed_by_type_as_the_answer_has_them() -> None:
    trace = import_trace(REAL)
    name = np.array(trace.text("functions", "name"))[trace.tasks["func"]]
    length = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    assert len(set(name)) == answer()["by_type_top"]["distinct_names"]  # type: ignore[index]
    for top in answer()["by_type_top"]["top"]:  # type: ignore[index]
        mine = length[name == top["name"]]
        assert (len(mine), mine.sum(), mine.min(), mine.max()) == (
            *(top["count"], top["sum_ns"], top["min_ns"], top["max_ns"]),
        )


@needs_data
def test_real_computation_and_communication_divide_the_time_as_in_the_answer() -> None:
    trace = import_trace(REAL)
    work = np.array(trace.text("functions", "work"))[trace.tasks["func"]]
    start, end = trace.tasks["start_ns"], trace.tasks["end_ns"]
    compute, all_ = work == "compute", spans(start, end)
    busy = spans(start[compute], end[compute])["busy_union_ns"]
    want = answer()["decomposition_ns"]
    assert busy == want["compute"]  # type: ignore[index]
    assert all_["busy_union_ns"] - busy == want["exposed_communication"]  # type: ignore[index]
    assert all_["idle_in_span_ns"] == want["idle"]  # type: ignore[index]
    assert set(work) == {"compute", "communication"}


@needs_data
def test_real_cores_used_and_waits_are_counters() -> None:
    trace = import_trace(REAL)
    used = Counter(str(int(value)) for value in counter(trace, "cores used"))
    assert dict(used.most_common(8)) == answer()["block_dim_histogram"]
    assert counter(trace, "wait ns").sum() == answer()["wait_time_sum_ns"]
    with REAL.open() as file:
        known = [
            row["aiv_time(us)"] for row in csv.DictReader(file) if row["aiv_time(us)"] != "N/A"
        ]
    assert sorted(counter(trace, "aiv_time(us)")) == sorted(map(float, known))


@needs_data
def test_real_operations_are_collectives_counted_by_their_names() -> None:
    found = rows(import_trace(REAL), "collectives", "group", "sequence", "matched", "kind")
    assert len(found) == 19
    assert found[0] == ("445", 0, "name", "broadcast")
    assert {group for group, *_ in found} == {"445", "328", "935"}
    assert [n for group, n, *_ in found if group == "935"] == [0, 1, 2, 3, 4]


def test_rows_are_placed_exactly_and_know_their_cores(tmp_path: Path) -> None:
    head = HEAD + ",Wait Time(us),Block Dim,Mix Block Dim,aic_mac_ratio,Input Shapes"
    path = table(
        tmp_path,
        ROWS[0] + ',0.5,48,0,N/A,"""4,1025"""',
        ROWS[1] + ',0,20,40,0.75,"""1;2"""',
        ROWS[2] + ",0,0,N/A,N/A,N/A",
        head=head,
    )
    trace = import_trace(path)
    # The second ends at …005000.5 ns, which lies between …005000 and …005001: the even one counts.
    assert rows(trace, "tasks", "core", "func", "start_ns", "end_ns") == [
        (0, 0, 0, 2250),
        (0, 1, 3500, 4500),
        (1, 2, 500, 9500),
    ]
    assert rows(trace, "functions", "name", "work") == [
        ("Add", "compute"),
        ("MatMul", "compute"),
        ("hcom_allReduce_", "communication"),
    ]
    assert rows(trace, "counters", "name", "value", "task") == [
        *[("wait ns", 500.0, 0), ("wait ns", 0.0, 1), ("wait ns", 0.0, 2)],
        *[("cores used", 48.0, 0), ("cores used", 20.0, 1), ("cores used", 0.0, 2)],
        *[("aic cores used", 0.0, 0), ("aic cores used", 20.0, 1)],
        *[("aiv cores used", 48.0, 0), ("aiv cores used", 40.0, 1)],
        ("aic_mac_ratio", 0.75, 1),
    ]
    assert rows(trace, "steps", "step", "name", "start_ns", "end_ns") == [
        (3, "step 3", 0, 4500),
        (4, "step 4", 500, 9500),
    ]


def test_the_table_of_msprof_and_a_packed_one_are_read_alike(tmp_path: Path) -> None:
    old = table(tmp_path, *ROWS)
    other = tmp_path / "op_summary_1.csv.gz"
    head = "Device_id,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),"
    lines = [head + "Task Duration(us)", *("5" + line[1:].replace(",9", ",9\t") for line in ROWS)]
    other.write_bytes(gzip.compress("\n".join(lines).encode()))
    columns = ("func", "start_ns", "end_ns")
    assert rows(import_trace(other), "tasks", *columns) == rows(
        import_trace(old), "tasks", *columns
    )
    assert rows(import_trace(other), "cores", "device")[0] == (5,)


def test_an_operation_that_is_launched_again_is_counted_in_its_group(tmp_path: Path) -> None:
    again = ROWS[2].replace("000001.0", "000021.0")
    trace = import_trace(table(tmp_path, *ROWS, again))
    assert rows(trace, "collectives", "group", "sequence", "matched") == [
        ("445", 0, "group"),
        ("445", 1, "group"),
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [ROWS[0].replace("2.25", "two")],
            "line 2, 'Duration(us)': a number was expected, found 'two'",
        ),
        (
            [ROWS[0].replace(",2.25", ",-2.25")],
            "a row of the device ('Add') ends 2250 ns before it starts; keep such rows, flagged, "
            "with --keep-damaged",
        ),
        (
            [ROWS[1], ROWS[0].replace("1700000000000000.5", "N/A")],
            "line 3, 'Start Time(us)': a time was expected, found none",
        ),
        (
            [ROWS[0].replace(",16,", ",x16,")],
            "line 2, 'Stream ID': a whole number was expected, found 'x16'",
        ),
        (
            [ROWS[0].replace("1700000000000000.5", "9" * 30)],
            "'Start Time(us)' has a number with more digits than a time has",
        ),
        (
            [ROWS[0], "3,7,16,Add"],
            "is not the CSV file that it should be: line 3 has 4 cells instead of 8; it may be cut "
            "off there",
        ),
    ],
)
def test_a_damaged_table_is_refused_in_one_sentence(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    path = table(tmp_path, *lines)
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == f"{path}: {message}"


def test_a_table_without_rows_is_an_empty_trace(tmp_path: Path) -> None:
    assert len(import_trace(table(tmp_path)).tasks) == 0


def test_a_counter_that_is_a_text_in_one_row_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, ROWS[0] + ",0.5", ROWS[1] + ",half", head=HEAD + ",aic_mac_ratio")
    with pytest.raises(InputError, match="line 3, 'aic_mac_ratio': a number was expected"):
        import_trace(path)


def test_blocks_run_on_the_kind_of_core_that_the_type_names() -> None:
    types = ["MIX_AIC", "AIV", "AI_CPU"]
    nan = np.nan
    found = core_counts(
        np.array([10.0, 20, 30, 40]), np.array([5.0, nan, 7, 8]), np.array([0, 1, 2, -1]), types
    )
    want = {
        "cores used": [10, 20, 30, 40],
        "aic cores used": [10, 0, nan, nan],
        "aiv cores used": [5, 20, nan, nan],
    }
    assert list(found) == list(want)
    for name, values in want.items():
        assert np.array_equal(found[name], values, equal_nan=True)
    plain = core_counts(np.array([30.0]), np.array([7.0]), np.array([2]), types)
    assert {name: values.tolist() for name, values in plain.items()} == {"cores used": [30]}


@needs_data
def test_any_truncation_gives_a_trace_or_one_sentence(tmp_path: Path) -> None:
    whole = REAL.read_bytes()
    path = tmp_path / "kernel_details.csv"
    for size in range(700, 9000, 137):
        path.write_bytes(whole[:size])
        try:
            assert len(import_trace(path).tasks) <= 591
        except InputError as error:
            assert "\n" not in str(error)
