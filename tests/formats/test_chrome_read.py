"""Chrome Trace Event JSON as a source of tracks, tasks, marks, edges and counters."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import open_entries, rows

from lanescope.formats import import_trace
from lanescope.trace import LedgerEntry, Trace


def event(ph: str, ts: Any, name: str = "", **more: Any) -> dict[str, Any]:
    return {"ph": ph, "pid": 1, "tid": 1, "ts": ts, "name": name, **more}


def named(what: str, value: Any, **place: Any) -> dict[str, Any]:
    key = "sort_index" if what.endswith("sort_index") else "name"
    return {"ph": "M", "name": what, "args": {key: value}, "pid": 1, **place}


def chrome(folder: Path, *events: dict[str, Any], text: str = "") -> Trace:
    path = folder / "trace.json"
    path.write_text(text or json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    return import_trace(path, format="chrome")


TASK = ("core", "token", "func", "depth", "start_ns", "end_ns")


def test_complete_events_are_tasks_from_the_earliest_on(tmp_path: Path) -> None:
    trace = chrome(tmp_path, event("X", 12.5, "b", dur=1), event("X", 10, "a", dur=2.25))
    assert rows(trace, "tasks", "task", "kind", *TASK) == [
        (0, "run", 0, 0, 1, 0, 0, 2250),
        (1, "run", 0, 1, 0, 0, 2500, 3500),
    ]
    assert rows(trace, "functions", "func", "name") == [(0, "b"), (1, "a")]
    assert rows(trace, "cores", "core", "name", "kind", "lane", "process") == [
        (0, "1/1", "track", "track", 1)
    ]
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
    assert rows(trace, "tasks", *TASK) == [
        (0, 0, 0, 0, 0, 8000),
        (0, 1, 1, 1, 1000, 3000),
        (1, 0, 2, 0, 1000, 4000),
    ]
    assert trace.text("functions", "name") == ["outer", "inner", "other thread"]


def test_async_events_pair_by_category_and_id_across_threads(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("b", 1, "first", cat="x", id="0x1"),
        event("b", 3, "second", cat="x", id="0x2", tid=2),
        event("e", 4, cat="x", id="0x1", tid=3),
        event("e", 5, cat="y", id="0x2", tid=2),
        event("e", 6, cat="x", id="0x2", tid=2),
    )
    assert rows(trace, "tasks", *TASK) == [(0, 0, 0, 0, 0, 3000), (1, 0, 1, 0, 2000, 5000)]
    assert trace.meta.ledger == (LedgerEntry("all lanes", "slice", 3, 2, unmatched=1),)


def test_begins_and_ends_without_a_partner_are_counted(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path, event("E", 1), event("X", 2, "a", dur=1), event("B", 5, "b"), event("P", 6, "x")
    )
    assert len(trace.tasks) == 1
    assert trace.meta.ledger == (LedgerEntry("all lanes", "slice", 3, 1, unmatched=2),)
    assert trace.meta.notes == (
        "Not read: 1 event with 'ph' P.",
        "Not shown: 2 slices with a begin or an end alone.",
    )


def test_slices_inside_a_slice_are_tasks_with_a_depth(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=10),
        event("X", 0, "same start", dur=4),
        event("X", 1, "deeper", dur=2),
        event("X", 10, "b", dur=5),
    )
    assert rows(trace, "tasks", *TASK) == [
        (0, 0, 0, 0, 0, 10_000),
        (0, 1, 1, 1, 0, 4000),
        (0, 2, 2, 2, 1000, 3000),
        (0, 3, 3, 0, 10_000, 15_000),
    ]
    assert trace.text("functions", "name") == ["a", "same start", "deeper", "b"]
    assert len(trace.marks) == 0


def test_instants_are_marks_of_their_track(tmp_path: Path) -> None:
    trace = chrome(tmp_path, event("X", 1, "a", dur=2), event("i", 2, "now", tid=7))
    assert rows(trace, "marks", "core", "pipe", "name", "start_ns", "end_ns") == [
        (1, "instant", "now", 1000, 1000)
    ]
    assert trace.text("cores", "name") == ["1/1", "1/7"]


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


def test_processes_without_an_order_are_sorted_by_number(tmp_path: Path) -> None:
    trace = chrome(tmp_path, *(event("X", 0, "a", dur=1, pid=pid) for pid in (10, 9, "z", 2)))
    assert trace.text("cores", "name") == ["2/1", "9/1", "10/1", "z/1"]


def test_microseconds_are_exact_decimals(tmp_path: Path) -> None:
    text = (
        '[{"ph":"X","ts":1700000000000000.001,"dur":0.001,"name":"a"},'
        '{"ph":"X","ts":1.700000000000000002e15,"dur":0.0006,"name":"b"},'
        '{"ph":"X","ts":"1700000000000000.0035","dur":"1e-3","name":"c"}]'
    )
    trace = chrome(tmp_path, text=text)
    # Start and end are each rounded once, halves to the even nanosecond: 3.5 and 4.5 are 4.
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 1), (1, 2), (3, 3)]
    assert trace.meta.epoch_ns == 1_700_000_000_000_000_001


def test_times_may_be_negative(tmp_path: Path) -> None:
    trace = chrome(tmp_path, event("X", -2.5, "a", dur=1), event("X", 1, "b", dur=1))
    assert rows(trace, "tasks", "start_ns") == [(0,), (3500,)]


def test_pids_and_tids_may_be_text_or_absent(tmp_path: Path) -> None:
    trace = chrome(
        tmp_path,
        event("X", 0, "a", dur=1, pid="host", tid="main"),
        {"ph": "X", "ts": 0, "dur": 1, "name": "b"},
        event("X", 0, "c", dur=1, pid=None, tid=None),
        event("X", 0, "d", dur=1, pid="Spans", tid=""),
        event("X", 0, "e", dur=1, pid="7", tid=3),
        event("X", 0, "f", dur=1, pid=7, tid="3"),
    )
    assert rows(trace, "cores", "name", "kind", "process") == [
        ("0/0", "track", 0),
        ("7/3", "track", 7),
        ("Spans/", "Spans", None),
        ("host/main", "host", None),
    ]


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


def test_flows_under_many_slices_are_found_in_few_steps(tmp_path: Path) -> None:
    depth = 3000
    events = [event("X", k, "a", dur=2 * (depth - k)) for k in range(depth)]
    flows = [event("s", 2 * depth - k - 0.5, "f", id=k) for k in range(0, depth, 7)]
    ends = [event("f", 9 * depth, "f", id=k, tid=2) for k in range(0, depth, 7)]
    last = event("X", 9 * depth, "end", dur=1, tid=2)
    trace = chrome(tmp_path, *events, *flows, *ends, last)
    assert rows(trace, "edges", "pred", "succ") == [(k, depth) for k in range(0, depth, 7)]


WARP = {"Init Time (ns)": 100, "Post Final Time (ns)": 200, "Finalize Time (ns)": 180}


def test_cycles_that_look_like_nanoseconds_are_told(tmp_path: Path) -> None:
    """A file made by hand after Proton's writer; no public one was found."""
    trace = chrome(
        tmp_path,
        *(
            event("X", 0.1 * warp, "load", dur=0.25, pid="gemm Core3 CTA7", args=WARP)
            | {"tid": f"warp {warp} (line 0)"}
            for warp in range(2)
        ),
    )
    assert rows(trace, "cores", "name", "kind", "lane") == [
        ("Core3 CTA7 warp 0 (line 0)", "gemm", "track"),
        ("Core3 CTA7 warp 1 (line 0)", "gemm", "track"),
    ]
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 250), (100, 350)]
    assert trace.meta.notes[0].startswith("Lengths are cycles of the SM")


def test_a_real_viztracer_file_has_its_functions(tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(
        "def leaf():\n    return 1\ndef stem():\n    return leaf() + leaf()\nstem()\n"
    )
    output = tmp_path / "result.json"
    command = [sys.executable, "-m", "viztracer", "-o", str(output), "--quiet", str(script)]
    subprocess.run(command, check=True, capture_output=True)
    trace = import_trace(output)
    names = trace.text("functions", "name")
    counts = Counter(names[func].split(" ")[0] for func in trace.tasks["func"].tolist())
    assert counts["leaf"] == 2 and counts["stem"] == 1
    depth = {names[f].split(" ")[0]: d for f, d in rows(trace, "tasks", "func", "depth")}
    assert depth["leaf"] == depth["stem"] + 1
    assert set(trace.text("cores", "lane")) == {"track"}


@pytest.mark.parametrize("end", ["", ",", ",\n", "\n", " ]", "]\n"])
def test_an_array_may_end_without_its_bracket(tmp_path: Path, end: str) -> None:
    """The ] is optional in the JSON Array Format: a tool that is killed does not write it."""
    path = tmp_path / "trace.json"
    event = {"ph": "X", "pid": 1, "tid": 1, "name": "a", "dur": 1}
    path.write_text("[" + ",\n".join(json.dumps({**event, "ts": at}) for at in (1, 5)) + end)
    trace = import_trace(path)
    assert trace.tasks["start_ns"].tolist() == [0, 4000]
    note = "The array of events has no end: the last events may be missing."
    assert (note in trace.meta.notes) == ("]" not in end)
