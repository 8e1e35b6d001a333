"""Traces of several runs or ranks: which rows belong to which, and each as a trace of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lanescope.errors import UsageError
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace


COMPLETE = "published"
"""The `completeness` of a run whose records are all there."""


def single_runs(trace: Trace) -> Iterator[Trace]:
    """Every run as a trace of its own, in the order of `runs`; a trace of one run is itself."""
    if len(trace.runs) < 2:
        yield trace
        return
    for row in range(len(trace.runs)):
        yield _of(trace, np.array([row]))


def longest_run(trace: Trace) -> Trace:
    """The run that took longest, as a trace of its own; a trace of one run is itself."""
    if len(trace.runs) < 2:
        return trace
    known = trace.runs["start_ns"] != MISSING
    lengths = np.where(known, trace.runs["end_ns"] - trace.runs["start_ns"], -1)
    return _of(trace, np.array([int(np.argmax(lengths))]))


def recorded_span(trace: Trace) -> tuple[int, int] | None:
    """First and last moment that the device recorded; None where there is none."""
    tasks, phases = trace.tasks, trace.phases
    own = phases["start_cycles"] != MISSING
    phases = phases if own.all() else phases.rows(own)
    starts = [tasks[f"{name}_ns"] for name in ("dispatch", "receive", "start")]
    ends = [tasks[f"{name}_ns"] for name in ("start", "end", "finish")]
    first = [_least(column) for column in (*starts, phases["start_ns"])]
    last = max(int(c.max(initial=MISSING)) for c in (*ends, phases["end_ns"], phases["start_ns"]))
    known = [value for value in first if value is not None]
    if last == MISSING or not known:
        return None
    return min(known), last


def _least(values: Array) -> int | None:
    """The least known value; MISSING is less than any of them, so it shows where it is there."""
    least = int(values.min(initial=np.iinfo(np.int64).max))
    if least == MISSING:
        known = values[values != MISSING]
        return int(known.min()) if len(known) else None
    return least if len(values) else None


def run_name(trace: Trace, row: int) -> str:
    """What a run is called: by the source's number, and by its rank where there are several."""
    epoch, rank = int(trace.runs["epoch"][row]), int(trace.runs["rank"][row])
    name = f"run {epoch if epoch != MISSING else int(trace.runs['run'][row])}"
    return name if rank == MISSING32 else f"rank {rank} {name}"


def cut_runs(trace: Trace, runs: Sequence[int] | None, ranks: Sequence[int] | None) -> Trace:
    """What belongs to these runs (by the source's number) and ranks; None is no limit."""
    if runs is None and ranks is None:
        return trace
    table = trace.runs
    own = np.where(table["epoch"] != MISSING, table["epoch"], table["run"])
    kept = np.ones(len(table), bool)
    for what, wanted, column in (("run", runs, own), ("rank", ranks, table["rank"])):
        if wanted is None:
            continue
        there = np.unique(column[column != MISSING32]).tolist()
        if not set(there).intersection(wanted):
            has = ", ".join(map(str, there[:8])) + (", …" if len(there) > 8 else "")
            has = f"it has {has}" if there else f"its source does not tell {what}s apart"
            raise UsageError(f"no {what} {wanted[0]} in {trace.meta.name}; {has}")
        kept &= np.isin(column, wanted)
    return trace if kept.all() else _of(trace, np.flatnonzero(kept))


def _of(trace: Trace, rows: Array) -> Trace:
    """What belongs to these rows of `runs`; what belongs to no run stays inside their time."""
    runs = trace.runs.rows(rows)
    kept = runs["run"]
    tasks = trace.tasks.rows(np.isin(trace.tasks["run"], kept))
    known = np.unique(tasks["task"])
    ranks = np.unique(runs["rank"])
    cores = trace.cores.rows(_of_ranks(trace.cores, ranks))
    numbers = cores["core"]
    marks, stalls = trace.marks, trace.stalls
    return replace(
        trace,
        tasks=tasks,
        phases=trace.phases.rows(_of_runs(trace.phases, kept) | _beside(trace, runs)),
        marks=marks.rows(np.isin(marks["task"], known)),
        counters=trace.counters.rows(_of_runs(trace.counters, kept)),
        edges=trace.edges.rows(np.isin(trace.edges["pred"], known)),
        cores=cores,
        controllers=trace.controllers.rows(_of_ranks(trace.controllers, ranks)),
        stalls=stalls.rows(np.isin(stalls["core"], numbers) | (stalls["core"] == MISSING32)),
        runs=runs,
        steps=trace.steps.rows(_of_ranks(trace.steps, ranks)),
        waits=trace.waits.rows(_of_ranks(trace.waits, ranks)),
        collectives=trace.collectives.rows(_of_ranks(trace.collectives, ranks)),
        launches=trace.launches.rows(_of_ranks(trace.launches, ranks)),
        blocks=trace.blocks.rows(np.isin(trace.blocks["core"], numbers)),
    )


def _of_runs(table: Table, runs: Array) -> Array:
    return np.isin(table["run"], runs)


def _of_ranks(table: Table, ranks: Array) -> Array:
    return np.isin(table["rank"], [*ranks.tolist(), MISSING32])


def _beside(trace: Trace, runs: Table) -> Array:
    """Mask of the phases of no run that overlap the time of these runs."""
    phases = trace.phases
    starts = runs["start_ns"][runs["start_ns"] != MISSING]
    if not len(starts):
        return np.zeros(len(phases), bool)
    first, last = int(starts.min()), int(runs["end_ns"].max())
    near = (phases["end_ns"] >= first) & (phases["start_ns"] <= last)
    return np.asarray((phases["run"] == MISSING32) & near)
