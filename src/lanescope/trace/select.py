"""A part of a trace as another trace: by time window, core and function."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from lanescope.errors import UsageError
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


def select(
    trace: Trace,
    *,
    start_ns: int | None = None,
    end_ns: int | None = None,
    cores: Collection[int] | None = None,
    functions: Collection[str] | None = None,
) -> Trace:
    """Rows that overlap the window, on these cores, of these functions (names or ids).

    Edges stay when both their ends do; controllers' phases are limited by the window only.
    The ledger still speaks of the whole capture.
    """
    if start_ns is None and end_ns is None and cores is None and functions is None:
        return trace
    window = (start_ns, end_ns)
    tasks = trace.tasks.rows(_tasks(trace, window, cores, functions))
    kept = np.unique(tasks["task"])
    return replace(
        trace,
        tasks=tasks,
        phases=trace.phases.rows(_overlaps(trace.phases, window)),
        marks=trace.marks.rows(
            _overlaps(trace.marks, window)
            & _on_cores(trace.marks, cores)
            & _of_tasks(trace.marks, kept, functions)
        ),
        counters=trace.counters.rows(
            _in_window(trace.counters["time_ns"], window)
            & _on_cores(trace.counters, cores)
            & _of_tasks(trace.counters, kept, functions)
        ),
        edges=trace.edges.rows(
            np.isin(trace.edges["pred"], kept) & np.isin(trace.edges["succ"], kept)
        ),
        stalls=trace.stalls.rows(_overlaps(trace.stalls, window) & _on_cores(trace.stalls, cores)),
    ).with_meta(notes=(*trace.meta.notes, _note(window, cores, functions)))


def function_ids(trace: Trace, functions: Collection[str]) -> list[int]:
    """Ids of the functions given by name or number; an unknown one is a UsageError."""
    names = trace.text("functions", "name")
    ids = trace.functions["func"].tolist()
    found = []
    for wanted in functions:
        matches = [f for f, name in zip(ids, names, strict=True) if wanted in (name, str(f))]
        if not matches:
            known = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            raise UsageError(f"no function {wanted!r} in {trace.meta.name}; it has: {known}")
        found += matches
    return found


def _tasks(
    trace: Trace,
    window: tuple[int | None, int | None],
    cores: Collection[int] | None,
    functions: Collection[str] | None,
) -> Array:
    tasks = trace.tasks
    mask = _on_cores(tasks, cores)
    if functions is not None:
        mask &= np.isin(tasks["func"], function_ids(trace, functions))
    start, end = window
    earliest = _first_known(tasks, ("dispatch_ns", "receive_ns", "start_ns"))
    latest = _first_known(tasks, ("finish_ns", "end_ns", "start_ns"))
    if start is not None:
        mask &= (latest != MISSING) & (latest >= start)
    if end is not None:
        mask &= (earliest != MISSING) & (earliest <= end)
    return mask


def _first_known(table: Table, columns: tuple[str, ...]) -> Array:
    result = table[columns[-1]]
    for column in reversed(columns[:-1]):
        result = np.where(table[column] != MISSING, table[column], result)
    return result


def _overlaps(table: Table, window: tuple[int | None, int | None]) -> Array:
    """Rows of which only one end is known are there."""
    start, end = window
    mask = np.ones(len(table), bool)
    if start is not None:
        mask &= _first_known(table, ("end_ns", "start_ns")) >= start
    if end is not None:
        mask &= _first_known(table, ("start_ns", "end_ns")) <= end
    return mask


def _in_window(times: Array, window: tuple[int | None, int | None]) -> Array:
    start, end = window
    mask = np.ones(len(times), bool)
    timed = times != MISSING
    if start is not None:
        mask &= ~timed | (times >= start)
    if end is not None:
        mask &= ~timed | (times <= end)
    return mask


def _on_cores(table: Table, cores: Collection[int] | None) -> Array:
    if cores is None:
        return np.ones(len(table), bool)
    return np.isin(table["core"], list(cores))


def _of_tasks(table: Table, kept: Array, functions: Collection[str] | None) -> Array:
    """Rows of kept tasks; rows that belong to no task stay unless functions were asked for."""
    mine = np.isin(table["task"], kept)
    return mine if functions is not None else mine | (table["task"] == MISSING)


def _note(
    window: tuple[int | None, int | None],
    cores: Collection[int] | None,
    functions: Collection[str] | None,
) -> str:
    parts = []
    if window != (None, None):
        start, end = ("…" if edge is None else f"{edge} ns" for edge in window)
        parts.append(f"time {start} to {end}")
    if cores is not None:
        parts.append("cores " + ",".join(map(str, cores)))
    if functions is not None:
        parts.append("functions " + ",".join(functions))
    return "Only a part of the capture: " + "; ".join(parts) + "."
