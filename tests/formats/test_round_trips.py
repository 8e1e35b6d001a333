"""Every export read again: equal in what its format carries, and what it does not carry is named.

The table CARRIED says it per format and table: the columns that come back.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.perfetto_engine import trace_of
from tests.formats.streams.test_build import bundle, recording

import lanescope
from lanescope.formats import export, import_trace
from lanescope.formats.registry import EXPORTERS
from lanescope.formats.streams import stream_trace
from lanescope.trace import MISSING, SCHEMA, Trace
from lanescope.trace.highlight import Highlight

EXAMPLE = Path(__file__).parents[2] / "examples" / "small_run"
CYCLES = {"dispatch_cycles", "receive_cycles", "start_cycles", "end_cycles", "finish_cycles"}


def columns(table: str, but: set[str] = frozenset()) -> set[str]:
    return {column.name for column in SCHEMA[table].columns} - but


TIMELINE = {
    "tasks": columns("tasks", CYCLES),
    "phases": columns("phases", CYCLES),
    "marks": columns("marks", CYCLES),
    "stalls": columns("stalls", CYCLES),
    # Pairs once each; kind and flags where all edges have the same.
    "edges": {"pred", "succ"},
    # A value of a task comes with the task's core and token.
    "counters": {"name", "value", "task", "core", "token", "time_ns"},
    **{name: columns(name) for name in ("cores", "controllers", "functions", "runs")},
    **{name: columns(name) for name in ("steps", "waits", "collectives")},
}
CARRIED: dict[str, dict[str, set[str]]] = {
    "perfetto": TIMELINE,
    "chrome": TIMELINE,
    "csv": {name: columns(name) for name in SCHEMA},
    "kanata": {"tasks": {"task", "core", "start_ns", "end_ns"}, "edges": {"pred", "succ"}},
    "simpler": {
        # Times are cycles there, and 0 ns may be another moment.
        "tasks": {"task", "kind", "core", "token", "func", *CYCLES},
        "edges": {"pred", "succ"},
        "cores": {"core", "kind"},
        "functions": columns("functions", {"work"}),
    },
}


def simulated(level: int) -> Trace:
    return lanescope.run(
        "matmul_add", settings={"rows": 3, "columns": 3}, chip_swimlane=level, pmu=level > 1 or None
    )


def inside() -> Trace:
    """A chip with trace engines: marks on pipes, some of which have one end only."""
    return lanescope.run(
        "matmul_add", settings={"rows": 2, "columns": 2}, platform="a5", core_swimlane=True
    )


def odd() -> Trace:
    """Rows that are seldom: stalls, times before the base, unknown cores, tasks that never ran."""
    return trace_of(
        queues=("aic",),
        cores={"core": [4, 2], "name": ["b", "a"], "kind": ["aic", "aiv"]},
        functions={"func": [7, 8], "name": ["stall: odd", "task"]},
        tasks={
            "task": [1, 2, 3, 2**62, -5],
            "kind": ["run", "run", "run", "node", "run"],
            "core": [2, 4, 4, None, None],
            "token": [0, 1, 2, None, 0],
            "func": [7, 8, None, None, 7],
            "flags": [0, 64, 1, 0, 0],
            "blocks": [1, 4, 1, 1, 1],
            "dispatch_ns": [-700, None, 5, None, None],
            "receive_ns": [-600, None, None, None, None],
            "start_ns": [-500, 10, None, None, 40],
            "end_ns": [-400, 10, None, None, 90],
            "finish_ns": [-300, None, 9, None, None],
        },
        phases={
            "lane": ["host", "host", "scheduler"],
            "controller": [0, 0, None],
            "kind": ["copy", "launch", None],
            "category": ["operator", "call", None],
            "launch": [None, 3, None],
            "depth": [0, 1, None],
            "start_ns": [0, 2, 1],
            "end_ns": [9, 3, 4],
            "queue0_start": [None, None, 3],
            "queue0_end": [None, None, 2],
            "bytes": [4096, None, None],
        },
        marks={
            "core": [2, 2, 4],
            "pipe": ["cube", "cube", None],
            "name": ["busy", "busy", "mark 3"],
            "mark": [None, None, 3],
            "start_ns": [1, None, 5],
            "end_ns": [None, 8, 6],
        },
        stalls={
            "lane": ["core", "scheduler"],
            "core": [2, None],
            "controller": [None, 0],
            "cause": ["no buffer", "no buffer"],
            "start_ns": [20, 30],
            "end_ns": [25, 31],
            "records": [3, None],
        },
        counters={
            "name": ["blocks", "power", "power", "share"],
            "value": [3.0, 1.5, 2.0, 0.25],
            "task": [1, None, None, 2],
            "core": [2, None, 2, 4],
            "token": [0, None, None, 1],
            "time_ns": [None, 12, 15, None],
        },
        edges={"pred": [1, 1], "succ": [2, -5], "kind": ["fanout"] * 2, "flags": [0, 0]},
        steps={"step": [1], "name": ["warm up"], "start_ns": [0], "end_ns": [90]},
    )


SOURCES: dict[str, Any] = {
    **{f"level {level}": lambda level=level: simulated(level) for level in range(1, 5)},
    "inside": inside,
    "imported": lambda: import_trace(EXAMPLE),
    "odd": odd,
    "streams": lambda: stream_trace(recording(), bundle()),
}


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    return {name: make() for name, make in SOURCES.items()}


def place(folder: Path, name: str) -> Path:
    [exporter] = [one for one in EXPORTERS if one.name == name]
    return folder / f"again{exporter.ending}"


def again(trace: Trace, folder: Path, name: str, **options: Any) -> Trace:
    path = place(folder, name)
    export(trace, path, to=name, **options)
    return import_trace(path)


def key(row: tuple[Any, ...]) -> list[tuple[bool, str]]:
    return [(value is None, repr(value)) for value in row]


def drawn(trace: Trace, name: str) -> Trace:
    """The trace as the format can show it, less what it does not have rows of."""
    tasks, edges, counters = trace.tasks, trace.edges, trace.counters
    if name == "simpler" and (trace.phases["start_cycles"] == 0).any():
        # A stamp of 0 is none there: the counter begins one later.
        later = {
            name: np.where(tasks[name] == MISSING, MISSING, tasks[name] + 1) for name in CYCLES
        }
        return replace(trace, tasks=tasks.replace(**later))
    if name in ("perfetto", "chrome", "kanata"):
        ran = trace.ran()
        seen = (tasks["dispatch_ns"] != MISSING) & (tasks["finish_ns"] != MISSING)
        kept = ran | seen if name != "kanata" else ran
        starts = dict(
            zip(tasks["task"][ran].tolist(), tasks["start_ns"][ran].tolist(), strict=True)
        )
        pairs = zip(edges["pred"].tolist(), edges["succ"].tolist(), strict=True)
        first: set[tuple[int, int]] = set()
        arrow = []
        for pred, succ in pairs:
            forward = pred in starts and succ in starts and starts[pred] <= starts[succ]
            arrow.append(forward and (name == "kanata" or (pred, succ) not in first))
            first.add((pred, succ))
        trace = replace(trace, tasks=tasks.rows(kept), edges=edges.rows(np.array(arrow, bool)))
        own = np.isin(counters["task"], tasks["task"][ran]) | (counters["time_ns"] != MISSING)
        trace = replace(trace, counters=counters.rows(own))
    return trace


@pytest.mark.parametrize("name", CARRIED)
@pytest.mark.parametrize("source", SOURCES)
def test_an_export_comes_back(
    traces: dict[str, Trace], tmp_path: Path, source: str, name: str
) -> None:
    if name == "simpler" and source in ("odd", "streams", "inside"):
        pytest.skip("the runtime's files hold runs of its own chips")
    trace = traces[source]
    back = again(trace, tmp_path, name)
    expected = drawn(trace, name)
    for table, names in CARRIED[name].items():
        found = sorted(map(tuple, content_rows(back, table, names)), key=key)
        wanted = sorted(map(tuple, content_rows(expected, table, names)), key=key)
        assert found == wanted, table


def content_rows(trace: Trace, table: str, names: set[str]) -> list[tuple[Any, ...]]:
    cells = trace.table(table).to_dict()
    return list(zip(*(cells[name] for name in sorted(names)), strict=True))


@pytest.mark.parametrize("name", ["perfetto", "chrome", "csv"])
@pytest.mark.parametrize("source", SOURCES)
def test_what_a_trace_says_of_itself_comes_back(
    traces: dict[str, Trace], tmp_path: Path, source: str, name: str
) -> None:
    trace = traces[source]
    found = again(trace, tmp_path, name).meta
    told = {field: getattr(trace.meta, field) for field in trace.meta.__struct_fields__}
    changed = {"name", "sources", "notes"}
    assert {k: getattr(found, k) for k in told if k not in changed} == {
        k: v for k, v in told.items() if k not in changed
    }
    assert found.notes[: len(trace.meta.notes)] == trace.meta.notes


@pytest.mark.parametrize("name", ["perfetto", "chrome", "csv", "kanata"])
@pytest.mark.parametrize("source", ["level 4", "inside", "streams"])
def test_a_second_export_is_the_same_file(
    traces: dict[str, Trace], tmp_path: Path, source: str, name: str
) -> None:
    back = again(traces[source], tmp_path, name)
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    twice = again(back, first, name)
    renamed = twice.with_meta(sources=back.meta.sources)
    export(renamed, place(second, name), to=name)
    for path in sorted(first.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (second / path.relative_to(first)).read_bytes()


def test_bars_that_are_drawn_beside_the_trace_are_no_work(
    traces: dict[str, Trace], tmp_path: Path
) -> None:
    trace = traces["level 4"]
    one = np.zeros(1, np.int64)
    path = Highlight("critical path", ("path",), one, one, one + 9, one, ("a",), one)
    for name in ("perfetto", "chrome"):
        back = again(trace, tmp_path, name, highlight=lambda _: path)
        assert len(back.cores) == len(trace.cores)
        assert len(back.tasks) == len(trace.tasks)


def test_a_format_that_draws_nothing_asks_for_no_bars_beside_the_trace(
    traces: dict[str, Trace], tmp_path: Path
) -> None:
    asked: list[Trace] = []
    for name in ("csv", "perfetto"):
        export(traces["level 4"], place(tmp_path, name), to=name, highlight=asked.append)
        assert len(asked) == (1 if name == "perfetto" else 0)


def test_rows_that_are_not_drawn_are_counted(traces: dict[str, Trace], tmp_path: Path) -> None:
    back = again(traces["odd"], tmp_path, "perfetto")
    assert back.meta.notes == (
        "Rows that the exported file does not have, because they were not drawn: 1 of tasks.",
    )


def test_every_exporter_is_here() -> None:
    assert set(CARRIED) == {one.name for one in EXPORTERS}
