"""What is unusual about a run: a core that is slower than the others, and functions that take
longer the more cores are busy, as they do when they share a memory that is too slow.

Each is a comparison of runs of the same function with each other, so a slow function is no suspect.
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
"""A core is slow when its runs take this much longer than the same function elsewhere …"""
LEAST_RUNS = 4
"""… and it ran at least so many, and"""
OUTLIER = 3.5
"""it is further from the median core than so many scaled median deviations."""
CROWDED = 1.25
"""A function is crowded when its runs among many take this much longer than among few …"""
RANK_CORRELATION = 0.5
"""… and the order of lengths follows the order of company at least so well."""
_LEAST_SAMPLE = 16
_MOST_SAMPLE = 20_000
_MAD_SCALE = 1.4826


@dataclass(frozen=True, slots=True)
class SlowCore(Result):
    """`ratio` is the median of its runs' lengths, each over the median of its function."""

    core: int
    name: str
    runs: int
    ratio: float


@dataclass(frozen=True, slots=True)
class Crowded(Result):
    """Median length among the quarter of runs with the most other cores busy, over that among the
    quarter with the fewest."""

    func: int
    name: str
    runs: int
    ratio: float
    correlation: float


@dataclass(frozen=True, slots=True)
class Suspects(Result):
    """Worst first."""

    slow_cores: tuple[SlowCore, ...]
    crowded: tuple[Crowded, ...]


def suspects(trace: Trace) -> Suspects:
    """Compare the runs of each function with each other."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["func"] != MISSING32) & (tasks["core"] >= 0))
    if not len(rows):
        return Suspects((), ())
    length = tasks["end_ns"][rows] - tasks["start_ns"][rows]
    func = group_by(tasks["func"][rows])
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    labels = [names.get(key) or f"func_{key}" for key in func.keys.tolist()]
    members = np.split(func.order, func.first[1:])
    return Suspects(
        _slow_cores(trace, tasks["core"][rows], length, members),
        _crowded(tasks["start_ns"][rows], tasks["end_ns"][rows], members, (func.keys, labels)),
    )


def _slow_cores(
    trace: Trace, core: Array, length: Array, members: list[Array]
) -> tuple[SlowCore, ...]:
    ratio = np.ones(len(length))
    for mine in members:
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
    found = [
        SlowCore(key, labels.get(key) or f"core {key}", int(count), float(value / middle))
        for key, count, value, is_slow in zip(
            groups.keys.tolist(), counts, medians, slow, strict=True
        )
        if is_slow
    ]
    return tuple(sorted(found, key=lambda one: -one.ratio))


def _crowded(
    start: Array, end: Array, members: list[Array], functions: tuple[Array, list[str]]
) -> tuple[Crowded, ...]:
    company = _Company(start, end)
    found = []
    for mine, func, name in zip(members, functions[0].tolist(), functions[1], strict=True):
        sample = mine[:: max(len(mine) // _MOST_SAMPLE, 1)]
        sample = sample[end[sample] > start[sample]]
        if len(sample) < _LEAST_SAMPLE:
            continue
        length = end[sample] - start[sample]
        others = company.mean(start[sample], end[sample])
        ratio, correlation = _trend(others, length)
        if ratio >= CROWDED and correlation >= RANK_CORRELATION:
            found.append(Crowded(func, name, len(mine), ratio, correlation))
    return tuple(sorted(found, key=lambda one: -one.ratio))


class _Company:
    """How many runs go on on average between two moments."""

    def __init__(self, start: Array, end: Array) -> None:
        self._start, self._end = sorted_values(start), sorted_values(end)
        self._starts = np.concatenate([[0.0], np.cumsum(self._start, dtype=np.float64)])
        self._ends = np.concatenate([[0.0], np.cumsum(self._end, dtype=np.float64)])

    def mean(self, start: Array, end: Array) -> Array:
        mean: Array = (self._until(end) - self._until(start)) / (end - start)
        return mean

    def _until(self, time: Array) -> Array:
        """In order of time, because neighbours are then found in the same places."""
        order = sort_order(time)
        area = np.empty(len(time))
        area[order] = self._until_in_order(time[order])
        return area

    def _until_in_order(self, time: Array) -> Array:
        begun = np.searchsorted(self._start, time)
        ended = np.searchsorted(self._end, time)
        area = time * (begun - ended) - (self._starts[begun] - self._ends[ended])
        return np.asarray(area)


def _trend(others: Array, length: Array) -> tuple[float, float]:
    """Lengths with much company over those with little, and Spearman's rank correlation."""
    low, high = np.quantile(others, (0.25, 0.75))
    if high <= low:
        return 1.0, 0.0
    few, many = np.median(length[others <= low]), np.median(length[others >= high])
    ranks = [_ranks(values) for values in (others, length)]
    if any(rank.std() == 0 for rank in ranks):
        return 1.0, 0.0
    return float(many / max(few, 1)), float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: Array) -> Array:
    """Ranks; equal values share their mean rank."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[codes])


def _answer(basis: Basis) -> Suspects:
    return suspects(basis.trace)


SUSPECTS = Analysis(
    name="suspects",
    question="Is a core slower than the others, and do functions slow down in company?",
    answer=_answer,
    keys="slow_cores [core, name, runs, ratio], crowded [func, name, runs, ratio, correlation]; "
    "the verdict's section speaks of them",
)
