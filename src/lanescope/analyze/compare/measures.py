"""The measures of one run, to be compared with another run's: nanoseconds by group and name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.compare.stream_measures import stream_values
from lanescope.analyze.controllers.threads import controllers
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.verdict import verdict
from lanescope.analyze.graph.critical import critical
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.tasks.functions import functions
from lanescope.render.cells import time_text
from lanescope.render.names import clean
from lanescope.results import Result
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

RUN_GROUPS = ("function", "kernel", "opcode", "program", "name")
"""Groups of measures that are means over runs; the word follows the trace."""
LANE_GROUPS = ("core", "stream", "queue", "engine", "communicator", "lane", "unit", "track")
"""Groups of measures that are about one lane; the word follows the trace."""
GROUPS = (
    *("run", "core time", "device time", "critical path"),
    *(*RUN_GROUPS, "phase", "host row", *LANE_GROUPS),
)
"""Groups of measures, in the order of the tables of a diff."""

Key = tuple[str, str]
"""Group and name of a measure."""


@dataclass(frozen=True, slots=True, eq=False)
class Measures(Result):
    """One run in nanoseconds.

    run             makespan: length of the window
    core time       by answer of the verdict: mean over the cores
    critical path   by segment of the observed path; static: length of the static path
    function        by name: mean length of its runs
    phase           by lane and kind: total of all threads
    core            by name: time in which it ran tasks

    A run on streams has `device time`, mean over the devices, `kernel`, `host row` (own time, all
    threads together) and `stream` in the place of `core time`, `function`, `phase` and `core`.
    """

    name: str
    """Name of the run."""
    values: dict[Key, float]
    """Nanoseconds by (group, name)."""
    counts: dict[str, int]
    """Function name to its number of runs."""
    lengths: dict[str, Array]
    """Function name to the length of each of its runs."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values; `values` is group to name to nanoseconds."""
        groups: dict[str, dict[str, float]] = {}
        for (group, name), ns in self.values.items():
            groups.setdefault(group, {})[name] = ns
        return {**Result.to_dict(self), "values": groups}

    def __repr__(self) -> str:
        makespan_ns = self.values.get(("run", "makespan"))
        measured = f"makespan {time_text(makespan_ns)}, {len(self.values):,} measures"
        return f"<Measures of {clean(self.name)!r}: {measured}>"


def measures(trace: Trace) -> Measures:
    """The measures of one run."""
    words, window = vocabulary(trace), makespan(trace).window
    values: dict[Key, float] = {}
    if window is not None:
        values["run", "makespan"] = float(window.length_ns)
    if words.family == "cores":
        values |= _before_functions(trace, window)
    elif words.family == "streams":
        values |= stream_values(trace)
    rows = functions(trace).rows
    values |= {(words.function, row.name): row.exec.mean_ns for row in rows if row.count}
    if words.family == "cores":
        values |= _phases(trace)
    values |= _lanes(trace, words.lane)
    counts = {row.name: row.count for row in rows}
    return Measures(trace.meta.name, values, counts, _lengths(trace))


def _before_functions(trace: Trace, window: Span | None) -> dict[Key, float]:
    """Time of the cores and of the critical path."""
    graph = nodes(trace)
    values: dict[Key, float] = {}
    chip = verdict(trace, graph, window).chip
    if chip is not None:
        for share in chip.shares:
            values["core time", share.what] = share.ns / max(chip.cores, 1)
    path = critical(trace, graph, window)
    if path.path_runs:
        values |= {("critical path", name): float(ns) for name, ns in path.segments.items()}
        values["critical path", "static"] = float(path.static_ns)
    return values


def _phases(trace: Trace) -> dict[Key, float]:
    """Time of the controllers by lane and kind of phase."""
    values: dict[Key, float] = {}
    for thread in controllers(trace):
        for budget in thread.kinds:
            key = "phase", f"{thread.lane} {budget.kind}"
            values[key] = values.get(key, 0.0) + budget.total_ns
    return values


def _lanes(trace: Trace, group: str) -> dict[Key, float]:
    """Time in which each lane ran tasks."""
    tasks, ran = trace.tasks, trace.ran()
    names = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "name"), strict=True))
    groups = group_by(tasks["core"][ran])
    sums = groups.sums(tasks["end_ns"][ran] - tasks["start_ns"][ran])
    return {
        (group, names.get(core) or f"core {core}"): float(ns)
        for core, ns in zip(groups.keys.tolist(), sums, strict=True)
        if core != MISSING32
    }


def _lengths(trace: Trace) -> dict[str, Array]:
    """Function name to the length of each of its runs."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran())
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    groups = group_by(tasks["func"][rows])
    length = (tasks["end_ns"] - tasks["start_ns"])[rows]
    parts = np.split(length[groups.order], groups.first[1:]) if len(groups) else []
    return {
        names.get(key) or f"func_{key}": part
        for key, part in zip(groups.keys.tolist(), parts, strict=True)
    }
