"""What the page is told of a trace is what the report says, for every family of lanes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from tests.analyze.hand import Row, make_trace, task
from tests.analyze.streams.made import full, of_streams
from tests.analyze.streams.test_idle import anything
from tests.analyze.tracks.test_slices import nested
from tests.analyze.units.test_program import program
from tests.viewer.traces import HOSTILE, small

from lanescope.analyze.graph.path_bars import path_bars
from lanescope.analyze.streams.basis import stream_basis
from lanescope.analyze.streams.path_time import critical_time
from lanescope.reports.build import build_report
from lanescope.trace import MISSING, Trace
from lanescope.viewer import book as book_module
from lanescope.viewer.answers import answers_of, page_basis
from lanescope.viewer.book import Book
from lanescope.viewer.lanes import lanes_of


def sums(trace: Trace) -> dict[str, int]:
    """Nanoseconds of the bars of the path by what they are; only those that have some."""
    path = path_bars(page_basis(trace))
    assert path is not None
    length = path.end_ns - path.start_ns
    total = {word.what: int(length[path.what == k].sum()) for k, word in enumerate(path.words)}
    return {what: ns for what, ns in total.items() if ns}


def test_rows_of_the_verdict_are_those_of_the_report() -> None:
    trace = small()
    chip = build_report(trace).to_dict()["verdict"]["kinds"][0]
    (told,) = answers_of(trace, lanes_of(trace)).told["verdict"]
    rows = [(row["cells"][0], row["cells"][2], row["action"]) for row in told["rows"]]
    assert rows == [
        *(
            (
                one["label"],
                f"{100 * one['share']:.1f}%",
                ("running", "") if one["what"] == "running" else ("wait", one["what"]),
            )
            for one in chip["shares"]
            if one["ns"]
        ),
        ("in all", "100.0%", None),
    ]
    assert len(rows) > 5


@pytest.mark.parametrize("make", [small, full, nested, program])
def test_sentences_and_tables_are_those_of_the_report(make: Callable[[], Trace]) -> None:
    trace = make()
    report = build_report(trace)
    name = next(one for one in ("verdict", "breakdown", "slices", "units") if one in dir(report))
    wanted = report.sections([name])
    told = answers_of(trace, lanes_of(trace)).told["verdict"]
    assert [(one["title"], one["lines"], one["notes"]) for one in told] == [
        (one.title, list(one.lines), list(one.notes)) for one in wanted
    ]
    assert [len(one["rows"]) for one in told] == [
        len(one.columns[0].cells) if one.columns else 0 for one in wanted
    ]
    assert any(row["action"] for one in told for row in one["rows"])


def test_the_path_of_cores_adds_up_as_in_the_report() -> None:
    critical = build_report(small()).to_dict()["critical"]
    assert sums(small()) == {what: ns for what, ns in critical["segments"].items() if ns}
    path = path_bars(page_basis(small()))
    assert path is not None
    assert path.start_ns[0] == critical["window"]["start_ns"]
    assert (path.start_ns[1:] == path.end_ns[:-1]).all()
    assert len(path.rows) == critical["path_runs"]


def test_the_path_of_streams_adds_up_as_in_the_report() -> None:
    """Time in which the host was on the path is split by its rows in the report alone."""
    parts = build_report(full()).to_dict()["critical_path"]["parts"]
    wanted = {one["what"]: one["ns"] for one in parts}
    found = sums(full())
    host = ("host", "host_unseen")
    assert sum(found.get(what, 0) for what in host) == sum(wanted[what] for what in host)
    assert {what: ns for what, ns in found.items() if what not in host} == {
        what: ns for what, ns in wanted.items() if ns and what not in host
    }


def test_the_panel_of_a_path_of_streams_has_the_reports_first_table() -> None:
    section = build_report(full()).sections(["critical_path"])[0]
    path = answers_of(full(), lanes_of(full())).told["path"]
    assert (path["title"], path["why"], path["lines"]) == (
        section.title,
        "",
        [*(f"{label}: {text}" for label, text in section.facts), *section.lines],
    )


def test_the_path_is_that_of_the_longest_run() -> None:
    rows = [
        task(0, 0, 0, 5, 10, 12, task=1, func=0),
        task(0, 100, 100, 105, 190, 195, task=2, func=0),
    ]
    for run, row in enumerate(rows):
        row["run"] = run
    runs = [{"run": 0, "start_ns": 0, "end_ns": 12}, {"run": 1, "start_ns": 100, "end_ns": 195}]
    trace = make_trace(tasks=rows, runs=runs, cores=[{"core": 0}], functions=[{"func": 0}])
    path = path_bars(page_basis(trace))
    assert path is not None
    assert path.rows.tolist() == [1]
    segments = build_report(trace).critical.segments
    assert sums(trace) == {what: ns for what, ns in segments.items() if ns}


def test_bars_of_the_path_lead_to_their_task() -> None:
    book = Book(small())
    lane = book.whole_header()["lanes"][-1]
    assert (lane["kind"], lane["name"]) == ("path", "critical path")
    bars = book._more["path"]
    more, tasks = bars.more, small().tasks
    runs = np.flatnonzero(bars.name < 4)
    assert len(runs) == 8
    assert (more["from"][runs] == bars.start_ns[runs]).all()
    assert (tasks["start_ns"][more["row"]] == more["from"]).all()
    assert [lanes_of(small()).lanes[k].core for k in more["on"].tolist()] == tasks["core"][
        more["row"]
    ].tolist()


def test_a_lane_that_lost_records_is_named() -> None:
    account = answers_of(small(), lanes_of(small())).told["account"]
    assert [(row["cells"][0], row["cells"][4], row["action"]) for row in account["rows"]] == [
        (f"core {core}", "2", ("lane", str(1 + 2 * core))) for core in range(4)
    ]


def test_a_slow_core_and_a_crowded_function_lead_somewhere() -> None:
    tasks = [
        task(core, None, None, 1000 * k, 1000 * k + (900 if core == 2 else 100), None, func=0)
        for core in range(6)
        for k in range(20)
    ]
    cores = [{"core": core, "name": f"{HOSTILE} {core}", "kind": "aic"} for core in range(6)]
    trace = make_trace(tasks=tasks, cores=cores, functions=[{"func": 0, "name": "f"}])
    (told,) = answers_of(trace, lanes_of(trace)).told["suspects"]
    assert told["action"] == ("slow core", 2)
    assert told["line"].startswith(f"{HOSTILE} 2 is slow: its runs take 9.00 times as long")


def test_a_trace_without_times_or_without_edges_says_so() -> None:
    empty = small().tasks.replace(start_ns=[MISSING] * 32)
    none = answers_of(replace(small(), tasks=empty), lanes_of(small())).told["path"]
    assert none == {"why": "There is no critical path: no task has a start and an end."}
    assert answers_of(make_trace(), lanes_of(make_trace())).told["verdict"] == []
    lone = replace(small(), edges=small().edges.rows(np.zeros(0, np.int64)))
    for trace, why in ((lone, "The trace has no task graph"), (nested(), "These lanes")):
        assert answers_of(trace, lanes_of(trace)).told["path"]["why"].startswith(why)


def test_a_very_large_trace_has_its_losses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "_EXPLAINED_TASKS", 8)
    header = Book(small()).whole_header()
    assert (header["verdict"], header["suspects"]) == ([], [])
    assert len(header["account"]["rows"]) == 4
    assert "--since and --until" in header["path"]["why"]
    assert "path" not in header["tiles"][0]["tables"]


@settings(max_examples=25, deadline=None)
@given(anything())
def test_bars_of_streams_tile_the_path_whatever_the_file_says(
    made: tuple[list[Row], list[Row], list[Row]],
) -> None:
    tasks, phases, edges = made
    trace = of_streams(tasks, phases, edges=edges)
    path, time = path_bars(page_basis(trace)), critical_time(stream_basis(trace))
    assert (path is None) == (time is None)
    if path is not None and time is not None and len(path):
        assert (path.start_ns[1:] == path.end_ns[:-1]).all()
        assert (path.start_ns[0], path.end_ns[-1]) == (time.start_ns, time.end_ns)


@pytest.mark.parametrize(
    ("functions", "name"), [([{"func": 0, "name": "load"}], "load"), ([{"func": 0}], "func_0")]
)
def test_a_crowded_function_is_told_by_its_name(functions: list[Row], name: str) -> None:
    """Its runs take 50 ns alone and 100 ns while seven others run."""
    alone = [task(0, None, None, 1000 * k, 1000 * k + 50, None, func=0) for k in range(8)]
    together = [task(core, None, None, 9000, 9100, None, func=0) for core in range(8)]
    trace = make_trace(
        tasks=[*alone, *together], cores=[{"core": core} for core in range(8)], functions=functions
    )
    told = answers_of(trace, lanes_of(trace)).told["suspects"]
    assert [one["action"] for one in told] == [("function", name)]
    assert told[0]["line"].startswith("Runs take longer the more cores are busy")


def test_the_panel_of_the_path_has_the_reports_table() -> None:
    section = build_report(small()).sections(["critical"])[0]
    path = answers_of(small(), lanes_of(small())).told["path"]
    facts = [f"{label}: {text}" for label, text in section.facts]
    assert (path["title"], path["why"]) == (section.title, "")
    assert path["lines"] == [*facts, *section.lines]
    assert len(path["rows"]) == len(section.columns[0].cells)
    assert all(row["action"] is None for row in path["rows"])
    whole = sum(sums(small()).values())
    critical = build_report(small()).to_dict()["critical"]
    running = critical["segments"]["run"]
    assert path["length_ns"] == whole
    assert path["waiting"] == f"{100 * (whole - running) / whole:.1f}% waiting"
