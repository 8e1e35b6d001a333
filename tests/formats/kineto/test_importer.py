"""Which files are Kineto's, what counts as which kind of row, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.kineto.files import call, file, host, kernel, op, read

from lanescope.trace import MISSING, Trace


def named(trace: Trace, table: str, *names: str) -> list[tuple[Any, ...]]:
    columns = trace.table(table).to_dict()
    return [*zip(*(columns[name] for name in names), strict=True)]


def format_of(folder: Path, content: Any) -> str:
    return read(folder, content).meta.sources[0].format


SIGNS = ("cuda_runtime", "cuda_driver", "gpu_memcpy", "ac2g", "xpu_runtime", "Runtime")


@pytest.mark.parametrize("key", ["schemaVersion", "deviceProperties", "distributedInfo"])
def test_a_key_of_the_head_is_enough(tmp_path: Path, key: str) -> None:
    row = op("a", 1, 1)
    assert format_of(tmp_path, {key: None, "traceEvents": [row]}) == "kineto"
    assert format_of(tmp_path, {"other": None, "traceEvents": [row]}) == "chrome"


@pytest.mark.parametrize("sign", SIGNS)
def test_a_category_near_the_beginning_is_enough(tmp_path: Path, sign: str) -> None:
    rows = [host(sign, "a", 1, 1)]
    assert format_of(tmp_path, {"traceEvents": rows}) == "kineto"
    assert format_of(tmp_path, rows) == "kineto"
    assert format_of(tmp_path, [host(f"{sign}s", "a", 1, 1)]) == "chrome"


@pytest.mark.parametrize(("before", "known"), [(250_000, "kineto"), (263_000, "chrome")])
def test_the_first_256_kib_are_looked_at(tmp_path: Path, before: int, known: str) -> None:
    long = {**op("a", 1, 1), "args": {"text": "x" * before}}
    assert format_of(tmp_path, {"traceEvents": [long, call("b", 2, 1, 1)]}) == known


def test_a_row_without_a_name_is_called_so(tmp_path: Path) -> None:
    rows = [op("x", 1, 1), kernel("x", 3, 1, 1), kernel("x", 3, 1, 1, cat="gpu_user_annotation")]
    for row in rows:
        del row["name"]
    trace = read(tmp_path, file(*rows, op("known", 5, 1)))
    assert trace.text("phases", "kind") == ["(no name)", "known"]
    assert trace.text("functions", "name") == ["(no name)"]
    assert trace.text("marks", "name") == ["(no name)"]


def test_a_range_that_the_user_named_lies_on_its_stream(tmp_path: Path) -> None:
    rows = [
        kernel("forward", 1, 9, 1, cat="gpu_user_annotation"),
        kernel("alone", 4, 2, 1, cat="Gpu_User_Annotation", stream=9),
        kernel("k", 2, 1, 1),
    ]
    trace = read(tmp_path, file(*rows))
    assert named(trace, "marks", "name", "core", "start_ns", "end_ns") == [
        ("forward", 0, 0, 9000),
        ("alone", 1, 3000, 5000),
    ]
    assert trace.text("cores", "name") == ["stream 7", "stream 9"]
    assert trace.tasks["start_ns"].tolist() == [1000]


@pytest.mark.parametrize(
    ("cat", "work"),
    [
        ("kernel", "compute"),
        ("concurrent_kernel", "compute"),
        ("gpu_memcpy", "copy"),
        ("Memcpy", "copy"),
        ("gpu_memset", "fill"),
        ("memset", "fill"),
    ],
)
def test_the_category_says_what_a_row_of_a_stream_does(tmp_path: Path, cat: str, work: str) -> None:
    assert read(tmp_path, file(kernel("k", 1, 1, 1, cat=cat))).text("functions", "work") == [work]
    told = kernel("k", 1, 1, 1, cat=cat, **{"Collective name": "allreduce"})
    work = "communication" if work == "compute" else work
    assert read(tmp_path, file(told)).text("functions", "work") == [work]


def test_the_name_of_a_kernel_says_that_it_communicates(tmp_path: Path) -> None:
    rows = [
        kernel("ncclDevKernel_AllReduce", 1, 1, 1),
        kernel("gemm", 2, 1, 1),
        kernel("ncclDevKernel_AllReduce", 3, 1, 1, cat="gpu_memcpy"),
    ]
    assert named(read(tmp_path, file(*rows)), "functions", "name", "work") == [
        ("ncclDevKernel_AllReduce", "communication"),
        ("gemm", "compute"),
        ("ncclDevKernel_AllReduce", "copy"),
    ]


CATEGORIES = {
    **dict.fromkeys(("cpu_op", "Operator"), "operator"),
    **dict.fromkeys(("cuda_runtime", "cuda_driver", "Runtime", "driver", "xpu_runtime"), "call"),
    **dict.fromkeys(("xpu_driver", "mtia_runtime", "glow_runtime"), "call"),
    **dict.fromkeys(("privateuse1_runtime", "privateuse1_driver"), "call"),
    "user_annotation": "annotation",
    **dict.fromkeys(("python_function", "python"), "function"),
    "overhead": "overhead",
}


def test_the_category_says_what_a_row_of_the_host_is(tmp_path: Path) -> None:
    """Only a call launches: a correlation on any other row joins nothing."""
    rows = [host(cat, cat, 10 * k, 5, correlation=k) for k, cat in enumerate(CATEGORIES, 1)]
    found = named(read(tmp_path, file(*rows)), "phases", "kind", "category", "launch")
    assert [(kind, category) for kind, category, _ in found] == [*CATEGORIES.items()]
    assert {category for _, category, launch in found if launch is not None} == {"call"}
    assert all(launch is not None for _, category, launch in found if category == "call")


def test_numbers_below_what_they_can_be_are_no_counters(tmp_path: Path) -> None:
    some = {"bytes": 0, "grid": [1, 0, 2], "block": [2, 2, 2], "graph node id": 1}
    more = {"registers per thread": 32, "shared memory": 0, "est. achieved occupancy %": 50}
    none = {"bytes": -1, "grid": [1, -1, 2], "block": [1, 2], "graph node id": 0}
    trace = read(tmp_path, file(kernel("a", 1, 1, 1, **some, **more), kernel("b", 3, 1, 2, **none)))
    assert named(trace, "counters", "name", "task", "value") == [
        ("bytes", 0, 0.0),
        ("blocks", 0, 0.0),
        ("threads", 0, 8.0),
        ("registers", 0, 32.0),
        ("shared memory", 0, 0.0),
        ("occupancy", 0, 50.0),
        ("graph node", 0, 1.0),
    ]


def test_an_arrow_joins_the_outermost_operator_that_starts_there(tmp_path: Path) -> None:
    """Neither a row that is no operator, nor one of another thread, nor an arrow of other rows."""

    def end(letter: str, number: int, ts: float, tid: int, cat: str = "fwdbwd") -> dict[str, Any]:
        return {"ph": letter, "cat": cat, "id": number, "pid": 100, "tid": tid, "ts": ts}

    rows = [
        host("python_function", "function", 10, 90),
        op("inner", 10, 5),
        op("outer", 10, 50),
        op("other thread", 10, 5, tid=101),
        op("later", 70, 5, tid=101),
        end("s", 3, 10, 100),
        end("f", 3, 70, 101),
        end("s", 4, 75, 101),
        end("t", 5, 10, 101),
        end("s", 6, 10, 101, "ac2g"),
        end("s", 7, 10, 102),
    ]
    found = named(read(tmp_path, file(*rows)), "phases", "kind", "flow")
    assert found == [
        ("function", None),
        ("outer", 0),
        ("inner", None),
        ("other thread", None),
        ("later", 0),
    ]


def test_an_arrow_without_operators_joins_nothing(tmp_path: Path) -> None:
    end = {"ph": "s", "cat": "fwdbwd", "id": 3, "pid": 100, "tid": 100, "ts": 10}
    trace = read(tmp_path, file(host("python_function", "f", 10, 5), end))
    assert trace.phases["flow"].tolist() == [MISSING]


def test_steps_are_rows_of_the_host_called_so(tmp_path: Path) -> None:
    rows = [
        host("user_annotation", "ProfilerStep#12", 5, 10),
        host("cpu_op", "ProfilerStep#3", 20, 5, tid=99),
        host("user_annotation", "ProfilerStep#4x", 30, 1),
        host("user_annotation", "my ProfilerStep#4", 30, 1),
        host("user_annotation", "ProfilerStep#", 30, 1),
        host("user_annotation", f"ProfilerStep#{10**18}", 30, 1),
        kernel("ProfilerStep#7", 30, 1, 1),
    ]
    names = ("step", "name", "controller", "start_ns", "end_ns")
    assert named(read(tmp_path, file(*rows)), "steps", *names) == [
        (12, "ProfilerStep#12", 1, 0, 10_000),
        (3, "ProfilerStep#3", 0, 15_000, 20_000),
    ]


def ledger(trace: Trace) -> list[tuple[str, int, int, str]]:
    entries = [entry for entry in trace.meta.ledger if entry.kind == "slice"]
    return [(entry.kind, entry.total, entry.dropped, entry.reason) for entry in entries]


def test_six_kinds_of_rows_that_are_not_known_are_named(tmp_path: Path) -> None:
    odd = [host(f"new{k}", "x", k, 1) for k in (5, 3, 1, 2, 4)]
    bare = {"ph": "X", "ts": 9, "name": "x"}
    begin = {"ph": "B", "ts": 9, "cat": "never counted"}
    trace = read(tmp_path, file(*odd, bare, begin, kernel("k", 9, 1, 1)))
    kinds = "of unknown category ((none), new1, new2, new3, new4, new5)"
    assert trace.meta.notes == (f"Left out: 6 rows {kinds}.",)
    assert ledger(trace) == [("slice", 7, 6, f"rows {kinds}")]
    trace = read(tmp_path, file(*odd, bare, host("new0", "x", 1, 1), kernel("k", 9, 1, 1)))
    kinds = "of unknown category ((none), new0, new1, new2, new3, new4, …)"
    assert trace.meta.notes == (f"Left out: 7 rows {kinds}.",)
    assert ledger(trace) == [("slice", 8, 7, f"rows {kinds}")]


def test_waits_that_are_not_known_are_told_by_themselves(tmp_path: Path) -> None:
    odd = kernel("New Sync", 3, 1, 2, cat="cuda_sync")
    trace = read(tmp_path, file(kernel("k", 1, 1, 1), odd, odd))
    assert ledger(trace) == [("slice", 3, 2, "waits of unknown kind")]
    assert trace.meta.notes == ("Left out: 2 waits of unknown kind.",)
    both = read(tmp_path, file(kernel("k", 1, 1, 1), odd, host("new", "x", 1, 1)))
    assert ledger(both) == [
        ("slice", 3, 2, "rows of unknown category (new); waits of unknown kind")
    ]
    assert both.meta.notes == (
        "Left out: 1 row of unknown category (new).",
        "Left out: 1 wait of unknown kind.",
    )


def test_rows_of_every_known_category_leave_nothing_out(tmp_path: Path) -> None:
    span = {"ph": "X", "cat": "Trace", "ts": 0, "dur": 9, "name": "x"}
    sync = kernel("Stream Sync", 3, 1, 2, cat="cuda_sync")
    mark = kernel("mine", 1, 1, 1, cat="gpu_user_annotation")
    trace = read(tmp_path, file(span, sync, mark, op("a", 1, 1), kernel("k", 1, 1, 1)))
    assert (trace.meta.notes, ledger(trace)) == ((), [])


def test_moments_that_are_not_of_memory_are_counted(tmp_path: Path) -> None:
    moment = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": 1}
    other = {**moment, "name": "other"}
    trace = read(tmp_path, file(kernel("k", 1, 1, 1), moment, other, moment))
    assert trace.meta.notes == ("Left out: 1 moment of the host.",)
    assert read(tmp_path, file(kernel("k", 1, 1, 1), moment, moment)).meta.notes == ()


@pytest.mark.parametrize("odd", [[1], "text", None, 3])
def test_a_head_of_another_type_tells_nothing(tmp_path: Path, odd: Any) -> None:
    trace = read(tmp_path, file(kernel("k", 1, 1, 1), deviceProperties=3, distributedInfo=odd))
    assert (trace.meta.rank, trace.meta.chip) == (None, "")
    assert trace.meta.extra == {"kineto": {"schemaVersion": 1}}


def test_the_operator_of_a_kernel_is_that_of_its_external_id(tmp_path: Path) -> None:
    rows = [
        op("a", 1, 9, **{"External id": 8}),
        op("b", 11, 9, **{"External id": 5}),
        call("launch", 12, 1, 3, **{"External id": 5}),
        kernel("k", 15, 1, 3, **{"External id": 5}),
        kernel("l", 17, 1, 4),
    ]
    trace = read(tmp_path, file(*rows))
    assert trace.phases["op"].tolist() == [1, 0, 0]
    assert trace.tasks["op"].tolist() == [0, MISSING]
