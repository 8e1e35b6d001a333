"""The part of a trace that is asked for: its limits, and which rows of a table are in it.

A table may be looked at whole or some rows at a time; the answer for a row is the same.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table
from lanescope.trace.window import (
    Cores,
    Functions,
    Numbers,
    Time,
    core_numbers,
    function_names,
    numbers_of,
    time_ns,
)


@dataclass(frozen=True, slots=True)
class TracePart:
    """The limits of a part; None is no limit. `start_ns` and `end_ns` both belong to the window."""

    start_ns: int | None
    end_ns: int | None
    cores: list[int] | None
    functions: list[str] | None
    runs: list[int] | None
    ranks: list[int] | None

    def note(self) -> str:
        """The sentence that the trace of this part carries in `meta.notes`."""
        return f"Only a part of the capture: {self.limits()}."

    def limits(self) -> str:
        """The limits in words."""
        limits = []
        if self.runs is not None:
            limits.append("runs " + ",".join(map(str, self.runs)))
        if self.ranks is not None:
            limits.append("ranks " + ",".join(map(str, self.ranks)))
        if self.start_ns is not None or self.end_ns is not None:
            edges = (self.start_ns, self.end_ns)
            start, end = ("…" if edge is None else f"{edge} ns" for edge in edges)
            limits.append(f"time {start} to {end}")
        if self.cores is not None:
            limits.append("cores " + ",".join(map(str, self.cores)))
        if self.functions is not None:
            limits.append("functions " + ",".join(self.functions))
        return "; ".join(limits)


def part_of(
    *,
    since: Time | None = None,
    until: Time | None = None,
    core: Cores | None = None,
    function: Functions | None = None,
    run: Numbers | None = None,
    rank: Numbers | None = None,
) -> TracePart | None:
    """The part that these options name; None where none of them limits it."""
    if all(limit is None for limit in (since, until, core, function, run, rank)):
        return None
    return TracePart(
        start_ns=None if since is None else time_ns(since),
        end_ns=None if until is None else time_ns(until),
        cores=None if core is None else core_numbers(core),
        functions=None if function is None else function_names(function),
        runs=None if run is None else numbers_of(run, "run"),
        ranks=None if rank is None else numbers_of(rank, "rank"),
    )


def task_mask(tasks: Table, part: TracePart, functions: Collection[int]) -> Array:
    """Mask of the task rows that stay; a row spans dispatch to finish where both are known.

    `functions` are the ids of the part's functions, where it has any.
    """
    mask = _on_cores(tasks, part)
    if part.functions is not None:
        mask &= np.isin(tasks["func"], list(functions))
    earliest = _first_known(tasks, ("dispatch_ns", "receive_ns", "start_ns"))
    latest = _first_known(tasks, ("finish_ns", "end_ns", "start_ns"))
    if part.start_ns is not None:
        mask &= (latest != MISSING) & (latest >= part.start_ns)
    if part.end_ns is not None:
        mask &= (earliest != MISSING) & (earliest <= part.end_ns)
    return mask


TABLES = (
    "phases",
    "marks",
    "counters",
    "edges",
    "stalls",
    "steps",
    "waits",
    "collectives",
    "launches",
    "blocks",
)
"""The tables beside `tasks` that a part limits; the others stay whole."""
TASK_TABLES = frozenset({"marks", "counters", "edges", "collectives"})
"""Those of which rows stay or go with their tasks."""


OF_NO_CORE = ("phases", "steps", "launches")
"""Those whose rows no choice of cores limits."""


def row_mask(table: Table, part: TracePart, kept: Array) -> Array:
    """Mask of the rows of one of TABLES that stay; `kept` are the ids of the tasks that stay."""
    name = table.schema.name
    if name == "edges":
        return np.isin(table["pred"], kept) & np.isin(table["succ"], kept)
    mask = _in_window(table["time_ns"], part) if name == "counters" else _overlaps(table, part)
    if name not in OF_NO_CORE:
        mask &= _on_cores(table, part)
    return mask & _of_tasks(table, kept, part) if name in TASK_TABLES else mask


def _first_known(table: Table, columns: tuple[str, ...]) -> Array:
    """Per row the value of the first of these columns that is known."""
    result = table[columns[-1]]
    for column in reversed(columns[:-1]):
        result = np.where(table[column] != MISSING, table[column], result)
    return result


def _overlaps(table: Table, part: TracePart) -> Array:
    """Mask of the intervals that overlap the window; one known end stands for both."""
    mask = np.ones(len(table), bool)
    if part.start_ns is not None:
        mask &= _first_known(table, ("end_ns", "start_ns")) >= part.start_ns
    if part.end_ns is not None:
        mask &= _first_known(table, ("start_ns", "end_ns")) <= part.end_ns
    return mask


def _in_window(times: Array, part: TracePart) -> Array:
    """Mask of the moments inside the window; a row without a time stays."""
    mask = np.ones(len(times), bool)
    timed = times != MISSING
    if part.start_ns is not None:
        mask &= ~timed | (times >= part.start_ns)
    if part.end_ns is not None:
        mask &= ~timed | (times <= part.end_ns)
    return mask


def _on_cores(table: Table, part: TracePart) -> Array:
    if part.cores is None:
        return np.ones(len(table), bool)
    return np.isin(table["core"], part.cores)


def _of_tasks(table: Table, kept: Array, part: TracePart) -> Array:
    """Mask of the rows of kept tasks; rows of no task stay unless functions are asked for."""
    mine = np.isin(table["task"], kept)
    return mine if part.functions is not None else mine | (table["task"] == MISSING)
