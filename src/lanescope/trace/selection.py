"""A part of a trace as another trace: by run, rank, time window, core and function."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lanescope.errors import UsageError, did_you_mean
from lanescope.trace.run_parts import cut_runs
from lanescope.trace.schema import MISSING
from lanescope.trace.summary import short
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

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class _Part:
    """The limits of a part; None is no limit. `start_ns` and `end_ns` both belong to the window."""

    start_ns: int | None
    end_ns: int | None
    cores: list[int] | None
    functions: list[str] | None
    runs: list[int] | None
    ranks: list[int] | None

    def note(self) -> str:
        """The sentence that the trace of this part carries in `meta.notes`."""
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
        return "Only a part of the capture: " + "; ".join(limits) + "."


def select(
    trace: Trace,
    *,
    since: Time | None = None,
    until: Time | None = None,
    core: Cores | None = None,
    function: Functions | None = None,
    run: Numbers | None = None,
    rank: Numbers | None = None,
) -> Trace:
    """Take a part of a trace; the arguments are the options of the command line.

    A row stays when it overlaps the window, is on one of the cores and belongs to one of the
    functions. An edge stays when both its tasks stay. Only the window limits the phases of
    controllers. Of a trace with several runs or ranks, `run` and `rank` keep all that belongs to
    these. The ledger still accounts for the whole capture. A note in `meta.notes` says which part
    it is.

    Args:
        trace: the whole trace; it does not change.
        since: start of the window: whole nanoseconds, or text like "1.5ms".
        until: end of the window, in the same form.
        core: one core number, text like "0,4-7", or a collection of core numbers.
        function: one function by name or id, or a collection of them.
        run: runs by the number that the source gave them, in the form of `core`.
        rank: ranks, in the same form.

    Returns:
        The part; the same trace when no argument limits it.

    Raises:
        UsageError: a time or a number cannot be read, or the trace has no such function, run or
            rank.

    Examples:
        >>> import lanescope
        >>> trace = lanescope.load("run.lanes")
        >>> part = lanescope.select(trace, since="10us", until="1.5ms", core="0-3")
        >>> sorted(set(part.tasks["core"].tolist()))
        [0, 1, 2, 3]
    """
    if all(limit is None for limit in (since, until, core, function, run, rank)):
        return trace
    part = _Part(
        start_ns=None if since is None else time_ns(since),
        end_ns=None if until is None else time_ns(until),
        cores=None if core is None else core_numbers(core),
        functions=None if function is None else function_names(function),
        runs=None if run is None else numbers_of(run, "run"),
        ranks=None if rank is None else numbers_of(rank, "rank"),
    )
    return _cut(cut_runs(trace, part.runs, part.ranks), part).with_meta(
        notes=(*trace.meta.notes, part.note())
    )


def function_ids(trace: Trace, functions: Collection[str]) -> list[int]:
    """Ids of the functions given by name or number; an unknown one is a UsageError."""
    names = trace.text("functions", "name")
    ids = trace.functions["func"].tolist()
    wanted_ids = []
    for wanted in functions:
        matches = [f for f, name in zip(ids, names, strict=True) if wanted in (name, str(f))]
        if not matches:
            known = ", ".join(map(short, names[:8])) + (", …" if len(names) > 8 else "")
            raise UsageError(
                f"no function {wanted!r} in {trace.meta.name}; it has: {known}"
                f"{did_you_mean(wanted, names)}"
            )
        wanted_ids += matches
    return wanted_ids


def _cut(trace: Trace, part: _Part) -> Trace:
    tasks = trace.tasks.rows(_tasks(trace, part))
    kept = np.unique(tasks["task"])
    marks, counters, edges, stalls = trace.marks, trace.counters, trace.edges, trace.stalls
    collectives = trace.collectives
    return replace(
        trace,
        tasks=tasks,
        phases=trace.phases.rows(_overlaps(trace.phases, part)),
        marks=marks.rows(
            _overlaps(marks, part) & _on_cores(marks, part) & _of_tasks(marks, kept, part)
        ),
        counters=counters.rows(
            _in_window(counters["time_ns"], part)
            & _on_cores(counters, part)
            & _of_tasks(counters, kept, part)
        ),
        edges=edges.rows(np.isin(edges["pred"], kept) & np.isin(edges["succ"], kept)),
        stalls=stalls.rows(_overlaps(stalls, part) & _on_cores(stalls, part)),
        steps=trace.steps.rows(_overlaps(trace.steps, part)),
        waits=trace.waits.rows(_overlaps(trace.waits, part) & _on_cores(trace.waits, part)),
        collectives=collectives.rows(
            _overlaps(collectives, part)
            & _on_cores(collectives, part)
            & _of_tasks(collectives, kept, part)
        ),
    )


def _tasks(trace: Trace, part: _Part) -> Array:
    """Mask of the task rows that stay; a row spans dispatch to finish where both are known."""
    tasks = trace.tasks
    mask = _on_cores(tasks, part)
    if part.functions is not None:
        mask &= np.isin(tasks["func"], function_ids(trace, part.functions))
    earliest = _first_known(tasks, ("dispatch_ns", "receive_ns", "start_ns"))
    latest = _first_known(tasks, ("finish_ns", "end_ns", "start_ns"))
    if part.start_ns is not None:
        mask &= (latest != MISSING) & (latest >= part.start_ns)
    if part.end_ns is not None:
        mask &= (earliest != MISSING) & (earliest <= part.end_ns)
    return mask


def _first_known(table: Table, columns: tuple[str, ...]) -> Array:
    """Per row the value of the first of these columns that is known."""
    result = table[columns[-1]]
    for column in reversed(columns[:-1]):
        result = np.where(table[column] != MISSING, table[column], result)
    return result


def _overlaps(table: Table, part: _Part) -> Array:
    """Mask of the intervals that overlap the window; one known end stands for both."""
    mask = np.ones(len(table), bool)
    if part.start_ns is not None:
        mask &= _first_known(table, ("end_ns", "start_ns")) >= part.start_ns
    if part.end_ns is not None:
        mask &= _first_known(table, ("start_ns", "end_ns")) <= part.end_ns
    return mask


def _in_window(times: Array, part: _Part) -> Array:
    """Mask of the moments inside the window; a row without a time stays."""
    mask = np.ones(len(times), bool)
    timed = times != MISSING
    if part.start_ns is not None:
        mask &= ~timed | (times >= part.start_ns)
    if part.end_ns is not None:
        mask &= ~timed | (times <= part.end_ns)
    return mask


def _on_cores(table: Table, part: _Part) -> Array:
    if part.cores is None:
        return np.ones(len(table), bool)
    return np.isin(table["core"], part.cores)


def _of_tasks(table: Table, kept: Array, part: _Part) -> Array:
    """Mask of the rows of kept tasks; rows of no task stay unless functions are asked for."""
    mine = np.isin(table["task"], kept)
    return mine if part.functions is not None else mine | (table["task"] == MISSING)
