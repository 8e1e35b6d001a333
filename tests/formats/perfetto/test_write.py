"""The Perfetto export, checked by the answers of the real Perfetto engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.perfetto_engine import Rows, overlapping_marks, overlapping_runs, query, trace_of

from lanescope.formats.perfetto import draw, write_perfetto
from lanescope.formats.perfetto.wire import Row, as_bytes, varint, varint_width
from lanescope.formats.views import views
from lanescope.formats.written import DrawnExport
from lanescope.trace import Trace

SLICES = """
    select p.name as view, h.name as lane, s.ts, s.dur, s.name, s.depth
    from slice s join thread_track t on t.id = s.track_id join thread h using (utid)
    join process p using (upid) order by p.pid, h.tid, s.ts, s.depth, s.id
"""
# Lanes that hold others are no threads.
TREE = """
    select p.name as view, t.name as lane, s.ts, s.dur, s.name, s.depth
    from slice s join track t on t.id = s.track_id left join track p on p.id = t.parent_id
    order by extract_arg(t.source_arg_set_id, 'sibling_order_rank'), s.ts, s.depth, s.id
"""
# The viewer shows the threads of a process in the order of their numbers.
SHOWN = """
    select h.name from thread h join process p using (upid)
    where p.name = 'cores' and h.tid != p.pid order by h.tid
"""
ARROWS = """
    select a.ts as source, b.ts as target
    from flow join slice a on a.id = slice_out join slice b on b.id = slice_in
    order by source, target
"""
ARGUMENTS = """
    select s.name as slice, substr(a.key, 7) as name, a.int_value as whole, a.real_value as real
    from slice s join thread_track t on t.id = s.track_id join thread using (utid)
    join process p using (upid) join args a using (arg_set_id)
    where p.name = 'cores' and a.key glob 'debug.*'
    order by s.ts, a.id
"""
COUNTERS = """
    select t.name, ts, value from counter join counter_track t on t.id = track_id
    order by t.id, ts
"""


def shown(trace: Trace, folder: Path, sql: str = SLICES) -> Rows:
    path = folder / "trace.perfetto"
    write_perfetto(trace, path)
    return query(path, {"answer": sql})["answer"]


def lanes(rows: Rows, view: str) -> dict[str, list[tuple[Any, ...]]]:
    """Lane → (start, duration, name, depth) of its slices, lanes in order."""
    result: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        if row["view"] == view:
            slices = result.setdefault(row["lane"], [])
            slices.append((row["ts"], row["dur"], row["name"], row["depth"]))
    return result


def tasks_at(*intervals: tuple[int, int], core: int = 0) -> dict[str, list[Any]]:
    """Task rows 0, 1, … on one core."""
    return {
        "task": list(range(len(intervals))),
        "core": [core] * len(intervals),
        "token": list(range(len(intervals))),
        "start_ns": [start for start, _ in intervals],
        "end_ns": [end for _, end in intervals],
    }


def test_each_task_that_ran_is_a_slice_named_by_its_function(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0, 1], "name": ["aic0", "aiv0"]},
        functions={"func": [7], "name": ["matmul"]},
        tasks={
            "task": [1, 2, 3, 4],
            "core": [0, 0, 1, None],
            "func": [7, None, 9, 7],
            "start_ns": [10, 30, 5, None],
            "end_ns": [20, 45, 6, None],
        },
    )
    assert lanes(shown(trace, tmp_path), "cores") == {
        "aic0": [(10, 10, "matmul", 0), (30, 15, "task", 0)],
        "aiv0": [(5, 1, "task", 0)],
    }


def test_lanes_stand_in_core_order_not_in_name_order(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [5, 3, 4], "name": ["zulu", "core10", "core2"]},
        tasks={"task": [0, 1, 2], "core": [3, 4, 5], "start_ns": [0, 1, 2], "end_ns": [9, 9, 9]},
    )
    names = [row["name"] for row in shown(trace, tmp_path, SHOWN)]
    assert names == ["zulu", "core10", "core2"]


def test_core_that_ran_nothing_keeps_its_named_lane() -> None:
    trace = trace_of(
        cores={"core": [0, 1, 2], "name": ["a", "idle", "b"]},
        tasks={"task": [0, 1], "core": [0, 2], "start_ns": [0, 1], "end_ns": [9, 9]},
    )
    (view,) = views(trace)
    assert view.lanes == ("a", "idle", "b")


def test_cores_without_a_row_or_a_name_get_one(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [4], "name": [None]},
        tasks={"task": [0, 1, 2], "core": [9, 4, None], "start_ns": [0] * 3, "end_ns": [1] * 3},
    )
    names = [row["name"] for row in shown(trace, tmp_path, SHOWN)]
    assert names == ["core 4", "no core", "core 9"]


def test_more_lanes_than_one_varint_byte_holds(tmp_path: Path) -> None:
    count = 300
    trace = trace_of(
        cores={"core": list(range(count)), "name": [f"c{core}" for core in range(count)]},
        tasks={
            "task": list(range(count)),
            "core": list(range(count)),
            "start_ns": list(range(count)),
            "end_ns": [2 * core for core in range(count)],
        },
    )
    found = lanes(shown(trace, tmp_path), "cores")
    assert found == {f"c{core}": [(core, core, "task", 0)] for core in range(count)}


def test_overlapping_slices_go_to_sub_lanes(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0], "name": ["aic0"]},
        tasks={
            **tasks_at((20, 30), (40, 50), (60, 70)),
            "dispatch_ns": [0, 10, 15],
            "finish_ns": [35, 55, 75],
        },
    )
    found = lanes(shown(trace, tmp_path), "scheduler view")
    assert found == {
        "aic0": [(0, 35, "task", 0)],
        "aic0 (2)": [(10, 45, "task", 0)],
        "aic0 (3)": [(15, 60, "task", 0)],
    }


def test_scheduler_view_has_only_tasks_with_dispatch_and_finish(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0], "name": ["aic0"]},
        tasks={
            **tasks_at((20, 30), (40, 50), (60, 70)),
            "dispatch_ns": [10, None, 55],
            "finish_ns": [35, 55, None],
        },
    )
    found = lanes(shown(trace, tmp_path), "scheduler view")
    assert found == {"aic0": [(10, 25, "task", 0)]}


def test_zero_length_slices_survive(tmp_path: Path) -> None:
    trace = trace_of(tasks=tasks_at((5, 5), (5, 5), (7, 7), (7, 9)))
    found = [(row["ts"], row["dur"]) for row in shown(trace, tmp_path)]
    assert found == [(5, 0), (5, 0), (7, 2), (7, 0)]


def test_adjacent_slices_do_not_nest(tmp_path: Path) -> None:
    trace = trace_of(tasks=tasks_at((0, 10), (10, 20), (20, 20), (20, 30)))
    found = lanes(shown(trace, tmp_path), "cores")["core 0"]
    assert [(start, depth) for start, _, _, depth in found] == [(0, 0), (10, 0), (20, 0), (20, 1)]


def test_end_before_start_is_drawn_at_the_start(tmp_path: Path) -> None:
    trace = trace_of(tasks=tasks_at((9, 4)))
    assert lanes(shown(trace, tmp_path), "cores") == {"core 0": [(9, 0, "task", 0)]}


def test_inner_phases_nest_and_schedulers_come_first(tmp_path: Path) -> None:
    trace = trace_of(
        phases={
            "lane": ["host", "orchestrator", "scheduler", "scheduler", "scheduler"],
            "controller": [None, 0, 1, 1, 0],
            "kind": ["copy", "submit", "inner", "outer", None],
            "start_ns": [0, 3, 20, 10, 50],
            "end_ns": [9, 4, 30, 40, 60],
        }
    )
    found = lanes(shown(trace, tmp_path), "controllers")
    assert list(found.items()) == [
        ("scheduler 0", [(50, 10, "phase", 0)]),
        ("scheduler 1", [(10, 30, "outer", 0), (20, 10, "inner", 1)]),
        ("orchestrator 0", [(3, 1, "submit", 0)]),
        ("host", [(0, 9, "copy", 0)]),
    ]


def test_pipes_are_tracks_under_the_track_of_their_core(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0, 1], "name": ["aic0", "aic1"]},
        tasks={"task": [1, 2], "core": [0, 1], "start_ns": [0, 0], "end_ns": [50, 50]},
        marks={
            "core": [0, 0, 0, 1],
            "pipe": ["mte1", "cube", "cube", "cube"],
            "name": ["load", "mmad", None, "mmad"],
            "start_ns": [1, 5, 30, 8],
            "end_ns": [4, 25, None, 9],
        },
    )
    rows = shown(trace, tmp_path, TREE)
    assert lanes(rows, "cores") == {
        "aic0": [(0, 50, "task", 0)],
        "aic1": [(0, 50, "task", 0)],
    }
    assert list(lanes(rows, "aic0").items()) == [
        ("aic0 cube", [(5, 20, "mmad", 0), (30, 0, "mark", 0)]),
        ("aic0 mte1", [(1, 3, "load", 0)]),
    ]
    assert lanes(rows, "aic1") == {"aic1 cube": [(8, 1, "mmad", 0)]}


def test_marks_of_no_pipe_have_lanes_below_their_core(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0, 1], "name": ["main", "worker"]},
        tasks={"task": [1], "core": [0], "start_ns": [0], "end_ns": [50]},
        marks={"core": [0], "pipe": ["depth 1"], "name": ["f"], "start_ns": [5], "end_ns": [9]},
    )
    rows = shown(trace, tmp_path)
    assert lanes(rows, "cores") == {"main": [(0, 50, "task", 0)], "main depth 1": [(5, 4, "f", 0)]}


def test_an_interval_with_one_end_is_an_instant(tmp_path: Path) -> None:
    trace = trace_of(
        marks={
            "core": [0, 0],
            "pipe": ["cube"] * 2,
            "start_ns": [3, None],
            "end_ns": [None, 8],
        }
    )
    found = [(row["ts"], row["dur"]) for row in shown(trace, tmp_path, TREE)]
    assert found == [(3, 0), (8, 0)]


def test_cores_of_one_name_stay_apart(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0, 1], "name": ["core", "core"]},
        marks={"core": [0, 1], "pipe": ["cube"] * 2, "start_ns": [0, 5], "end_ns": [9, 12]},
    )
    counted = "select count(distinct track_id) as tracks, count(*) as slices from slice"
    assert shown(trace, tmp_path, counted) == [{"tracks": 2, "slices": 2}]


def test_overlapping_marks_of_a_pipe_are_all_in_the_file(tmp_path: Path) -> None:
    trace = overlapping_marks()
    marks = trace.marks
    rows = shown(trace, tmp_path, TREE)
    found = sorted((row["ts"], row["ts"] + row["dur"]) for row in rows)
    times = (marks["start_ns"].tolist(), marks["end_ns"].tolist())
    assert found == sorted(zip(*times, strict=True))
    assert {row["view"] for row in rows} == {"core 0", "core 1"}
    assert len({row["lane"] for row in rows}) > 2 * 3


def test_stalls_are_on_the_lane_that_waited(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0], "name": ["aic0"]},
        tasks=tasks_at((0, 50)),
        phases={
            "lane": ["scheduler"],
            "controller": [2],
            "kind": ["poll"],
            "start_ns": [0],
            "end_ns": [9],
        },
        stalls={
            "lane": ["core", "scheduler", "core"],
            "core": [0, None, 0],
            "controller": [None, 2, None],
            "cause": ["no buffer", "ready queue", None],
            "start_ns": [10, 1, 45],
            "end_ns": [20, 3, 60],
        },
    )
    rows = shown(trace, tmp_path)
    assert lanes(rows, "cores") == {
        "aic0": [(0, 50, "task", 0), (10, 10, "stall: no buffer", 1)],
        "aic0 (2)": [(45, 15, "stall", 0)],
    }
    assert lanes(rows, "controllers") == {
        "scheduler 2": [(0, 9, "poll", 0), (1, 2, "stall: ready queue", 1)]
    }


def test_known_values_are_arguments_and_missing_ones_are_absent(tmp_path: Path) -> None:
    trace = trace_of(
        functions={"func": [3, 4], "name": ["full", "bare"]},
        tasks={
            "task": [-(2**62), 2**40],
            "core": [0, 0],
            "token": [None, 70000],
            "func": [3, 4],
            "block": [2, None],
            "dispatch_ns": [1, None],
            "receive_ns": [8, None],
            "start_ns": [10, 30],
            "end_ns": [20, 40],
            "finish_ns": [25, None],
        },
    )
    found = [(row["slice"], row["name"], row["whole"]) for row in shown(trace, tmp_path, ARGUMENTS)]
    assert found == [
        ("full", "task", -(2**62)),
        ("full", "function", 3),
        ("full", "block", 2),
        ("full", "dispatch_ns", 1),
        ("full", "finish_ns", 25),
        ("full", "setup_ns", 2),
        ("bare", "task", 2**40),
        ("bare", "function", 4),
        ("bare", "token", 70000),
    ]


def test_hardware_counters_are_arguments_of_their_task(tmp_path: Path) -> None:
    trace = trace_of(
        functions={"func": [0, 1, 2], "name": ["first", "second", "third"]},
        tasks={**tasks_at((0, 10), (20, 30), (40, 50)), "task": [7, 7, 8], "func": [0, 1, 2]},
        counters={
            "name": ["cycles", "cycles", "ipc", "task", "cycles", "cycles"],
            "value": [100.0, 200.0, 0.5, 9.0, 1.0, float("nan")],
            "task": [7, 7, 8, 8, 99, 8],
            "core": [0, 0, 0, 0, 0, 0],
            "token": [0, 1, None, None, None, 2],
        },
    )
    base = {"task", "function", "token"}
    found = [
        (row["slice"], row["name"], row["whole"], row["real"])
        for row in shown(trace, tmp_path, ARGUMENTS)
        if row["name"] not in base
    ]
    assert found == [
        ("first", "cycles", 100, None),
        ("second", "cycles", 200, None),
        ("third", "ipc", None, 0.5),
        ("third", "task (counter)", 9, None),
    ]


def test_one_arrow_per_pair_of_tasks(tmp_path: Path) -> None:
    trace = trace_of(
        tasks=tasks_at((0, 10), (20, 30), (40, 50)),
        edges={"pred": [0, 0, 1, 0], "succ": [1, 1, 2, 2]},
    )
    found = shown(trace, tmp_path, ARROWS)
    assert [(row["source"], row["target"]) for row in found] == [(0, 20), (0, 40), (20, 40)]


def test_arrow_leaves_the_last_end_and_arrives_at_the_first_start(tmp_path: Path) -> None:
    trace = trace_of(
        tasks={
            "task": [1, 1, 1, 2, 2],
            "core": [0, 1, 2, 0, 1],
            "start_ns": [0, 5, 10, 60, 55],
            "end_ns": [20, 50, 30, 90, 95],
        },
        edges={"pred": [1], "succ": [2]},
    )
    assert shown(trace, tmp_path, ARROWS) == [{"source": 5, "target": 55}]


def test_dependencies_that_cannot_be_drawn_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "trace.perfetto"
    trace = trace_of(
        tasks=tasks_at((0, 10), (20, 30)),
        edges={
            "pred": [0, 1, 77, 77, 0, 1],
            "succ": [1, 0, 1, 1, 88, 1],
        },
    )
    # Drawn: 0→1. Not drawn: 1→0 (back in time), 77→1 (no slice, twice), 0→88, 1→1.
    summary = write_perfetto(trace, path)
    assert summary == DrawnExport(
        output=str(path),
        format="perfetto",
        slices=2,
        lanes=1,
        arrows=1,
        arrows_not_drawn=4,
        bytes=path.stat().st_size,
    )
    assert len(query(path, {"arrows": ARROWS})["arrows"]) == 1


def test_arrows_between_slices_that_begin_together(tmp_path: Path) -> None:
    trace = trace_of(
        tasks={"task": [1, 2], "core": [0, 1], "start_ns": [5, 5], "end_ns": [5, 9]},
        edges={"pred": [1, 2], "succ": [2, 1]},
    )
    path = tmp_path / "trace.perfetto"
    summary = write_perfetto(trace, path)
    assert (summary.arrows, summary.arrows_not_drawn) == (1, 1)
    assert query(path, {"arrows": ARROWS})["arrows"] == [{"source": 5, "target": 5}]


def test_task_with_very_many_arrows(tmp_path: Path) -> None:
    many = 2000
    times = [(0, 1), *((10 + k, 11 + k) for k in range(many)), (9000, 9001)]
    trace = trace_of(
        tasks=tasks_at(*times),
        edges={
            "pred": [0] * many + list(range(1, many + 1)),
            "succ": [*range(1, many + 1), *[many + 1] * many],
        },
    )
    found = [(row["source"], row["target"]) for row in shown(trace, tmp_path, ARROWS)]
    fans = [*((0, 10 + k) for k in range(many)), *((10 + k, 9000) for k in range(many))]
    assert found == fans


def test_queue_depth_is_a_counter_that_changes_at_phase_edges(tmp_path: Path) -> None:
    trace = trace_of(
        queues=("aic", "aiv"),
        phases={
            "lane": ["scheduler"] * 3,
            "controller": [0, 0, 1],
            "kind": ["dispatch"] * 3,
            "start_ns": [10, 30, 15],
            "end_ns": [20, 40, 35],
            "queue0_start": [3, 1, 7],
            "queue0_end": [3, None, 0],
            "queue1_start": [None] * 3,
            "queue1_end": [None] * 3,
        },
    )
    found = [(row["name"], row["ts"], row["value"]) for row in shown(trace, tmp_path, COUNTERS)]
    assert found == [
        ("ready aic", 10, 3),
        ("ready aic", 15, 7),
        ("ready aic", 20, 3),
        ("ready aic", 30, 1),
        ("ready aic", 35, 0),
    ]


def test_counters_with_times_are_tracks_by_name_and_core(tmp_path: Path) -> None:
    trace = trace_of(
        cores={"core": [0], "name": ["aic0"]},
        counters={
            "name": ["power", "heat", "power", "power", "power"],
            "value": [1.5, -2.0, 2.0**60, 4.0, float("nan")],
            "core": [None, 0, None, None, None],
            "time_ns": [20, 5, 10, None, 30],
        },
    )
    found = [(row["name"], row["ts"], row["value"]) for row in shown(trace, tmp_path, COUNTERS)]
    assert sorted(found) == [("heat aic0", 5, -2), ("power", 10, 2**60), ("power", 20, 1.5)]


def test_names_keep_their_characters(tmp_path: Path) -> None:
    names = [
        'say "hi"',
        "línea\nnueva",
        "矩阵乘",
        "back\\slash\ttab",
        "🙂",
        "'; drop table slice; --",
    ]
    trace = trace_of(
        cores={"core": list(range(6)), "name": names},
        functions={"func": list(range(6)), "name": names},
        tasks={
            "task": list(range(6)),
            "core": list(range(6)),
            "func": list(range(6)),
            "start_ns": [0] * 6,
            "end_ns": [1] * 6,
        },
    )
    found = [(row["lane"], row["name"]) for row in shown(trace, tmp_path)]
    assert found == [(name, name) for name in names]


def test_times_before_the_base_shift_the_whole_export(tmp_path: Path) -> None:
    trace = trace_of(
        queues=("q",),
        tasks={**tasks_at((10, 20)), "dispatch_ns": [5], "finish_ns": [25], "receive_ns": [8]},
        phases={
            "lane": ["host"],
            "controller": [0],
            "kind": ["set-up"],
            "start_ns": [-1000],
            "end_ns": [-400],
            "queue0_start": [2],
        },
    )
    path = tmp_path / "trace.perfetto"
    write_perfetto(trace, path)
    answers = query(path, {"slices": SLICES, "arguments": ARGUMENTS, "counters": COUNTERS})
    found = [(row["view"], row["ts"], row["dur"]) for row in answers["slices"]]
    assert found == [("cores", 1010, 10), ("scheduler view", 1005, 20), ("controllers", 0, 600)]
    times = {row["name"]: row["whole"] for row in answers["arguments"]}
    assert (times["dispatch_ns"], times["finish_ns"], times["setup_ns"]) == (1005, 1025, 2)
    assert answers["counters"] == [{"name": "ready q", "ts": 0, "value": 2}]


@pytest.mark.parametrize("base", [2**53 + 1, 2**56 - 1, 2**62 + 3])
def test_times_beyond_doubles_are_exact(tmp_path: Path, base: int) -> None:
    trace = trace_of(tasks=tasks_at((base, base + 2), (base + 3, base + 10)))
    found = [(row["ts"], row["dur"]) for row in shown(trace, tmp_path)]
    assert found == [(base, 2), (base + 3, 7)]


def test_trace_without_rows_is_a_valid_file(tmp_path: Path) -> None:
    assert shown(trace_of(), tmp_path) == []


def test_compressed_export_opens(tmp_path: Path) -> None:
    trace = trace_of(tasks=tasks_at((1, 2)))
    path = tmp_path / "trace.perfetto.gz"
    write_perfetto(trace, path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert len(query(path, {"slices": SLICES})["slices"]) == 1


def test_chunks_do_not_show_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(
        tasks=tasks_at(*((10 * k, 10 * k + 25) for k in range(50))),
        edges={"pred": list(range(47)), "succ": [k + 3 for k in range(47)]},
        stalls={"lane": ["core"], "core": [0], "start_ns": [71], "end_ns": [72]},
        counters={"name": ["x"] * 9, "value": [1.0] * 9, "time_ns": list(range(9))},
    )
    write_perfetto(trace, tmp_path / "whole")
    monkeypatch.setattr(draw, "_CHUNK_ROWS", 7)
    write_perfetto(trace, tmp_path / "chunks")
    assert (tmp_path / "chunks").read_bytes() == (tmp_path / "whole").read_bytes()


def test_overlapping_intervals_never_lose_a_slice(tmp_path: Path) -> None:
    rows = overlapping_runs()
    trace = trace_of(
        tasks={
            "task": list(range(len(rows))),
            "core": [core for core, _, _ in rows],
            "start_ns": [start for _, start, _ in rows],
            "end_ns": [end for _, _, end in rows],
        }
    )
    found = [
        (int(row["lane"].split()[1]), row["ts"], row["ts"] + row["dur"])
        for row in shown(trace, tmp_path)
    ]
    assert sorted(found) == sorted(rows)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_padded_varints_hold_the_same_numbers(values: list[int]) -> None:
    width = varint_width(min(values), max(values))
    row = Row().fixed(b"<").hole("number", width).fixed(b">")
    rows = row.make(len(values))
    row.put_varints(rows, "number", np.array(values, np.int64))
    written = [line.tobytes() for line in as_bytes(rows)]
    assert [_decode(line[1:-1]) for line in written] == values
    assert {(line[:1], line[-1:]) for line in written} == {(b"<", b">")}
    assert all(len(varint(value)) <= width for value in values)


def _decode(encoded: bytes) -> int:
    assert all(byte & 0x80 for byte in encoded[:-1])
    assert not encoded[-1] & 0x80
    value = sum((byte & 0x7F) << 7 * k for k, byte in enumerate(encoded))
    return value - 2**64 if value >= 2**63 else value
