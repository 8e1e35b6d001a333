"""What each function cost: time on the core, and how it got there and back.

Percentiles are nearest-rank on whole nanoseconds: the value at place ceil(p/100 x n) of the n
sorted values, so every one of them was really measured. Sums are exact; means divide last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.analyze.columns.core_kinds import UNKNOWN, on_core
from lanescope.analyze.columns.groups import Groups, exact_sum, group_by, pick_within
from lanescope.results import Result
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

UNKNOWN_FUNC = -1
_FEW = 64


@dataclass(frozen=True, slots=True)
class Mean(Result):
    """A sum and how many rows it is of."""

    DERIVED = ("mean_ns",)

    count: int
    total_ns: int

    @property
    def mean_ns(self) -> float:
        return self.total_ns / self.count


@dataclass(frozen=True, slots=True)
class Spread(Mean):
    """How values lie."""

    min_ns: int
    p50_ns: int
    p99_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class FunctionCost(Result):
    """One function, or all of them; None for what no row can tell."""

    func: int | None
    """None in the row of totals."""
    name: str
    exec: Spread
    """start → end"""
    latency: Spread | None
    """dispatch → finish"""
    exec_share: float | None
    """Total exec / total latency over the rows that have both."""
    head: Mean | None
    """dispatch → start"""
    tail: Mean | None
    """end → finish"""
    propagation: Mean | None
    """dispatch → receive"""
    setup: Mean | None
    """receive → start"""

    @property
    def count(self) -> int:
        """How many runs the figures are of."""
        return self.exec.count

    def to_dict(self) -> dict[str, Any]:
        """Like any result, with the count behind the name."""
        figures = Result.to_dict(self)
        head = {"func": figures.pop("func"), "name": figures.pop("name"), "count": self.count}
        return head | figures


@dataclass(frozen=True, slots=True)
class Functions(Result):
    """Functions that ran, the costliest first, and the rows that could not take part."""

    rows: tuple[FunctionCost, ...]
    total: FunctionCost | None
    without_exec: int
    """Rows of runs on a core without start and end: in no figure."""
    without_latency: int
    """Rows that ran but lack dispatch or finish: in no latency."""
    never_ran: int | None
    """Declared functions that no row ran; None when a row does not say what it ran."""


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Columns of the rows that ran: durations, and whether the row knows them."""

    exec: Array
    latency: Array
    has_latency: Array
    others: tuple[tuple[Array, Array], ...]
    """head, tail, propagation, setup: value (0 where not known) and mask."""


def functions(trace: Trace) -> Functions:
    """Cost per function; rows without a function are grouped under id -1."""
    ran = trace.ran()
    func = trace.tasks["func"][ran]
    groups = group_by(np.where(func == MISSING32, UNKNOWN_FUNC, func))
    runs = _runs(trace, ran)
    ids = groups.keys.tolist()
    rows = _costs(runs, groups, [*function_labels(trace, groups.keys)])
    return Functions(
        rows=tuple(sorted(rows, key=lambda row: (-row.exec.total_ns, row.func))),
        total=_total(runs, rows) if rows else None,
        without_exec=int(np.count_nonzero(on_core(trace) & ~ran)),
        without_latency=int(np.count_nonzero(~runs.has_latency)),
        never_ran=None if UNKNOWN_FUNC in ids else len(_names(trace).keys() - set(ids)),
    )


def run_spreads(trace: Trace) -> dict[int, Spread]:
    """How long the runs of each function took; -1 for rows without one."""
    func, start, end = trace.of_runs("func", "start_ns", "end_ns")
    ids, length = different(func).tolist(), end - start
    names = [UNKNOWN_FUNC if one == MISSING32 else one for one in ids]
    if len(ids) > _FEW:
        groups = group_by(np.where(func == MISSING32, UNKNOWN_FUNC, func))
        found = zip(groups.keys.tolist(), _spreads(groups, length, None), strict=True)
        return {name: spread for name, spread in found if spread is not None}
    return {
        name: _spread(length[func == one]) for name, one in sorted(zip(names, ids, strict=True))
    }


def _spread(values: Array) -> Spread:
    """One after the other where there are few, which needs the least memory."""
    middle, high = (int(_rank(np.array(len(values)), percent)) for percent in (50, 99))
    values.partition([0, middle, high, len(values) - 1])
    least, most = int(values[0]), int(values[-1])
    spread = (least, int(values[middle]), int(values[high]), most)
    return Spread(len(values), exact_sum(values), *spread)


def function_labels(trace: Trace, func: Array) -> list[tuple[int, str]]:
    """Id and name of each; a task without a function is of function -1."""
    ids = np.where(func == MISSING32, UNKNOWN_FUNC, func).tolist()
    names = _names(trace)
    return [(f, names.get(f, UNKNOWN if f == UNKNOWN_FUNC else f"func_{f}")) for f in ids]


def _names(trace: Trace) -> dict[int, str]:
    ids = trace.functions["func"].tolist()
    return dict(zip(ids, trace.text("functions", "name"), strict=True))


def _runs(trace: Trace, ran: Array) -> _Runs:
    dispatch, receive, start, end, finish = (
        trace.tasks[f"{moment}_ns"][ran]
        for moment in ("dispatch", "receive", "start", "end", "finish")
    )
    dispatched, received, finished = dispatch != MISSING, receive != MISSING, finish != MISSING
    both = dispatched & finished
    return _Runs(
        exec=end - start,
        latency=_between(dispatch, finish, both),
        has_latency=both,
        others=(
            (_between(dispatch, start, dispatched), dispatched),
            (_between(end, finish, finished), finished),
            (_between(dispatch, receive, dispatched & received), dispatched & received),
            (_between(receive, start, received), received),
        ),
    )


def _between(start: Array, end: Array, known: Array) -> Array:
    return np.where(known, end, 0) - np.where(known, start, 0)


def _costs(runs: _Runs, groups: Groups, labels: list[tuple[int | None, str]]) -> list[FunctionCost]:
    execs = _spreads(groups, runs.exec, None)
    latencies = _spreads(groups, runs.latency, runs.has_latency)
    shared = groups.sums(np.where(runs.has_latency, runs.exec, 0))
    others = [_means(groups, values, known) for values, known in runs.others]
    costs = []
    for place, (func, name) in enumerate(labels):
        run, latency = execs[place], latencies[place]
        assert run is not None
        share = shared[place] / latency.total_ns if latency and latency.total_ns else None
        head, tail, propagation, setup = (column[place] for column in others)
        costs.append(FunctionCost(func, name, run, latency, share, head, tail, propagation, setup))
    return costs


def _total(runs: _Runs, rows: list[FunctionCost]) -> FunctionCost:
    """All functions together."""
    run = _spread_of_all(runs.exec, [row.exec for row in rows])
    assert run is not None
    latency = _spread_of_all(runs.latency[runs.has_latency], [row.latency for row in rows])
    shared = exact_sum(runs.exec[runs.has_latency])
    share = shared / latency.total_ns if latency and latency.total_ns else None
    means = [
        _mean_of_all([getattr(row, name) for row in rows])
        for name in ("head", "tail", "propagation", "setup")
    ]
    return FunctionCost(None, "TOTAL", run, latency, share, *means)


def _mean_of_all(parts: Sequence[Mean | None]) -> Mean | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    return Mean(sum(part.count for part in known), sum(part.total_ns for part in known))


def _spread_of_all(values: Array, parts: Sequence[Spread | None]) -> Spread | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    middle, high = (int(_rank(np.array(len(values)), percent)) for percent in (50, 99))
    ordered = np.partition(values, [middle, high])
    return Spread(
        len(values),
        sum(part.total_ns for part in known),
        min(part.min_ns for part in known),
        int(ordered[middle]),
        int(ordered[high]),
        max(part.max_ns for part in known),
    )


def _means(groups: Groups, values: Array, known: Array) -> list[Mean | None]:
    counts = groups.counts(known)
    if not any(counts):
        return [None] * len(groups)
    pairs = zip(counts, groups.sums(values), strict=True)
    return [Mean(count, total) if count else None for count, total in pairs]


def _spreads(groups: Groups, values: Array, known: Array | None) -> list[Spread | None]:
    counts = groups.counts(known)
    if not any(counts):
        return [None] * len(groups)
    totals = groups.sums(values)
    codes = groups.codes
    if known is not None:
        codes, values = codes[known], values[known]
    count = np.array(counts)
    first = np.cumsum(count) - count
    places = np.array([first, *(first + _rank(count, p) for p in (50, 99)), first + count - 1])
    least, middle, high, most = pick_within(codes, values, places).tolist()
    return [
        Spread(n, totals[i], least[i], middle[i], high[i], most[i]) if n else None
        for i, n in enumerate(counts)
    ]


def _rank(count: Array, percent: int) -> Array:
    """Nearest rank of a percentile as an offset from the smallest value."""
    rank: Array = (count * percent + 99) // 100 - 1
    return rank
