"""The timeline: the real file in all figures of its answer; groups, planes and damage by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.simpler.runs import rows
from tests.formats.spans import DATA, expected, lane_spans, spans

from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace
from lanescope.trace import MISSING, Trace

REAL = DATA / "ascend/trace_view.json"
needs_data = pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data")
T0 = 1_700_000_000_000_000


def answer() -> dict[str, Any]:
    plain = json.loads((DATA / "expected/ascend.json").read_text())["plain"]
    return dict(plain["trace_view.json"])


def lane_of(process: str, thread: str) -> dict[str, Any]:
    lanes = answer()["lanes"]
    [found] = [one for one in lanes if (one["process"], one["thread"]) == (process, thread)]
    return dict(found)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The file without the others beside it, which are of other runs."""
    path = tmp_path_factory.mktemp("real") / "trace_view.json"
    path.write_bytes(REAL.read_bytes())
    return import_trace(path)


@needs_data
def test_real_stream_has_the_figures_of_the_answer(real: Trace) -> None:
    assert rows(real, "cores", "name", "lane", "queue") == [("stream 3", "stream", 3)]
    want = lane_of("Ascend Hardware", "Stream 3")
    assert lane_spans(real, [0]) == expected(want)
    name = np.array(real.text("functions", "name"))[real.tasks["func"]]
    assert want["top_names"] == dict(Counter(name).most_common(3))
    epoch = real.meta.epoch_ns
    assert epoch is not None
    assert int(real.tasks["start_ns"].min()) + epoch == want["first_start_ns"]
    assert int(real.tasks["end_ns"].max()) + epoch == want["last_end_ns"]


@needs_data
def test_real_rows_that_the_profiler_derived_are_no_work(real: Trace) -> None:
    assert real.meta.notes == (
        "No work: 547 rows of Overlap Analysis, made by the profiler of the others.",
    )
    work = Counter(np.array(real.text("functions", "work"))[real.tasks["func"]])
    assert work == {"compute": 274, "copy": 2}


@needs_data
def test_real_threads_have_the_rows_of_both_processes(real: Trace) -> None:
    called = np.array(real.text("phases", "kind"))
    calls = np.char.startswith(called, "AscendCL@")
    moments = called == "HostToDevice"
    assert (real.phases["start_ns"] == real.phases["end_ns"])[moments].all()
    threads = real.text("controllers", "name")
    for process, mine in (("CANN", calls), ("Python", ~calls & ~moments)):
        for lane in (one for one in answer()["lanes"] if one["process"] == process):
            at = mine & (real.phases["controller"] == threads.index(lane["thread"]))
            found = spans(real.phases["start_ns"][at], real.phases["end_ns"][at])
            assert found == expected(lane), (process, lane["thread"])
    assert len(called) - moments.sum() == sum(
        one["rows"] for one in answer()["lanes"] if one["process"] in ("CANN", "Python")
    )


@needs_data
def test_real_times_are_each_rounded_half_even(real: Trace) -> None:
    """Against Python's decimals: 513 rows are finer than 1 ns."""
    raw = json.loads(REAL.read_text(), parse_float=Decimal)
    want = []
    for event in raw:
        if event["ph"] == "X" and event["pid"] in (437675, 43767502):
            start = Decimal(event["ts"]) * 1000
            pair = (start, start + event["dur"] * 1000)
            want.append(tuple(int(t.quantize(Decimal(1), ROUND_HALF_EVEN)) for t in pair))
    epoch = real.meta.epoch_ns
    assert epoch is not None
    own = np.array(real.text("phases", "kind")) != "HostToDevice"
    times = np.stack([real.phases["start_ns"], real.phases["end_ns"]], 1)[own] + epoch
    assert sorted(map(tuple, times.tolist())) == sorted(want)


@needs_data
def test_real_arrows_join_calls_operators_and_tasks(real: Trace) -> None:
    flows = answer()["flows"]
    launched = real.tasks["launch"] != MISSING
    assert launched.sum() == flows["HostToDevice"]["ids_with_both_ends"]
    assert (real.tasks["op"] != MISSING).sum() == flows["async_npu"]["ids_with_both_ends"]
    calls = dict(rows(real, "phases", "launch", "kind"))
    called = {calls[launch] for (launch,) in rows(real, "tasks", "launch") if launch is not None}
    assert {name.split("@")[0] for name in called} == {"AscendCL", "HostToDevice"}
    launched_by = Counter(launch for (launch,) in rows(real, "tasks", "launch"))
    assert launched_by.pop(None) == 2
    assert set(launched_by.values()) == {1}
    operators = rows(real, "phases", "op", "category")
    assert {category for op, category in operators if op is not None} == {"operator"}
    numbers = Counter(flow for (flow,) in rows(real, "phases", "flow") if flow is not None)
    pairs = flows["async_task_queue"]["ids_with_both_ends"] + flows["fwdbwd"]["ids_with_both_ends"]
    assert len(numbers) == pairs
    assert set(numbers.values()) == {2}


@needs_data
def test_real_calls_that_synchronise_are_waits(real: Trace) -> None:
    named = Counter(kind for kind in real.text("phases", "kind") if "Synchronize" in kind)
    stream, device = "AscendCL@aclrtSynchronizeStream", "AscendCL@aclrtSynchronizeDevice"
    assert set(named) == {stream, f"{stream}WithTimeout", device}
    assert Counter(real.text("waits", "kind")) == {
        "host waits stream": named[stream] + named[f"{stream}WithTimeout"],
        "host waits device": named[device],
    }


@needs_data
def test_real_folder_of_three_runs_gives_all_their_traces() -> None:
    traces = import_paths([REAL.parent])
    assert [(trace.meta.name, len(trace.tasks)) for trace in traces] == [
        ("ascend", 276),
        ("ascend-kernel_details", 591),
        ("ascend-cluster_communication-rank0", 2),
        ("ascend-cluster_communication-rank1", 2),
    ]
    assert [len(trace.meta.sources) for trace in traces] == [1, 1, 1, 1]


@needs_data
def test_real_table_beside_it_is_of_another_run_and_is_left_out() -> None:
    trace = import_trace(REAL)
    assert len(trace.counters) == 0
    assert trace.meta.notes[-2:] == (
        "kernel_details.csv has no kernel of this run and was not used.",
        "cluster_communication.json is of all ranks and was not used.",
    )


def name(what: str, value: str, pid: int, tid: int = 0) -> dict[str, Any]:
    key = "labels" if what == "process_labels" else "name"
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {key: value}}


def bar(label: str, pid: int, tid: int, ts: str, dur: Any, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": label, "pid": pid, "tid": tid, "ts": f"{T0}{ts}", "dur": dur, **more}


def task(kind: str, number: int, connection: int) -> dict[str, Any]:
    return {"Task Type": kind, "Task Id": number, "connection_id": connection}


def hand_made() -> list[dict[str, Any]]:
    """One stream; a group with its plane, whose task is also on the stream; one plane's own."""
    return [
        bar("MatMul", 800, 5, ".000", 2.5, args=task("AI_CORE", 41, 9)),
        name("process_name", "Ascend Hardware", 800),
        name("thread_name", "Stream 5", 800, 5),
        bar("NOTIFY_WAIT_SQE", 800, 5, ".003", "1.0005", args=task("NOTIFY_WAIT_SQE", 42, -1)),
        bar("hcom_allReduce__445_7_1", 900, 0, ".002", 4),
        bar("Notify_Wait", 900, 1, ".003", 1.0005, args={"size(Byte)": 8}),
        bar("Memcpy", 900, 1, ".005", 0.5, args={"size(Byte)": 4096}),
        name("process_name", "Communication", 900),
        name("thread_name", "Group 0 Communication", 900, 0),
        name("thread_name", "Plane 0", 900, 1),
        bar("aclrtSynchronizeDevice", 7702, 77, ".006", 1, args={"connection_id": 3}),
        bar("AscendCL@launch", 7702, 77, ".000", 0.2, args={"connection_id": 9}),
        name("process_name", "CANN", 7702),
        bar("ProfilerStep#4", 77, 77, ".000", 9, cat="cpu_op"),
        name("process_name", "Python", 77),
        {"ph": "C", "name": "Freq", "pid": 1, "tid": 0, "ts": f"{T0}.000", "args": {"MHz": 1800}},
    ]


def timeline(folder: Path, events: list[dict[str, Any]] | None = None, text: str = "") -> Path:
    path = folder / "trace_view.json"
    path.write_text(text or json.dumps(hand_made() if events is None else events))
    return path


def test_groups_and_planes_are_communicators_and_no_task_is_shown_twice(tmp_path: Path) -> None:
    trace = import_trace(timeline(tmp_path))
    assert rows(trace, "cores", "name", "lane") == [
        ("stream 5", "stream"),
        ("Group 0 Communication", "communicator"),
        ("Plane 0", "communicator"),
    ]
    functions = rows(trace, "functions", "name", "work")
    found = [
        (core, *functions[func], start, end)
        for core, func, start, end in rows(trace, "tasks", "core", "func", "start_ns", "end_ns")
    ]
    assert found == [
        (0, "MatMul", "compute", 0, 2500),
        (0, "Notify_Wait", "wait", 3, 1004),
        (1, "hcom_allReduce_", "communication", 2, 4002),
        (2, "Memcpy", "communication", 5, 505),
    ]
    columns = ("group", "sequence", "matched", "kind", "core")
    assert rows(trace, "collectives", *columns) == [("445", 7, "name", "all_reduce", 1)]
    assert rows(trace, "counters", "name", "value") == [("bytes", 8.0), ("bytes", 4096.0)]
    assert trace.meta.notes == (
        "Shown once, on streams: 1 row of planes with the same times.",
        "Not read: 1 counter event.",
    )


def test_a_call_that_launches_several_tasks_has_a_moment_for_each(tmp_path: Path) -> None:
    arrows = [
        {"ph": ph, "cat": "HostToDevice", "name": f"HostToDevice{k}", "id": f"{k}"}
        | {"pid": pid, "tid": tid, "ts": f"{T0}{ts}"}
        for k, begin, end in ((1, ".100", ".000"), (2, ".150", ".003"))
        for ph, pid, tid, ts in (("s", 7702, 77, begin), ("f", 800, 5, end))
    ]
    trace = import_trace(timeline(tmp_path, [*hand_made(), *arrows]))
    moments = {
        launch: start
        for launch, kind, start in rows(trace, "phases", "launch", "kind", "start_ns")
        if kind == "HostToDevice"
    }
    tasks = rows(trace, "tasks", "launch", "start_ns")
    assert {start: moments[launch] for launch, start in tasks if launch in moments} == {
        0: 100,
        3: 150,
    }


@pytest.mark.parametrize(
    ("begin", "end"),
    [((800, 5, ".000"), (800, 5, ".003")), ((7702, 77, ".100"), (7702, 77, ".006"))],
)
def test_an_arrow_that_does_not_lead_from_host_to_device_launches_nothing(
    begin: tuple[int, int, str], end: tuple[int, int, str], tmp_path: Path
) -> None:
    arrow = {"cat": "HostToDevice", "name": "HostToDevice1", "id": "1"}
    ends = [
        {"ph": ph, **arrow, "pid": pid, "tid": tid, "ts": f"{T0}{ts}"}
        for ph, (pid, tid, ts) in (("s", begin), ("f", end))
    ]
    with_arrow = import_trace(timeline(tmp_path, [*hand_made(), *ends]))
    without = import_trace(timeline(tmp_path))
    for table in ("tasks", "phases"):
        assert rows(with_arrow, table, "launch") == rows(without, table, "launch")


def test_without_arrows_the_connection_joins_call_and_task(tmp_path: Path) -> None:
    trace = import_trace(timeline(tmp_path))
    launches = dict(rows(trace, "phases", "launch", "kind"))
    [(launch, *_)] = [row for row in rows(trace, "tasks", "launch", "start_ns") if row[1] == 0]
    assert launches[launch] == "AscendCL@launch"
    assert rows(trace, "waits", "kind", "start_ns") == [("host waits device", 6)]
    assert rows(trace, "steps", "step", "name", "end_ns") == [(4, "ProfilerStep#4", 9000)]


def test_a_table_of_kernels_beside_it_adds_its_counters(tmp_path: Path) -> None:
    names = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim"
    head = f"Stream ID,Task ID,{names}"
    (tmp_path / "kernel_details.csv").write_text(
        f"{head}\n5,41,MatMul1,MatMul,AI_CORE,{T0}.2,2.5,0.5,24\n"
        f"5,42,MatMul9,MatMul,AI_CORE,{T0 + 70}.2,2.5,0.5,24\n"
        f"N/A,N/A,hcom_allReduce__445_7_1,hcom_allReduce_,HCCL,{T0}.2,4,1,0\n"
    )
    trace = import_trace(timeline(tmp_path))
    assert ("cores used", 24.0, 0) in rows(trace, "counters", "name", "value", "task")
    assert ("wait ns", 1000.0, 2) in rows(trace, "counters", "name", "value", "task")
    assert trace.meta.notes[-1] == "Not in the timeline: 1 of 3 rows of kernel_details.csv."


def test_a_packed_timeline_is_read_alike(tmp_path: Path) -> None:
    path = timeline(tmp_path)
    packed = tmp_path / "other" / "trace_view.json.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert rows(import_trace(packed), "tasks", "start_ns") == rows(
        import_trace(path), "tasks", "start_ns"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ts": f"{T0}.0x"}, "'ts': a number was expected"),
        ({"dur": -1}, "a row of the device ('MatMul') ends 1000 ns before it starts"),
    ],
)
def test_a_damaged_timeline_is_refused_in_one_sentence(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    events = hand_made()
    events[0] |= change
    with pytest.raises(InputError) as refused:
        import_trace(timeline(tmp_path, events))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_backward_row_is_kept_and_flagged_on_request(tmp_path: Path) -> None:
    events = hand_made()
    events[0] |= {"dur": -1}
    trace = import_trace(timeline(tmp_path, events), keep_damaged=True)
    assert (None, None) in rows(trace, "tasks", "start_ns", "end_ns")


@needs_data
def test_any_truncation_or_mutation_gives_a_trace_or_one_sentence(tmp_path: Path) -> None:
    whole = json.dumps(json.loads(REAL.read_text())[-700:]).encode()
    damaged = [whole[:size] for size in range(1, len(whole), 4999)]
    damaged += [whole[:k] + b'"' + whole[k + 1 :] for k in range(0, len(whole), 3989)]
    path = tmp_path / "trace_view.json"
    for content in damaged:
        path.write_bytes(content)
        try:
            import_trace(path)
        except InputError as error:
            assert "\n" not in str(error)


def test_an_array_of_another_tool_is_still_a_chrome_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]))
    assert [source.format for source in import_trace(path).meta.sources] == ["chrome"]
