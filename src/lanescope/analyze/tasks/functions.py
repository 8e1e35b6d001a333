"""What each function cost: time on the core, and time on the way there and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.analyze.columns.core_kinds import UNKNOWN, on_core
from lanescope.analyze.columns.groups import Groups, exact_sum, group_by
from lanescope.analyze.tasks.spread import (
    Mean,
    Spread,
    mean_of_parts,
    means_of,
    spread_of,
    spread_of_parts,
    spreads_of,
)
from lanescope.render.cells import many_text, time_text
from lanescope.render.names import clean
from lanescope.results import Result
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

UNKNOWN_FUNC = -1
"""Id that stands for the function of task rows without one."""
_NAMED = 3
"""Functions that `repr` names."""
_FEW = 64
"""Up to so many functions are taken one after the other, which needs the least memory."""


@dataclass(frozen=True, slots=True)
class FunctionCost(Result):
    """Times of the runs of one function, or of all functions; None for what no run has.

    Every figure is of the runs that have both its times.
    """

    func: int | None
    """Id of the function; None in the row of all functions."""
    name: str
    exec: Spread
    """From start to end."""
    latency: Spread | None
    """From dispatch to finish."""
    exec_share: float | None
    """exec / latency, of the runs that have both."""
    head: Mean | None
    """From dispatch to start."""
    tail: Mean | None
    """From end to finish."""
    propagation: Mean | None
    """From dispatch to receive."""
    setup: Mean | None
    """From receive to start."""

    @property
    def count(self) -> int:
        """Number of runs."""
        return self.exec.count

    def __repr__(self) -> str:
        total, mean = time_text(self.exec.total_ns), time_text(self.exec.mean_ns)
        runs = many_text(self.count, "run")
        return f"<FunctionCost of {clean(self.name)}: {runs}, {total} on the cores, mean {mean}>"

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, with the count behind the name."""
        figures = Result.to_dict(self)
        head = {"func": figures.pop("func"), "name": figures.pop("name"), "count": self.count}
        return head | figures


@dataclass(frozen=True, slots=True)
class Functions(Result):
    """What each function cost, and how many rows could not take part."""

    rows: tuple[FunctionCost, ...]
    """One per function that ran, the longest total time on the core first."""
    total: FunctionCost | None
    """All functions together; None when nothing ran."""
    without_exec: int
    """Runs without start and end. They are in no figure."""
    without_latency: int
    """Runs with start and end, but without dispatch or finish. They are in no latency."""
    never_ran: int | None
    """Declared functions that did not run; None when a run does not say its function."""

    def __repr__(self) -> str:
        if self.total is None:
            return "<Functions: none ran>"
        busy = time_text(self.total.exec.total_ns)
        costliest = ", ".join(clean(row.name) for row in self.rows[:_NAMED])
        more = ", …" if len(self.rows) > _NAMED else ""
        return (
            f"<Functions: {len(self.rows):,} in {many_text(self.total.count, 'run')}, "
            f"{busy} on the cores: {costliest}{more}>"
        )


@dataclass(frozen=True, slots=True)
class FunctionLabel:
    """Id and name of a function; -1 and (unknown) where a task has none."""

    func: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class RunTimes:
    """A duration per run, ns, and a mask of the runs that have it. It is 0 for the others."""

    ns: Array
    known: Array


@dataclass(frozen=True, slots=True, eq=False)
class RunDurations:
    """Durations of the runs that have start and end."""

    exec_ns: Array
    latency: RunTimes
    means: dict[str, RunTimes]
    """The durations of which a cost has the mean only: head, tail, propagation, setup."""


def functions(trace: Trace) -> Functions:
    """What each function cost; runs without a function are those of function -1."""
    ran = trace.ran()
    func = trace.tasks["func"][ran]
    groups = group_by(np.where(func == MISSING32, UNKNOWN_FUNC, func))
    runs = durations_of(trace.tasks, ran)
    ids = groups.keys.tolist()
    rows = _costs(runs, groups, function_labels(trace, groups.keys))
    return Functions(
        rows=tuple(sorted(rows, key=lambda row: (-row.exec.total_ns, row.func))),
        total=_total(runs, rows) if rows else None,
        without_exec=int(np.count_nonzero(on_core(trace) & ~ran)),
        without_latency=int(np.count_nonzero(~runs.latency.known)),
        never_ran=None if UNKNOWN_FUNC in ids else len(_names(trace).keys() - set(ids)),
    )


def run_spreads(trace: Trace) -> dict[int, Spread]:
    """Function id to the lengths of its runs, start to end; -1 is runs without a function."""
    func, start, end = trace.of_runs("func", "start_ns", "end_ns")
    ids, length = different(func).tolist(), end - start
    names = [UNKNOWN_FUNC if one == MISSING32 else one for one in ids]
    if len(ids) > _FEW:
        groups = group_by(np.where(func == MISSING32, UNKNOWN_FUNC, func))
        spreads = zip(groups.keys.tolist(), spreads_of(groups, length, None), strict=True)
        return {name: spread for name, spread in spreads if spread is not None}
    return {
        name: spread_of(length[func == one]) for name, one in sorted(zip(names, ids, strict=True))
    }


def function_labels(trace: Trace, func: Array) -> list[FunctionLabel]:
    """Id and name of each function in a column of ids."""
    ids = np.where(func == MISSING32, UNKNOWN_FUNC, func).tolist()
    names = _names(trace)
    return [
        FunctionLabel(f, names.get(f, UNKNOWN if f == UNKNOWN_FUNC else f"func_{f}")) for f in ids
    ]


def declared_functions(trace: Trace) -> set[int]:
    """Ids of the functions in the table of functions."""
    return set(trace.functions["func"].tolist())


def _names(trace: Trace) -> dict[int, str]:
    ids = trace.functions["func"].tolist()
    return dict(zip(ids, trace.text("functions", "name"), strict=True))


def durations_of(tasks: Table, ran: Array) -> RunDurations:
    """Durations of the task rows in the mask."""
    dispatch, receive, start, end, finish = (
        tasks[f"{moment}_ns"][ran] for moment in ("dispatch", "receive", "start", "end", "finish")
    )
    dispatched, received, finished = dispatch != MISSING, receive != MISSING, finish != MISSING
    return RunDurations(
        exec_ns=end - start,
        latency=_between(dispatch, finish, dispatched & finished),
        means={
            "head": _between(dispatch, start, dispatched),
            "tail": _between(end, finish, finished),
            "propagation": _between(dispatch, receive, dispatched & received),
            "setup": _between(receive, start, received),
        },
    )


def _between(start: Array, end: Array, known: Array) -> RunTimes:
    return RunTimes(np.where(known, end, 0) - np.where(known, start, 0), known)


def _costs(runs: RunDurations, groups: Groups, labels: list[FunctionLabel]) -> list[FunctionCost]:
    """The cost of each group of runs."""
    execs = spreads_of(groups, runs.exec_ns, None)
    latencies = spreads_of(groups, runs.latency.ns, runs.latency.known)
    shared = groups.sums(np.where(runs.latency.known, runs.exec_ns, 0))
    means = {name: means_of(groups, times.ns, times.known) for name, times in runs.means.items()}
    costs = []
    for place, label in enumerate(labels):
        run, latency = execs[place], latencies[place]
        assert run is not None
        costs.append(
            FunctionCost(
                func=label.func,
                name=label.name,
                exec=run,
                latency=latency,
                exec_share=_share(shared[place], latency),
                **{name: column[place] for name, column in means.items()},
            )
        )
    return costs


def _share(shared_ns: int, latency: Spread | None) -> float | None:
    """exec / latency; `shared_ns` is the exec of the runs that have a latency."""
    return shared_ns / latency.total_ns if latency and latency.total_ns else None


def _total(runs: RunDurations, rows: list[FunctionCost]) -> FunctionCost:
    """The cost of all functions together."""
    run = spread_of_parts(runs.exec_ns, [row.exec for row in rows])
    assert run is not None
    latency = spread_of_parts(runs.latency.ns[runs.latency.known], [row.latency for row in rows])
    return FunctionCost(
        func=None,
        name="TOTAL",
        exec=run,
        latency=latency,
        exec_share=_share(exact_sum(runs.exec_ns[runs.latency.known]), latency),
        **{name: mean_of_parts([getattr(row, name) for row in rows]) for name in runs.means},
    )
