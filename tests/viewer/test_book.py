"""What a page holds of a trace, decoded again and compared with the trace."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.analyze.hand import make_trace, phase, task
from tests.viewer.traces import large, small

from lanescope.analyze.cores.verdict import verdict
from lanescope.analyze.cores.waiting import REASONS, core_activity
from lanescope.analyze.graph.path_bars import PathBars, PathWord, path_bars
from lanescope.trace import MISSING, Trace, open_lazily, save
from lanescope.viewer import book as book_module
from lanescope.viewer.answers import page_basis
from lanescope.viewer.bars import PageBars
from lanescope.viewer.book import OVERVIEW, WHOLE, Book, books_of
from lanescope.viewer.columns import unpack
from lanescope.viewer.lanes import lanes_of
from lanescope.viewer.path import path_table
from lanescope.viewer.tables import PackedTable, bar_table, merged


def columns(table: PackedTable) -> dict[str, np.ndarray]:
    return {column.name: unpack(column) for column in table.columns}


def lanes(table: PackedTable) -> list[int]:
    return [lane for lane, count in table.lanes for _ in range(count)]


def test_tasks_come_back_as_they_are_in_the_trace() -> None:
    trace = small()
    tables = Book(trace).tables(WHOLE)
    found, nodes = columns(tables["tasks"]), columns(tables["nodes"])
    row, tasks = found["row"], trace.tasks
    assert sorted(row) == list(range(len(tasks)))
    start, end = found["start"], found["start"] + found["length"]
    assert np.array_equal(start, tasks["start_ns"][row])
    assert np.array_equal(end, tasks["end_ns"][row])
    assert np.array_equal(start - found["dispatch"], tasks["dispatch_ns"][row])
    assert np.array_equal(start - found["receive"], tasks["receive_ns"][row])
    assert np.array_equal(end + found["finish"], tasks["finish_ns"][row])
    assert np.array_equal(found["token"], tasks["token"][row])
    assert np.array_equal(found["name"], tasks["func"][row])
    ids = (nodes["high"] << 32) | nodes["low"]
    assert np.array_equal(ids[found["node"]], tasks["task"][row])


def test_edges_come_back_once_each() -> None:
    trace = small()
    tables = Book(trace).tables(WHOLE)
    edges, nodes = columns(tables["edges"]), columns(tables["nodes"])
    ids = (nodes["high"] << 32) | nodes["low"]
    found = set(zip(ids[edges["pred"]], ids[edges["pred"] + edges["step"]], strict=True))
    wanted = set(zip(trace.edges["pred"], trace.edges["succ"], strict=True))
    assert found == wanted


def test_lanes_are_controllers_then_each_core_with_its_pipes() -> None:
    header = Book(small(cores=2)).whole_header()
    names = [(lane["kind"], lane["name"], lane["lost"]) for lane in header["lanes"]]
    assert names == [
        ("controller", "scheduler 0", 0),
        ("core", "aic 0", 2),
        ("pipe", "cube", 0),
        ("core", "aic 1", 2),
        ("pipe", "cube", 0),
        ("path", "critical path", 0),
    ]


def test_every_bar_is_on_its_lane() -> None:
    trace = small(cores=2)
    tables = Book(trace).tables(WHOLE)
    assert lanes(tables["tasks"]) == [1] * 8 + [3] * 8
    assert lanes(tables["phases"]) == [0] * 40
    assert lanes(tables["marks"]) == [2] * 8 + [4] * 8
    assert lanes(tables["stalls"]) == [1, 3]


def test_ready_queues_are_series_without_repeated_values() -> None:
    trace = small()
    found = columns(Book(trace).tables(WHOLE)["level0"])
    assert (np.diff(found["time"]) >= 0).all()
    assert (np.diff(found["value"]) != 0).all()
    assert found["value"].max() == 19


def test_a_large_trace_is_shown_without_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "_EXPLAINED_TASKS", 8)
    header = Book(small()).whole_header()
    assert header["reasons"] == ()
    assert header["notes"][-1] == (
        "More than 4,000,000 tasks: wait reasons and the critical path are not shown; "
        "--since and --until show a part with them."
    )
    monkeypatch.setattr(book_module, "_EXPLAINED_TASKS", 32)
    explained = Book(small()).whole_header()
    assert (explained["notes"], len(explained["verdict"])) == ([], 1)


def test_every_column_of_a_tile_is_a_block_of_its_name() -> None:
    book = Book(four())
    assert list(book.blocks(WHOLE)) == [
        (f"all/{name}/{column.name}", column.data)
        for name, table in book.tables(WHOLE).items()
        for column in table.columns
    ]
    names = [name for name, _ in book.blocks(WHOLE)]
    assert names[:3] == ["all/tasks/start", "all/tasks/length", "all/tasks/name"]


def test_bars_of_a_kind_lie_lane_by_lane() -> None:
    """Lanes stay in the order of the table."""
    tasks = [task(core, None, None, 10 * k, 10 * k + 5, None) for core in (0, 2) for k in (0, 1)]
    tasks.append(task(1, None, None, 0, 5, None))
    book = Book(make_trace(tasks=tasks))
    assert book.slices("tasks") == {0: (0, 2), 2: (2, 4), 1: (4, 5)}
    assert book.slices("marks") == {}


def test_waits_are_those_of_the_verdict() -> None:
    trace = small()
    book, chip = Book(trace), verdict(trace).chip
    assert chip is not None
    reasons = book.whole_header()["reasons"]
    assert [(one["what"], one["label"], one["ns"]) for one in reasons] == [
        (share.what, share.label, share.ns) for share in chip.shares
    ]
    found, activity = columns(book.tables(WHOLE)["tasks"]), core_activity(trace)
    assert activity is not None
    after = activity.waits().after
    for reason in REASONS:
        told = found.get(f"wait_{reason}", np.zeros(1)).sum() + after[reason].sum()
        assert told == pytest.approx(chip.ns(reason), abs=len(trace.tasks))


def test_tasks_on_the_critical_path_are_marked() -> None:
    path = path_bars(page_basis(small()))
    assert path is not None
    found = columns(Book(small()).tables(WHOLE)["tasks"])
    assert found["row"][found["critical"] == 1].tolist() == sorted(path.rows.tolist())


@pytest.mark.parametrize("trace", [make_trace(), make_trace(cores=[{"core": 0, "kind": "aic"}])])
def test_an_empty_trace_has_a_header(trace: Trace) -> None:
    assert json.dumps(Book(trace).whole_header())


def test_tiles_hold_every_task_that_touches_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "TILE_ROWS", 1000)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 4000)
    trace = large(5000)
    book = Book(trace)
    header = book.tiled_header()
    assert len(header["tiles"]) == 5
    for tile in header["tiles"]:
        found = columns(book.tables(tile["name"])["tasks"])
        touches = (trace.tasks["start_ns"] < tile["end_ns"]) & (
            trace.tasks["end_ns"] >= tile["start_ns"]
        )
        assert np.array_equal(np.sort(found["row"]), np.flatnonzero(touches))
        assert (found["task_high"] == 0).all()
        assert np.array_equal(found["task_low"], trace.tasks["task"][found["row"]])


def four() -> Trace:
    """From 0 to 7 ns: 0 to 1, 1 to 3, 4 to 4, 6 to 7."""
    times = ((0, 1), (1, 3), (4, 4), (6, 7))
    tasks = [task(0, None, None, *pair, None, task=k) for k, pair in enumerate(times)]
    return make_trace(tasks=tasks, cores=[{"core": 0}])


def test_a_bar_on_an_edge_is_in_the_tiles_that_it_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tiles: 0 to 3 and 3 to 8, the last moment included."""
    monkeypatch.setattr(book_module, "TILE_ROWS", 2)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 3)
    book = Book(four())
    tiles = book.tiled_header()["tiles"]
    assert [(tile["start_ns"], tile["end_ns"]) for tile in tiles] == [(0, 3), (3, 8)]
    rows = [columns(book.tables(tile["name"])["tasks"])["row"].tolist() for tile in tiles]
    assert rows == [[0, 1], [1, 2, 3]]
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 4)
    assert [tile["name"] for tile in Book(four()).tiled_header()["tiles"]] == [WHOLE]


def test_the_overview_has_bins_of_equal_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """7 ns in 2 bins: 0 to 4 and 4 to 8."""
    monkeypatch.setattr(book_module, "_OVERVIEW_BINS", 2)
    found = columns(Book(four()).tables(OVERVIEW)["tasks"])
    told = {name: found[name].tolist() for name in ("start", "length", "busy", "merged")}
    assert told == {"start": [0, 4], "length": [3, 3], "busy": [3, 1], "merged": [2, 2]}


def test_the_overview_keeps_the_busy_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "_OVERVIEW_BINS", 16)
    trace = large(5000)
    found = columns(Book(trace).tables(OVERVIEW)["tasks"])
    assert found["busy"].sum() == (trace.tasks["end_ns"] - trace.tasks["start_ns"]).sum()
    assert found["merged"].sum() == 5000
    assert len(found["busy"]) <= 16 * 72
    assert (found["start"] != MISSING).all()


def test_a_merged_bar_has_the_longest_ones_name() -> None:
    lengths = {0: 10, 1: 500, 2: 80}
    tasks = [
        task(0, None, None, 600 * k, 600 * k + length, None, func=k, task=k)
        for k, length in lengths.items()
    ]
    functions = [{"func": k, "name": f"f{k}"} for k in lengths]
    bars = Book(make_trace(tasks=tasks, functions=functions)).bars["tasks"]
    found = merged(bars, 0, 10_000)
    assert (found.name.tolist(), found.start_ns.tolist(), found.end_ns.tolist()) == (
        [1],
        [0],
        [1280],
    )
    assert (found.more["busy"].tolist(), found.more["merged"].tolist()) == ([590], [3])


def test_a_bar_longer_than_a_bin_stays_alone() -> None:
    """In one bar with the time before it, it would look less busy than it is."""
    times = ((0, 2), (3, 5), (9, 30), (31, 32), (33, 34))
    tasks = [task(0, None, None, *one, None, task=k) for k, one in enumerate(times)]
    found = merged(Book(make_trace(tasks=tasks)).bars["tasks"], 0, 10)
    assert list(zip(found.start_ns.tolist(), found.end_ns.tolist(), strict=True)) == [
        (0, 5),
        (9, 30),
        (31, 34),
    ]
    assert found.more["busy"].tolist() == [4, 21, 2]


def test_a_bar_as_long_as_a_bin_is_merged_with_what_lies_in_it() -> None:
    phases = [phase("complete", 0, 10), phase("poll", 4, 7), phase("poll", 20, 31)]
    found = merged(Book(make_trace(phases=phases)).bars["phases"], 0, 10)
    assert list(zip(found.start_ns.tolist(), found.end_ns.tolist(), strict=True)) == [
        (0, 10),
        (20, 31),
    ]
    assert {name: values.tolist() for name, values in found.more.items()} == {
        "busy": [10, 11],
        "merged": [2, 1],
    }


@pytest.mark.parametrize("names", [(0, 1), (2, 3), (7, 6), (0, 7)])
def test_a_merged_bar_has_a_name_of_any_number(names: tuple[int, int]) -> None:
    """The second bar is longer by 1 ns."""
    times = ((0, 10), (20, 31))
    tasks = [
        task(0, None, None, *pair, None, func=func, task=func)
        for pair, func in zip(times, names, strict=True)
    ]
    functions = [{"func": k, "name": f"f{k}"} for k in range(8)]
    bars = Book(make_trace(tasks=tasks, functions=functions)).bars["tasks"]
    assert merged(bars, 0, 100).name.tolist() == [names[1]]


def test_bars_without_a_lane_are_left_out() -> None:
    rows = np.arange(3)
    bars = PageBars(np.array([-1, 0, 2]), 10 * rows, 10 * rows + 5, rows, rows, lambda _: {})
    table = bar_table(bars)
    assert (table.rows, table.lanes) == (2, ((0, 1), (2, 1)))
    assert columns(table)["start"].tolist() == [10, 20]


def test_counters_that_are_not_shown_are_counted() -> None:
    samples = [{"name": f"c{k}", "value": 1.5 * k, "time_ns": k} for k in range(70)]
    header = Book(make_trace(counters=samples)).whole_header()
    assert len(header["levels"]) == 64
    assert header["notes"] == ["64 of 70 counters are shown; --core shows others."]


def test_edges_and_tasks_that_are_told_twice_are_there_once() -> None:
    tasks = [task(0, None, None, 10 * k, 10 * k + 5, None, task=k + 1) for k in range(3)]
    pairs = [(1, 2), (2, 3), (1, 2), (2, 3), (1, 3), (2, 3)]
    edges = [{"pred": pred, "succ": succ} for pred, succ in pairs]
    tables = Book(make_trace(tasks=tasks, edges=edges)).tables(WHOLE)
    found = {name: values.tolist() for name, values in columns(tables["edges"]).items()}
    assert found == {"pred": [0, 0, 1], "step": [1, 2, 1]}
    assert columns(tables["nodes"])["low"].tolist() == [1, 2, 3]


def test_traces_without_a_known_place_keep_their_name() -> None:
    traces = [small("run"), small("run"), small("run")]
    books = books_of(traces, ["/a/run.lanes", "/b/run.lanes"])
    assert [book.header["label"] for book in books] == ["a/run", "b/run", "run"]
    assert [book.header["label"] for book in books_of(traces[:1])] == ["run"]


def test_a_part_of_the_path_without_a_known_cause_has_none() -> None:
    """Its row is not known, either, where no task runs or is waited for."""
    path = PathBars(
        start_ns=np.array([0, 10, 30]),
        end_ns=np.array([10, 30, 40]),
        row=np.array([0, 1, -1]),
        what=np.array([0, 1, 1]),
        cause=np.array([-1, 0, -1]),
        words=(PathWord("running", "running", None), PathWord("data", "for data", "data")),
        causes=("a",),
    )
    tasks = [task(4, None, None, 0, 10, None, func=8), task(5, None, None, 30, 40, None, func=9)]
    trace = make_trace(tasks=tasks, functions=[{"func": 8}, {"func": 9}])
    bars = path_table(trace, lanes_of(trace), path, place=7)
    assert (bars.lane.tolist(), bars.name.tolist()) == ([7, 7, 7], [0, 4, 4])
    assert {name: values.tolist() for name, values in bars.more.items()} == {
        "what": [0, 1, 1],
        "cause": [MISSING, 0, MISSING],
        "on": [0, 1, MISSING],
        "from": [0, 30, MISSING],
        "function": [0, 1, MISSING],
        "row": [0, 1, MISSING],
    }
    alone = make_trace(tasks=tasks[:1], cores=[{"core": 4}])
    host = path_table(alone, lanes_of(alone), replace(path, row=np.full(3, -1)), place=7)
    assert (host.more["on"] == MISSING).all()


def test_a_bar_that_starts_where_a_tile_ends_is_in_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(book_module, "TILE_ROWS", 2)
    monkeypatch.setattr(book_module, "_WHOLE_ROWS", 3)
    times = ((0, 1), (1, 2), (4, 5), (6, 8))
    tasks = [task(0, None, None, *pair, None, task=k) for k, pair in enumerate(times)]
    book = Book(make_trace(tasks=tasks, cores=[{"core": 0}]))
    tiles = book.tiled_header()["tiles"]
    assert [(tile["start_ns"], tile["end_ns"]) for tile in tiles] == [(0, 4), (4, 9)]
    rows = [columns(book.tables(tile["name"])["tasks"])["row"].tolist() for tile in tiles]
    assert rows == [[0, 1], [2, 3]]


@pytest.mark.parametrize(("rows", "tiles"), [(1_600_000, [WHOLE]), (1_600_001, list("01234"))])
def test_up_to_1600000_bars_are_sent_whole(
    rows: int, tiles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Book, "_rows", lambda book: rows)
    assert [tile["name"] for tile in Book(four()).tiled_header()["tiles"]] == tiles


def test_whole_and_overview_have_series_and_path_only_the_whole_has_the_graph() -> None:
    book = Book(small())
    told = {tile: set(book.tables(tile)) for tile in (WHOLE, OVERVIEW)}
    bars = {"tasks", "phases", "marks", "stalls", "lost", "level0", "path"}
    assert told == {WHOLE: bars | {"nodes", "edges"}, OVERVIEW: bars}


def test_what_is_not_needed_again_is_given_back(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    trace = open_lazily(tmp_path / "a.lanes")
    Book(trace)
    kept = {name: trace.table(name).columns._kept for name in ("edges", "phases")}  # type: ignore[attr-defined]
    assert kept["edges"].keys().isdisjoint({"kind"})
    columns = {"lane", "controller", "queue0_start", "queue0_end"}
    assert kept["phases"].keys().isdisjoint(columns)
