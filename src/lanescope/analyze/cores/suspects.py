"""What is unusual about a run: a core that is slower than the others, and functions that take
longer the more cores are busy, as they do when they share a memory that is too slow.

Runs are compared with runs of the same function only, so a slow function is no suspect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Basis
from lanescope.analyze.columns.groups import group_by
from lanescope.native.tiling import sort_order, sorted_values
from lanescope.results import Result
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

SLOW_CORE = 1.2
"""Least ratio of a slow core: length of its runs / median length of the same function."""
LEAST_RUNS = 4
"""Least number of runs of a slow core."""
OUTLIER = 3.5
"""Least distance of a slow core from the median core, in scaled median absolute deviations."""
CROWDED = 1.25
"""Least ratio of a crowded function: length of its runs with many others / with few others."""
RANK_CORRELATION = 0.5
"""Least rank correlation, in a crowded function, of length with the number of other runs."""
_LEAST_SAMPLE = 16
"""A function with fewer runs is not tested for crowding."""
_MOST_SAMPLE = 20_000
"""Of a function with more runs, about so many are tested."""
_MAD_SCALE = 1.4826
"""Makes the median absolute deviation of a normal distribution its standard deviation."""


@dataclass(frozen=True, slots=True)
class SlowCore(Result):
    """A core whose runs take longer than runs of the same functions on other cores."""

    core: int
    name: str
    runs: int
    ratio: float
    """Median over its runs of length / median length of the function; 1 is the median core's."""


@dataclass(frozen=True, slots=True)
class Crowded(Result):
    """A function whose runs take longer the more other runs go on at the same time."""

    func: int
    name: str
    runs: int
    ratio: float
    """Median length of the quarter of its runs with the most others / with the fewest others."""
    correlation: float
    """Spearman's rank correlation of length with the number of other runs."""


@dataclass(frozen=True, slots=True)
class Suspects(Result):
    """Slow cores and crowded functions, in both lists the largest ratio first."""

    slow_cores: tuple[SlowCore, ...]
    crowded: tuple[Crowded, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _FunctionRuns:
    """One function, and the places of its runs among all runs."""

    func: int
    name: str
    places: Array


def suspects(trace: Trace) -> Suspects:
    """The slow cores and crowded functions of a trace."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["func"] != MISSING32) & (tasks["core"] >= 0))
    if not len(rows):
        return Suspects((), ())
    length = tasks["end_ns"][rows] - tasks["start_ns"][rows]
    groups = group_by(tasks["func"][rows])
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    places = np.split(groups.order, groups.first[1:])
    functions = [
        _FunctionRuns(func, names.get(func) or f"func_{func}", mine)
        for func, mine in zip(groups.keys.tolist(), places, strict=True)
    ]
    return Suspects(
        _slow_cores(trace, tasks["core"][rows], length, functions=functions),
        _crowded(tasks["start_ns"][rows], tasks["end_ns"][rows], functions),
    )


def _slow_cores(
    trace: Trace, core: Array, length: Array, *, functions: list[_FunctionRuns]
) -> tuple[SlowCore, ...]:
    """The slow cores; `core` and `length` have one entry per run."""
    ratio = np.ones(len(length))
    for function in functions:
        mine = function.places
        middle = float(np.median(length[mine]))
        ratio[mine] = length[mine] / middle if middle else 1.0
    groups = group_by(core)
    per_core = [np.median(ratio[mine]) for mine in np.split(groups.order, groups.first[1:])]
    medians, counts = np.array(per_core), np.array(groups.counts())
    middle = float(np.median(medians))
    deviation = _MAD_SCALE * float(np.median(np.abs(medians - middle)))
    slow = (medians >= SLOW_CORE * middle) & (counts >= LEAST_RUNS)
    slow &= medians - middle > OUTLIER * deviation
    labels = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "name"), strict=True))
    slow_cores = [
        SlowCore(key, labels.get(key) or f"core {key}", int(count), float(value / middle))
        for key, count, value, is_slow in zip(
            groups.keys.tolist(), counts, medians, slow, strict=True
        )
        if is_slow
    ]
    return tuple(sorted(slow_cores, key=lambda one: -one.ratio))


def _crowded(start: Array, end: Array, functions: list[_FunctionRuns]) -> tuple[Crowded, ...]:
    """The crowded functions; `start` and `end` have one entry per run."""
    company = _Company(start, end)
    crowded = []
    for function in functions:
        mine = function.places
        sample = mine[:: max(len(mine) // _MOST_SAMPLE, 1)]
        sample = sample[end[sample] > start[sample]]
        if len(sample) < _LEAST_SAMPLE:
            continue
        length = end[sample] - start[sample]
        others = company.mean(start[sample], end[sample])
        one = Crowded(
            func=function.func,
            name=function.name,
            runs=len(mine),
            ratio=_crowding(others, length),
            correlation=_rank_correlation(others, length),
        )
        if one.ratio >= CROWDED and one.correlation >= RANK_CORRELATION:
            crowded.append(one)
    return tuple(sorted(crowded, key=lambda one: -one.ratio))


class _Company:
    """Answers how many runs go on between two moments, on average."""

    def __init__(self, start: Array, end: Array) -> None:
        self._start, self._end = sorted_values(start), sorted_values(end)
        self._starts = np.concatenate([[0.0], np.cumsum(self._start, dtype=np.float64)])
        self._ends = np.concatenate([[0.0], np.cumsum(self._end, dtype=np.float64)])

    def mean(self, start: Array, end: Array) -> Array:
        """Per interval: the mean number of runs that go on in it."""
        mean: Array = (self._until(end) - self._until(start)) / (end - start)
        return mean

    def _until(self, time: Array) -> Array:
        """Per moment: nanoseconds that all runs together had run until then.

        The moments are looked up in order of time, because that reads memory in order.
        """
        order = sort_order(time)
        area = np.empty(len(time))
        area[order] = self._until_in_order(time[order])
        return area

    def _until_in_order(self, time: Array) -> Array:
        begun = np.searchsorted(self._start, time)
        ended = np.searchsorted(self._end, time)
        area = time * (begun - ended) - (self._starts[begun] - self._ends[ended])
        return np.asarray(area)


def _crowding(others: Array, length: Array) -> float:
    """Median length of the quarter of runs with the most others / with the fewest.

    1 where the quarters have the same number of others.
    """
    low, high = np.quantile(others, (0.25, 0.75))
    if high <= low:
        return 1.0
    few, many = np.median(length[others <= low]), np.median(length[others >= high])
    return float(many / max(few, 1))


def _rank_correlation(left: Array, right: Array) -> float:
    """Spearman's rank correlation of two columns; 0 where the values of one are all equal."""
    ranks = [_ranks(values) for values in (left, right)]
    if any(rank.std() == 0 for rank in ranks):
        return 0.0
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: Array) -> Array:
    """Rank of each value from 1 on; equal values share their mean rank."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[codes])


def _answer(basis: Basis) -> Suspects:
    return suspects(basis.trace)


SUSPECTS = Analysis(
    name="suspects",
    question="Is a core slower than the others, and do functions slow down in company?",
    answer=_answer,
    families=frozenset({"cores"}),
    keys="slow_cores [core, name, runs, ratio], crowded [func, name, runs, ratio, correlation]; "
    "the verdict's section speaks of them",
)
