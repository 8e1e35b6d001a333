"""One run in numbers that can be compared with another run's: nanoseconds by group and name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.controllers.threads import controllers
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.cores.verdict import verdict
from lanescope.analyze.graph.critical import critical
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.tasks.functions import functions
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

GROUPS = ("run", "core time", "critical path", "function", "phase", "core")
"""What is compared, in the order of the tables."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """`values` by (group, name); `lengths` are the single runs of each function."""

    name: str
    values: dict[Key, float]
    counts: dict[str, int]
    """Runs of each function."""
    lengths: dict[str, Array]


def measures(trace: Trace) -> Measures:
    """Core time is per core, a function's is the mean of its runs, a phase's the total of all
    threads, a core's how long it ran."""
    found, span = nodes(trace), makespan(trace)
    window = span.window
    values: dict[Key, float] = {}
    if window is not None:
        values["run", "makespan"] = float(window.length_ns)
    chip = verdict(trace, found, window).chip
    if chip is not None:
        for share in chip.shares:
            values["core time", share.what] = share.ns / max(chip.cores, 1)
    path = critical(trace, found, window)
    if path.path_runs:
        values |= {("critical path", name): float(ns) for name, ns in path.segments.items()}
        values["critical path", "static"] = float(path.static_ns)
    rows = functions(trace).rows
    values |= {("function", row.name): row.exec.mean_ns for row in rows if row.count}
    for thread in controllers(trace):
        for budget in thread.kinds:
            key = "phase", f"{thread.lane} {budget.kind}"
            values[key] = values.get(key, 0.0) + budget.total_ns
    values |= _cores(trace)
    counts = {row.name: row.count for row in rows}
    return Measures(trace.meta.name, values, counts, _lengths(trace))


def _cores(trace: Trace) -> dict[Key, float]:
    tasks, ran = trace.tasks, trace.ran()
    names = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "name"), strict=True))
    groups = group_by(tasks["core"][ran])
    sums = groups.sums(tasks["end_ns"][ran] - tasks["start_ns"][ran])
    return {
        ("core", names.get(core) or f"core {core}"): float(ns)
        for core, ns in zip(groups.keys.tolist(), sums, strict=True)
        if core != MISSING32
    }


def _lengths(trace: Trace) -> dict[str, Array]:
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
