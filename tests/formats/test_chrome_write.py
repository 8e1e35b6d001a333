"""The Chrome JSON export, checked by the real Perfetto engine, and how its file is written."""

from __future__ import annotations

import errno
import gzip
import json
import re
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.formats.perfetto_engine import Rows, overlapping_marks, overlapping_runs, query, trace_of

from lanescope.errors import OutputError
from lanescope.formats import output
from lanescope.formats.chrome import write
from lanescope.formats.chrome.write import write_chrome
from lanescope.formats.output import atomic_output
from lanescope.formats.written import DrawnExport
from lanescope.trace import Trace

SLICES = """
    select p.name as view, t.name as lane, s.ts, s.dur, s.name, s.depth
    from slice s join thread_track k on k.id = s.track_id
    join thread t using (utid) join process p using (upid)
    order by p.pid, t.tid, s.ts, s.depth, s.id
"""
ARROWS = """
    select a.ts as source, b.ts as target
    from flow join slice a on a.id = slice_out join slice b on b.id = slice_in
    order by source, target
"""
ARGUMENTS = """
    select s.name as slice, substr(a.key, 6) as name, a.int_value as whole, a.real_value as real
    from slice s join args a using (arg_set_id) where a.key glob 'args.*' order by s.ts, a.id
"""
COUNTERS = """
    select t.name, ts, value from counter join counter_track t on t.id = track_id
    order by t.id, ts
"""


def shown(trace: Trace, folder: Path, sql: str = SLICES) -> Rows:
    path = folder / "trace.json"
    write_chrome(trace, path)
    return query(path, {"answer": sql})["answer"]


def events(trace: Trace, folder: Path) -> list[dict[str, Any]]:
    path = folder / "trace.json"
    write_chrome(trace, path)
    decoded = json.loads(path.read_bytes(), parse_float=Decimal)
    assert isinstance(decoded["traceEvents"], list)
    return decoded["traceEvents"]


def run(**columns: list[Any]) -> Trace:
    """Tasks 0, 1, … with these columns."""
    return trace_of(tasks={"task": list(range(len(columns["core"]))), **columns})


def test_views_are_processes_and_lanes_are_threads_in_order(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [1, 0], "name": ["zulu", "alpha"]},
        functions={"func": [4], "name": ["matmul"]},
        tasks={
            "task": [1, 2, 3],
            "core": [0, 1, 1],
            "func": [4, 4, None],
            "dispatch_ns": [0, 2, 3],
            "start_ns": [10, 20, 30],
            "end_ns": [20, 30, 30],
            "finish_ns": [25, 35, 40],
        },
        phases={
            "lane": ["scheduler", "scheduler"],
            "controller": [0, 0],
            "kind": ["inner", "outer"],
            "start_ns": [5, 1],
            "end_ns": [7, 9],
        },
    )
    assert [tuple(row.values()) for row in shown(trace, tmp_path)] == [
        ("cores", "zulu", 20, 10, "matmul", 0),
        ("cores", "zulu", 30, 0, "task", 0),
        ("cores", "alpha", 10, 10, "matmul", 0),
        ("scheduler view", "zulu", 2, 33, "matmul", 0),
        ("scheduler view", "zulu (2)", 3, 37, "task", 0),
        ("scheduler view", "alpha", 0, 25, "matmul", 0),
        ("controllers", "scheduler 0", 1, 8, "outer", 0),
        ("controllers", "scheduler 0", 5, 2, "inner", 1),
    ]


def test_no_thread_is_zero_or_a_process_and_none_holds_an_overlap(tmp_path: Path) -> None:
    count = 200
    trace = run(
        core=[k % 150 for k in range(count)],
        start_ns=list(range(count)),
        end_ns=[k + 170 for k in range(count)],
        dispatch_ns=[0] * count,
        finish_ns=[500 + k for k in range(count)],
    )
    written = events(trace, tmp_path)
    threads = {event["tid"] for event in written if "tid" in event}
    assert 0 not in threads
    assert threads.isdisjoint({event["pid"] for event in written})
    # 150 cores in two views, 50 of them with a second task that overlaps the first.
    assert len(threads) == write_chrome(trace, tmp_path / "again.json").lanes == 350
    assert len(shown(trace, tmp_path)) == 400


def test_lanes_are_named_and_ranked_also_where_nothing_ran(tmp_path: Path) -> None:
    trace = trace_of(cores={"core": [0, 1], "name": ["busy", "idle"]})
    found = [
        (event["name"], event["args"])
        for event in events(trace, tmp_path)
        if event["ph"] == "M" and "tid" in event
    ]
    assert found == [
        ("thread_name", {"name": "busy"}),
        ("thread_sort_index", {"sort_index": 0}),
        ("thread_name", {"name": "idle"}),
        ("thread_sort_index", {"sort_index": 1}),
    ]


def test_times_are_microseconds_with_exactly_three_decimals(tmp_path: Path) -> None:
    base = 2**53 + 1
    trace = run(core=[0, 0], start_ns=[7, base], end_ns=[1_007, base + 1_000_001])
    found = [
        (str(event["ts"]), str(event["dur"]))
        for event in events(trace, tmp_path)
        if event["ph"] == "X"
    ]
    assert found == [("0.007", "1.000"), ("9007199254740.993", "1000.001")]
    text = (tmp_path / "trace.json").read_text()
    assert all(re.fullmatch(r"\d+\.\d{3}", t) for t in re.findall(r'"(?:ts|dur)":([^,}]+)', text))


def test_arrows_join_the_slices_of_their_tasks(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    trace = trace_of(
        tasks={
            "task": [1, 1, 2, 3, 3],
            "core": [0, 1, 0, 0, 1],
            "start_ns": [0, 5, 50, 90, 80],
            "end_ns": [20, 40, 60, 99, 99],
        },
        edges={"pred": [1, 1, 2, 3, 9], "succ": [2, 2, 3, 1, 1]},
    )
    summary = write_chrome(trace, path)
    assert summary == DrawnExport(
        output=str(path),
        format="chrome",
        slices=5,
        lanes=2,
        arrows=2,
        arrows_not_drawn=2,
        bytes=path.stat().st_size,
    )
    found = query(path, {"arrows": ARROWS})["arrows"]
    assert found == [{"source": 5, "target": 50}, {"source": 50, "target": 80}]


def test_arrows_between_instants_at_the_same_moment(tmp_path: Path) -> None:
    trace = trace_of(
        tasks={"task": [1, 2, 3], "core": [0, 0, 1], "start_ns": [5] * 3, "end_ns": [5, 5, 5]},
        edges={"pred": [1, 2], "succ": [2, 3]},
    )
    assert len(shown(trace, tmp_path, ARROWS)) == 2


def test_known_values_are_arguments_and_missing_ones_are_absent(tmp_path: Path) -> None:
    trace = trace_of(
        functions={"func": [3, 4], "name": ["full", "bare"]},
        tasks={
            "task": [2**53 + 1, 5],
            "core": [0, 0],
            "func": [3, 4],
            "block": [2, None],
            "receive_ns": [8, None],
            "start_ns": [10, 30],
            "end_ns": [20, 40],
        },
        counters={"name": ["ipc"], "value": [0.25], "task": [5], "core": [0]},
    )
    found = [tuple(row.values()) for row in shown(trace, tmp_path, ARGUMENTS)]
    assert found == [
        ("full", "task", 2**53 + 1, None),
        ("full", "function", 3, None),
        ("full", "block", 2, None),
        ("full", "setup_ns", 2, None),
        ("bare", "task", 5, None),
        ("bare", "function", 4, None),
        ("bare", "ipc", None, 0.25),
    ]


def test_slice_without_known_values_has_empty_arguments(tmp_path: Path) -> None:
    trace = trace_of(
        marks={"core": [0], "pipe": ["cube"], "name": ["m"], "start_ns": [1], "end_ns": [2]},
        phases={
            "lane": ["host", "host"],
            "controller": [0, 0],
            "kind": ["copy", "free"],
            "start_ns": [1, 5],
            "end_ns": [2, 6],
            "bytes": [4096, None],
        },
    )
    found = {
        event["name"]: event["args"] for event in events(trace, tmp_path) if event["ph"] == "X"
    }
    assert found == {"m": {}, "copy": {"bytes": 4096}, "free": {}}


def test_counters_are_levels_over_time(tmp_path: Path) -> None:
    trace = trace_of(
        queues=("aic",),
        phases={
            "lane": ["scheduler"],
            "controller": [0],
            "kind": ["dispatch"],
            "start_ns": [10],
            "end_ns": [20],
            "queue0_start": [3],
            "queue0_end": [0],
        },
        counters={"name": ["power"], "value": [1.5], "time_ns": [15]},
    )
    found = [tuple(row.values()) for row in shown(trace, tmp_path, COUNTERS)]
    assert found == [
        ("ready aic value", 10, 3),
        ("ready aic value", 20, 0),
        ("power value", 15, 1.5),
    ]


def test_names_keep_their_characters(tmp_path: Path) -> None:
    names = ['say "hi"', "línea\nnueva", "矩阵乘", "back\\slash\ttab", "🙂", "</script>", "\ud800"]
    kinds = list(range(len(names)))
    trace = trace_of(
        functions={"func": kinds, "name": names},
        tasks={"task": kinds, "core": kinds, "func": kinds, "start_ns": kinds, "end_ns": kinds},
    )
    found = [event["name"] for event in events(trace, tmp_path) if event["ph"] == "X"]
    assert found == [*names[:-1], "?"]
    shown_names = [row["name"] for row in shown(trace, tmp_path)]
    assert [shown_names[k] for k in (0, 2, 4, 5)] == [names[k] for k in (0, 2, 4, 5)]


def test_times_before_the_base_shift_the_whole_export(tmp_path: Path) -> None:
    trace = run(core=[0, 0], start_ns=[-1_500, 10], end_ns=[-400, 20], dispatch_ns=[None, 5])
    found = [(row["ts"], row["dur"]) for row in shown(trace, tmp_path)]
    assert found == [(0, 1100), (1510, 10)]
    decoded = json.loads((tmp_path / "trace.json").read_bytes())
    assert decoded["otherData"]["shifted_ns"] == 1500


def test_trace_without_rows_is_a_valid_file(tmp_path: Path) -> None:
    assert shown(trace_of(), tmp_path) == []


def test_chunks_do_not_show_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(
        tasks={
            "task": list(range(50)),
            "core": [0] * 50,
            "start_ns": [10 * k for k in range(50)],
            "end_ns": [10 * k + 25 for k in range(50)],
        },
        edges={"pred": list(range(47)), "succ": [k + 3 for k in range(47)]},
        stalls={"lane": ["core"], "core": [0], "start_ns": [71], "end_ns": [72]},
        counters={"name": ["x"] * 9, "value": [1.0] * 9, "time_ns": list(range(9))},
    )
    write_chrome(trace, tmp_path / "whole")
    monkeypatch.setattr(write, "_CHUNK_ROWS", 7)
    write_chrome(trace, tmp_path / "chunks")
    assert (tmp_path / "chunks").read_bytes() == (tmp_path / "whole").read_bytes()


def test_overlapping_intervals_never_lose_a_slice(tmp_path: Path) -> None:
    rows = overlapping_runs()
    trace = run(
        core=[core for core, _, _ in rows],
        start_ns=[start for _, start, _ in rows],
        end_ns=[end for _, _, end in rows],
    )
    found = [
        (int(row["lane"].split()[1]), row["ts"], row["ts"] + row["dur"])
        for row in shown(trace, tmp_path)
    ]
    assert sorted(found) == sorted(rows)


def test_overlapping_marks_of_a_pipe_are_all_in_the_file(tmp_path: Path) -> None:
    trace = overlapping_marks()
    marks = trace.marks
    found = [(row["ts"], row["ts"] + row["dur"]) for row in shown(trace, tmp_path)]
    times = (marks["start_ns"].tolist(), marks["end_ns"].tolist())
    assert sorted(found) == sorted(zip(*times, strict=True))


# ---- the file -----------------------------------------------------------------------------------


def fill(path: Path, content: bytes = b"new") -> None:
    with atomic_output(path) as stream:
        stream.write(content)


class FullDisk:
    def write(self, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_file_and_missing_folders_are_made(tmp_path: Path) -> None:
    fill(tmp_path / "a" / "b" / "out.json")
    assert (tmp_path / "a" / "b" / "out.json").read_bytes() == b"new"
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["out.json"]


def test_compressed_file_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    fill(tmp_path / "one.gz")
    fill(tmp_path / "two.gz")
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == b"new"
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_place_below_a_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    target = tmp_path / "file" / "out.json"
    with pytest.raises(OutputError) as error:
        fill(target)
    assert str(error.value) == (
        f"{target} could not be written (Not a directory); "
        "free some space or choose another place with -o"
    )


def test_directory_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as error:
        fill(tmp_path)
    assert str(error.value) == (
        f"{tmp_path} is a directory, so no file can be written there; choose another place with -o"
    )


def test_device_is_left_alone() -> None:
    with pytest.raises(OutputError, match=r"^/dev/full is no regular file, so it was left alone; "):
        fill(Path("/dev/full"))


def test_older_file_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.json"
    target.write_bytes(b"older")
    monkeypatch.setattr(output, "_compressed", lambda *_: nullcontext(FullDisk()))
    with pytest.raises(OutputError) as error:
        fill(target)
    assert str(error.value) == (
        f"{target} could not be written (No space left on device); "
        "free some space or choose another place with -o"
    )
    assert target.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [target]


def test_older_file_survives_an_error_while_writing(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_bytes(b"older")
    with pytest.raises(KeyError):
        with atomic_output(target) as stream:
            stream.write(b"new")
            raise KeyError("in the middle")
    assert target.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [target]
