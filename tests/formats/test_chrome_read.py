"""Chrome Trace Event JSON as a source of cores, tasks, marks, edges and counters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.formats.simpler.runs import open_entries, read, records, rows

from lanescope.formats.chrome.read import read_chrome
from lanescope.formats.chrome.write import write_chrome
from lanescope.trace import LedgerEntry, Trace


def event(ph: str, ts: Any, name: str = "", **more: Any) -> dict[str, Any]:
    return {"ph": ph, "pid": 1, "tid": 1, "ts": ts, "name": name, **more}


def named(what: str, value: Any, **place: Any) -> dict[str, Any]:
    key = "sort_index" if what.endswith("sort_index") else "name"
    return {"ph": "M", "name": what, "args": {key: value}, "pid": 1, **place}


def chrome(folder: Path, *events: dict[str, Any], text: str = "") -> Trace:
    path = folder / "trace.json"
    path.write_text(text or json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    return read_chrome(path, name="trace")


TASK = ("core", "token", "func", "start_ns", "end_ns")
MARK = ("core", "name", "task", "token", "start_ns", "end_ns")


def test_complete_events_are_tasks_from_the_earliest_on(tmp_path: Path) -> None:
    trace = chrome(tmp_path, event("X", 12.5, "b", dur=1), event("X", 10, "a", dur=2.25))
    assert rows(trace, "tasks", "task", "kind", *TASK) == [
        (0, "run", 0, 0, 1, 0, 2250),
        (1, "run", 0, 1, 0, 2500, 3500),
    ]
    assert rows(trace, "functions", "func", "name") == [(0, "b"), (1, "a")]
    assert rows(trace, "cores", "core", "name", "kind") == [(0, "1/1", "lane")]
    assert trace.meta.ledger == (LedgerEntry("all lanes", "slice", 2, 2),)
    assert trace.meta.level == 1


def test_begin_and_end_pair_as_a_stack_per_thread(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("B", 1, "outer"),
        event("B", 2, "inner"),
        event("B", 2, "other thread", tid=2),
        event("E", 4),
        event("E", 9),
        event("E", 5, tid=2),
    )
    assert rows(trace, "tasks", *TASK) == [(0, 0, 0, 0, 8000), (1, 0, 1, 1000, 4000)]
    assert rows(trace, "marks", *MARK) == [(0, "inner", 0, 0, 1000, 3000)]
    assert trace.text("functions", "name") == ["outer", "other thread"]


def test_async_events_pair_by_category_and_id_across_threads(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("b", 1, "first", cat="x", id="0x1"),
        event("b", 3, "second", cat="x", id="0x2", tid=2),
        event("e", 4, cat="x", id="0x1", tid=3),
        event("e", 5, cat="y", id="0x2", tid=2),
        event("e", 6, cat="x", id="0x2", tid=2),
    )
    assert rows(trace, "tasks", *TASK) == [(0, 0, 0, 0, 3000), (1, 0, 1, 2000, 5000)]
    assert trace.meta.ledger == (LedgerEntry("all lanes", "slice", 3, 2, unmatched=1),)


def test_begins_and_ends_without_a_partner_are_counted(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path, event("E", 1), event("X", 2, "a", dur=1), event("B", 5, "b"), event("i", 6, "x")
    )
    assert len(trace.tasks) == 1
    assert trace.meta.ledger == (LedgerEntry("all lanes", "slice", 3, 1, unmatched=2),)
    assert trace.meta.notes == (
        "1 events of other kinds were passed over: i.",
        "2 slice begins or ends have no partner and are not shown.",
    )


def test_bars_inside_a_bar_are_marks(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=10),
        event("X", 0, "same start", dur=4),
        event("X", 1, "deeper", dur=2),
        event("X", 10, "b", dur=5),
    )
    assert rows(trace, "tasks", *TASK) == [(0, 0, 0, 0, 10_000), (0, 1, 1, 10_000, 15_000)]
    assert rows(trace, "marks", "pipe", *MARK) == [
        ("nested", 0, "same start", 0, 0, 0, 4000),
        ("nested", 0, "deeper", 0, 0, 1000, 3000),
    ]


def test_flows_are_edges_between_the_tasks_they_touch(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=10),
        event("X", 20, "b", dur=10, tid=2),
        event("X", 40, "c", dur=10, tid=3),
        event("s", 5, "f", id=1),
        event("t", 25, "f", id=1, tid=2),
        event("f", 45, "f", id=1, tid=3, bp="e"),
        event("s", 6, "f", id=2),
        event("f", 12, "f", id=2, tid=2),
        event("s", 7, "nowhere", id=3),
        event("f", 99, "nowhere", id=3, tid=3, bp="e"),
    )
    assert rows(trace, "edges", "pred", "succ", "kind", "flags") == [
        (0, 1, "flow", 0),
        (1, 2, "flow", 0),
        (0, 1, "flow", 0),
    ]


def test_a_flow_after_an_inner_bar_still_belongs_to_the_task_around_both(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "outer", dur=100),
        event("X", 10, "inner", dur=5),
        event("s", 50, "dependency", id=1),
        event("f", 200, "dependency", id=1, tid=2),
        event("X", 210, "next", dur=9, tid=2),
        event("X", 300, "later", dur=9, tid=2),
    )
    assert rows(trace, "edges", "pred", "succ") == [(0, 1)]


def test_a_flow_outside_every_bar_links_nothing(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=10),
        event("s", 20, "dependency", id=1),
        event("f", 500, "dependency", id=1, tid=2),
        event("X", 30, "b", dur=9, tid=2),
    )
    assert rows(trace, "edges", "pred", "succ") == []


def test_flows_of_two_categories_may_share_an_id(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=10),
        event("X", 20, "b", dur=10),
        event("X", 40, "c", dur=10),
        event("s", 5, "f", id=1, cat="one"),
        event("s", 25, "f", id=1, cat="two"),
        event("f", 20, "f", id=1, cat="one", bp="e"),
        event("f", 40, "f", id=1, cat="two", bp="e"),
    )
    assert rows(trace, "edges", "pred", "succ") == [(0, 1), (1, 2)]


def test_counters_keep_their_values_and_times(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("C", 5, "one", args={"value": 1.5}),
        event("C", 7, "two", args={"a": 3, "b": -4, "text": "x"}),
        event("C", 8, "none"),
    )
    assert rows(trace, "counters", "name", "value", "time_ns") == [
        ("one", 1.5, 0),
        ("two.a", 3.0, 2000),
        ("two.b", -4.0, 2000),
    ]
    assert len(trace.cores) == 0


def test_threads_are_named_and_sorted_as_the_file_says(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=1, tid=1),
        event("X", 0, "a", dur=1, tid=2),
        event("X", 0, "a", dur=1, tid=10),
        event("X", 0, "a", dur=1, pid=2),
        event("X", 0, "a", dur=1, pid=10),
        named("process_name", "views"),
        named("thread_name", "core ten", tid=10),
        named("thread_sort_index", -1, tid=10),
        named("process_sort_index", 7, pid=2),
    )
    assert rows(trace, "cores", "core", "name", "kind") == [
        (0, "core ten", "views"),
        (1, "1/1", "views"),
        (2, "1/2", "views"),
        (3, "10/1", "lane"),
        (4, "2/1", "lane"),
    ]


def test_processes_without_an_order_are_sorted_by_number(tmp_path: Path) -> None:
    trace = chrome(tmp_path, *(event("X", 0, "a", dur=1, pid=pid) for pid in (10, 9, "z", 2)))
    assert trace.text("cores", "name") == ["2/1", "9/1", "10/1", "z/1"]


def test_names_of_threads_without_bars_make_no_core(tmp_path: Path) -> None:
    trace = chrome(tmp_path, event("X", 0, "a", dur=1), named("thread_name", "idle", tid=9))
    assert len(trace.cores) == 1


def test_microseconds_are_exact_decimals(tmp_path: Path) -> None:
    text = (
        '[{"ph":"X","ts":1700000000000000.001,"dur":0.001,"name":"a"},'
        '{"ph":"X","ts":1.700000000000000002e15,"dur":0.0006,"name":"b"},'
        '{"ph":"X","ts":1700000000000000.0031,"dur":1e-3,"name":"c"}]'
    )
    trace = chrome(tmp_path, text=text)
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 1), (1, 2), (2, 3)]


def test_times_may_be_negative(tmp_path: Path) -> None:
    trace = chrome(tmp_path, event("X", -2.5, "a", dur=1), event("X", 1, "b", dur=1))
    assert rows(trace, "tasks", "start_ns") == [(0,), (3500,)]


def test_pids_and_tids_may_be_text_or_absent(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=1, pid="host", tid="main"),
        {"ph": "X", "ts": 0, "dur": 1, "name": "b"},
        event("X", 0, "c", dur=1, pid=None, tid=None),
    )
    assert trace.text("cores", "name") == ["0/0", "host/main"]


def test_a_bare_array_of_events(tmp_path: Path) -> None:
    trace = chrome(tmp_path, text=' \n[{"ph":"X","ts":1,"dur":2,"name":"a"}]\n')
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 2000)]


def test_absent_names_and_durations(tmp_path: Path) -> None:
    trace = chrome(tmp_path, text='[{"ph":"X","ts":1},{"ph":"X","ts":2,"dur":1,"name":null}]')
    assert rows(trace, "tasks", "func", "start_ns", "end_ns") == [(0, 0, 0), (0, 1000, 2000)]
    assert trace.text("functions", "name") == ["(no name)"]


def test_escapes_in_names(tmp_path: Path) -> None:
    trace = chrome(tmp_path, event("X", 1, 'a"\\\n€😀', dur=1))
    assert trace.text("functions", "name") == ['a"\\\n€😀']


def test_an_empty_trace(tmp_path: Path) -> None:
    trace = chrome(tmp_path, text='{"traceEvents": []}')
    assert (len(trace.tasks), len(trace.cores), len(trace.edges)) == (0, 0, 0)
    assert open_entries(trace) == []


def test_an_exported_trace_comes_back(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 7, 1, 100, 200, 3], [1, 8, 1, 250, 300, 4]],
        aicpu_tasks=[[0, 1, 90, 210], [1, 1, 240, 310]],
    )
    deps = {"edges": [{"pred": "7", "succ": "8"}]}
    source = read(tmp_path / "run", records=content, deps=deps)
    write_chrome(source, tmp_path / "trace.json")
    back = read_chrome(tmp_path / "trace.json", name="trace")
    assert rows(back, "cores", "core", "name", "kind") == [
        (0, "aic 0", "cores"),
        (1, "aiv 1", "cores"),
        (2, "aic 0", "scheduler view"),
        (3, "aiv 1", "scheduler view"),
    ]
    assert rows(back, "tasks", "core", "start_ns", "end_ns") == [
        *rows(source, "tasks", "core", "start_ns", "end_ns"),
        (2, 0, 2400),
        (3, 3000, 4400),
    ]
    assert rows(back, "edges", "pred", "succ") == [(0, 1)]
    assert open_entries(back) == []
