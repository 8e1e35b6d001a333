"""Whole folders of the profiler: one trace per rank, of the best file, saying what was left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.formats.ascend.databases import database
from tests.formats.simpler.runs import rows

from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace
from lanescope.formats.ascend.folder import is_rank_folder

KERNELS = (
    "Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
    "16,Add1,Add,AI_VECTOR_CORE,1700000000000000.5,2.25\n"
)
STEPS = "Device_id,Step,Computing,Communication(Not Overlapped),Communication,Free\n0,3,2.5,0,0,1\n"


def rank_folder(root: Path, rank: int, *, with_database: bool = False) -> Path:
    folder = root / f"node_{rank}_ascend_pt"
    output = folder / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (folder / f"profiler_info_{rank}.json").write_text(json.dumps({"config": {}, "start_info": {}}))
    (output / "kernel_details.csv").write_text(KERNELS)
    (output / "step_trace_time.csv").write_text(STEPS)
    (output / "op_statistic.csv").write_text("OP Type,Count\nAdd,1\n")
    if with_database:
        database(output / f"ascend_pytorch_profiler_{rank}.db")
        database(folder / "PROF_0001" / "msprof_1.db")
    return folder


def test_a_parent_folder_gives_one_trace_per_rank(tmp_path: Path) -> None:
    for rank in (0, 1):
        rank_folder(tmp_path, rank)
    traces = import_paths([tmp_path])
    assert [(trace.meta.name, trace.meta.rank) for trace in traces] == [
        ("node_0_ascend_pt", 0),
        ("node_1_ascend_pt", 1),
    ]
    assert [len(trace.tasks) for trace in traces] == [1, 1]
    assert traces[0].meta.extra["step_trace_time"]["Computing"] == [2.5]
    assert traces[0].meta.notes == ("Not read: ASCEND_PROFILER_OUTPUT/op_statistic.csv.",)


def test_the_database_is_the_best_file_and_the_others_are_said(tmp_path: Path) -> None:
    trace = import_trace(rank_folder(tmp_path, 5, with_database=True))
    assert trace.meta.rank == 5
    assert len(trace.tasks) == 7
    assert trace.meta.notes == (
        "Not read: ASCEND_PROFILER_OUTPUT/op_statistic.csv, PROF_0001/msprof_1.db.",
        "Table OVERLAP_ANALYSIS (3 rows) is no work: the profiler made it of the other tables.",
        "kernel_details.csv says the same as the database and was not read.",
    )


def test_the_folder_of_results_alone_is_a_run_too(tmp_path: Path) -> None:
    folder = rank_folder(tmp_path, 5) / "ASCEND_PROFILER_OUTPUT"
    assert rows(import_trace(folder), "tasks", "start_ns", "end_ns") == [(0, 2250)]


def test_ranks_kept_apart_are_the_same_traces(tmp_path: Path) -> None:
    rank_folder(tmp_path, 0)
    [apart] = import_paths([tmp_path], per_rank=True)
    [together] = import_paths([tmp_path])
    assert (apart.meta.rank, len(apart.tasks)) == (together.meta.rank, len(together.tasks))


def test_a_rank_that_was_not_analysed_is_refused_in_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "node_1_ascend_pt"
    (folder / "PROF_1" / "device_0").mkdir(parents=True)
    with pytest.raises(InputError) as refused:
        import_paths([folder])
    assert str(refused.value) == (
        f"{folder}: has nothing to read; a database, a timeline or a table of kernels in "
        "ASCEND_PROFILER_OUTPUT was expected (was the recording analysed?)"
    )


def test_eight_files_that_are_not_read_are_named(tmp_path: Path) -> None:
    folder = rank_folder(tmp_path, 5)
    for k in range(7):
        (folder / "ASCEND_PROFILER_OUTPUT" / f"other_{k}.csv").write_text("A,B\n1,2\n")
    note = ", ".join(
        f"ASCEND_PROFILER_OUTPUT/{name}.csv"
        for name in ("op_statistic", *(f"other_{k}" for k in range(7)))
    )
    assert import_trace(folder).meta.notes == (f"Not read: {note}.",)
    (folder / "z.csv").write_text("A,B\n1,2\n")
    assert import_trace(folder).meta.notes == (f"Not read: {note} and 1 more.",)


def test_the_profilers_own_database_comes_before_others_of_its_folder(tmp_path: Path) -> None:
    output = rank_folder(tmp_path, 5) / "ASCEND_PROFILER_OUTPUT"
    database(output / "ascend_pytorch_profiler_5.db")
    database(output / "another.db")
    notes = import_trace(output.parent).meta.notes
    assert notes[0] == (
        "Not read: ASCEND_PROFILER_OUTPUT/another.db, ASCEND_PROFILER_OUTPUT/op_statistic.csv."
    )


@pytest.mark.parametrize(
    ("inner", "known"),
    [
        ("x_ascend_pt", True),
        ("x_ascend_ms", True),
        ("x_ascend_tf", False),
        ("run/ASCEND_PROFILER_OUTPUT", True),
        ("PROF_1/mindstudio_profiler_output", True),
        ("PROF_1/ASCEND_PROFILER_OUTPUT", False),
        ("run/mindstudio_profiler_output", False),
    ],
)
def test_a_folder_of_a_rank_is_known_by_its_name_or_its_results(
    tmp_path: Path, inner: str, known: bool
) -> None:
    (tmp_path / inner).mkdir(parents=True)
    assert is_rank_folder(tmp_path / inner.split("/")[0]) is known


def test_the_table_of_msprof_is_read_where_there_is_no_other(tmp_path: Path) -> None:
    output = tmp_path / "PROF_1" / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    (output / "op_summary_1.csv").write_text(KERNELS)
    assert rows(import_trace(tmp_path / "PROF_1"), "tasks", "start_ns", "end_ns") == [(0, 2250)]


def test_files_beside_a_database_say_the_same(tmp_path: Path) -> None:
    output = rank_folder(tmp_path, 5, with_database=True) / "ASCEND_PROFILER_OUTPUT"
    events = [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "1.5", "dur": 1}]
    process = {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "CANN"}}
    (output / "trace_view.json").write_text(json.dumps([*events, process]))
    notes = import_trace(output.parent).meta.notes
    assert notes[-1] == (
        "trace_view.json and kernel_details.csv say the same as the database and were not read."
    )
