"""What is unusual about a run: cores that stand out (`odd_cores.py`), and functions that take
longer the more cores are busy, as they do when they share a memory that is too slow.

Runs are compared with runs of the same function only, so a slow function is no suspect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Basis
from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.columns.quantiles import median, quantile
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.odd_cores import LateCore, SlowCore, late_cores, slow_cores
from lanescope.analyze.cores.off_processor import ThreadsAway, off_processor
from lanescope.native.tiling import sort_order, sorted_values
from lanescope.results import Result
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

CROWDED = 1.25
"""Least ratio of a crowded function: length of its runs with many others / with few others."""
RANK_CORRELATION = 0.5
"""Least rank correlation, in a crowded function, of length with the number of other runs."""
_LEAST_SAMPLE = 16
"""A function with fewer runs is not tested for crowding."""
_MOST_SAMPLE = 20_000
"""Of a function with more runs, about so many are tested."""


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
    """Cores and functions that are suspects, in each list the worst first."""

    slow_cores: tuple[SlowCore, ...]
    late_cores: tuple[LateCore, ...]
    crowded: tuple[Crowded, ...]
    off_processor: ThreadsAway | None = None
    """Threads that were off the processor; None: nothing to speak of."""


@dataclass(frozen=True, slots=True, eq=False)
class _FunctionRuns:
    """One function, and the places of its runs among all runs."""

    func: int
    name: str
    places: Array


def suspects(trace: Trace, window: Span | None = None) -> Suspects:
    """The suspects of a trace; the window is computed where it is not given."""
    window = makespan(trace).window if window is None else window
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["func"] != MISSING32) & (tasks["core"] >= 0))
    if not len(rows) or window is None:
        return Suspects((), (), ())
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
        slow_cores(trace, rows, max(window.length_ns, 1)),
        late_cores(trace, rows, max(window.length_ns, 1)),
        _crowded(tasks["start_ns"][rows], tasks["end_ns"][rows], functions),
        off_processor(trace, rows, max(window.length_ns, 1)),
    )


def _crowded(start: Array, end: Array, functions: list[_FunctionRuns]) -> tuple[Crowded, ...]:
    """The crowded functions; `start` and `end` have one entry per run."""
    company = Company(start, end)
    crowded = []
    for function in functions:
        mine = function.places
        sample = mine[:: max(len(mine) // _MOST_SAMPLE, 1)]
        sample = sample[end[sample] > start[sample]]
        if len(sample) < _LEAST_SAMPLE:
            continue
        length = end[sample] - start[sample]
        others = company.mean(start[sample], end[sample])
        ratio = _crowding(others, length)
        # Ranks take long, and few functions get so far.
        correlation = _rank_correlation(others, length) if ratio >= CROWDED else 0.0
        if correlation >= RANK_CORRELATION:
            crowded.append(Crowded(function.func, function.name, len(mine), ratio, correlation))
    return tuple(sorted(crowded, key=lambda one: -one.ratio))


class Company:
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
    low, high = quantile(others, 0.25), quantile(others, 0.75)
    if high <= low:
        return 1.0
    few, many = median(length[others <= low]), median(length[others >= high])
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
    return suspects(basis.trace, basis.window)


SUSPECTS = Analysis(
    name="suspects",
    question="Is a core slower or later than the others, and do functions slow down in company?",
    answer=_answer,
    families=frozenset({"cores"}),
    keys="slow_cores [core, name, runs, ratio, extra_ns, share], late_cores [core, name, runs, "
    "pick_up_ns, ratio, extra_ns, share], crowded [func, name, runs, ratio, correlation], "
    "off_processor [waits, longest_ns, ns, share] or null; "
    "the verdict's section speaks of them",
)
