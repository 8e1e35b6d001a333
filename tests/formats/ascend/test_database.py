"""Databases of the profiler, made by hand from its documentation: see databases.py."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from tests.formats.ascend.databases import BASE, GROUP, database, tables, thread
from tests.formats.simpler.runs import rows

from lanescope.errors import InputError
from lanescope.formats import import_trace

NAME = "ascend_pytorch_profiler_3.db"


def test_tasks_lie_on_their_streams_and_know_what_they_do(tmp_path: Path) -> None:
    trace = import_trace(database(tmp_path / NAME))
    assert rows(trace, "cores", "name", "lane", "device", "queue") == [
        ("stream 5", "stream", 2, 5),
        ("stream 6", "stream", 2, 6),
        (f"group {GROUP}", "communicator", None, None),
    ]
    functions = rows(trace, "functions", "name", "work")
    named = [functions[func] for (func,) in rows(trace, "tasks", "func")]
    assert list(zip(named, rows(trace, "tasks", "core", "start_ns", "end_ns"), strict=True)) == [
        (("MatMulV2", "compute"), (0, 100, 200)),
        (("MatMulV2", "compute"), (0, 210, 260)),
        (("MEMCPY_ASYNC", "copy"), (0, 400, 410)),
        (("EVENT_WAIT", "wait"), (1, 150, 300)),
        (("Notify_Wait", "wait"), (1, 310, 350)),
        (("Memcpy", "communication"), (1, 360, 390)),
        (("hcom_allReduce_", "communication"), (2, 305, 395)),
    ]


def test_calls_join_with_the_tasks_that_they_launched(tmp_path: Path) -> None:
    trace = import_trace(database(tmp_path / NAME))
    assert rows(trace, "controllers", "name") == [
        ("thread 40 of 1984",),
        ("thread 41 of 1984",),
        ("thread 42 of 1984",),
    ]
    found = rows(trace, "phases", "kind", "category", "controller", "launch", "op", "flow", "depth")
    assert found == [
        ("Dequeue", "call", 0, None, 2, 0, 0),
        ("aclnnMatmul", "call", 0, 0, None, None, 1),
        ("launch", "call", 0, 0, None, None, 2),
        ("launch", "call", 0, None, None, None, 0),
        ("aten::mm", "operator", 1, None, 0, None, 0),
        ("my range", "annotation", 1, None, None, None, 1),
        ("Enqueue", "call", 1, None, 1, 0, 2),
        ("aten::mm", "operator", 2, None, 3, None, 0),
    ]
    assert rows(trace, "tasks", "launch", "op")[0] == (0, 0)
    assert rows(trace, "tasks", "launch", "op")[2] == (None, None)


def test_calls_that_synchronise_are_waits(tmp_path: Path) -> None:
    columns, strings = tables()["STRING_IDS"]
    _, calls = tables()["CANN_API"]
    calls.append((BASE + 90, BASE + 95, 5000, thread(40), 5, 7))
    change = {
        "STRING_IDS": (columns, [*strings, (7, "aclrtSynchronizeStream")]),
        "CANN_API": (tables()["CANN_API"][0], calls),
    }
    trace = import_trace(database(tmp_path / NAME, change))
    assert rows(trace, "waits", "kind", "controller", "start_ns", "end_ns") == [
        ("host waits stream", 0, 90, 95)
    ]
    assert ("aclrtSynchronizeStream", "wait") in rows(trace, "phases", "kind", "category")


def test_numbers_of_tasks_are_counters(tmp_path: Path) -> None:
    found = rows(import_trace(database(tmp_path / NAME)), "counters", "name", "value", "task")
    assert found == [
        *[("cores used", 24.0, 0), ("cores used", 40.0, 1)],
        *[("aic cores used", 24.0, 0), ("aic cores used", 20.0, 1)],
        *[("aiv cores used", 0.0, 0), ("aiv cores used", 40.0, 1)],
        *[("plane", 0.0, 4), ("plane", 1.0, 5)],
        *[("bytes", 128.0, 2), ("bytes", 4096.0, 5)],
        ("aic_mac_ratio", 0.75, 0),
    ]


def test_collectives_steps_and_the_machine_are_told(tmp_path: Path) -> None:
    trace = import_trace(database(tmp_path / NAME))
    columns = ("group", "sequence", "matched", "kind", "bytes", "type", "peers", "size", "task")
    assert rows(trace, "collectives", *columns) == [
        (GROUP, 3, "name", "all_reduce", 4096, "FP16", "0, 3", 2, 6)
    ]
    assert rows(trace, "steps", "step", "start_ns", "end_ns") == [(12, 0, 600)]
    meta = trace.meta
    assert (meta.rank, meta.device, meta.chip, meta.host) == (3, 2, "Ascend910B4", "node7")
    assert (meta.epoch_ns, meta.epoch_clock) == (BASE, "realtime")
    assert meta.notes == (
        "Table OVERLAP_ANALYSIS (3 rows) is no work: the profiler made it of the other tables.",
    )


def test_the_older_name_of_blocks_counts_where_there_is_no_newer(tmp_path: Path) -> None:
    _, lines = tables()["COMPUTE_TASK_INFO"]
    columns = "name, globalTaskId, blockDim, mixBlockDim, taskType, opType"
    older = {"COMPUTE_TASK_INFO": (columns, [line[:6] for line in lines])}
    found = rows(import_trace(database(tmp_path / NAME, older)), "counters", "name", "value")
    assert found[:2] == [("cores used", 24.0), ("cores used", 40.0)]


def test_a_packed_database_is_read_alike(tmp_path: Path) -> None:
    path = database(tmp_path / NAME)
    packed = tmp_path / f"{NAME}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    columns = ("core", "start_ns", "end_ns", "launch")
    assert rows(import_trace(packed), "tasks", *columns) == rows(
        import_trace(path), "tasks", *columns
    )


@pytest.mark.parametrize("table", [name for name in tables() if name not in ("TASK", "STRING_IDS")])
def test_every_table_but_two_may_be_absent(tmp_path: Path, table: str) -> None:
    trace = import_trace(database(tmp_path / NAME, without=(table,)))
    assert len(trace.tasks) == 7 - (table == "COMMUNICATION_OP")


def test_tasks_alone_are_called_by_their_type(tmp_path: Path) -> None:
    others = tuple(name for name in tables() if name not in ("TASK", "STRING_IDS"))
    trace = import_trace(database(tmp_path / "msprof_1.db", without=others))
    assert rows(trace, "functions", "name", "work") == [
        ("AI_CORE", "compute"),
        ("MIX_AIV", "compute"),
        ("MEMCPY_ASYNC", "copy"),
        ("EVENT_WAIT", "wait"),
        ("HCCL", "communication"),
    ]


def changed(table: str, row: int, column: int, value: Any) -> dict[str, Any]:
    columns, lines = tables()[table]
    lines[row] = (*lines[row][:column], value, *lines[row][column + 1 :])
    return {table: (columns, lines)}


@pytest.mark.parametrize(
    ("change", "without", "message"),
    [
        (
            changed("TASK", 1, 0, "noon"),
            (),
            "table TASK, column 'startNs': a whole number was expected, found 'noon'",
        ),
        (
            changed("TASK", 1, 1, None),
            (),
            "table TASK, column 'endNs': a time was expected, found none",
        ),
        (
            changed("TASK", 0, 1, BASE + 90),
            (),
            "a row of the device ('MatMulV2') ends 10 ns before it starts; keep such rows, "
            "flagged, with --keep-damaged",
        ),
        (
            changed("CANN_API", 0, 0, None),
            (),
            "table CANN_API: a time was expected, found none",
        ),
        (
            changed("META_DATA", 0, 1, "{"),
            (),
            "table META_DATA, 'parallel_group_info' is not what it should be: Input data was "
            "truncated",
        ),
        ({}, ("TASK",), "has no table TASK with STRING_IDS beside it, so it has nothing to show"),
    ],
)
def test_a_damaged_database_is_refused_in_one_sentence(
    tmp_path: Path, change: dict[str, Any], without: tuple[str, ...], message: str
) -> None:
    path = database(tmp_path / NAME, change, without=without)
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == f"{path}: {message}"


def test_any_truncation_or_flipped_byte_gives_a_trace_or_one_sentence(tmp_path: Path) -> None:
    path = database(tmp_path / NAME)
    whole = path.read_bytes()
    damaged = [whole[:size] for size in range(16, len(whole), 4999)]
    damaged += [whole[:k] + b"\xff" * 7 + whole[k + 7 :] for k in range(20, len(whole), 1499)]
    for content in damaged:
        path.write_bytes(content)
        try:
            import_trace(path)
        except InputError as error:
            assert "\n" not in str(error)
