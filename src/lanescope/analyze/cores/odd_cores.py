"""Cores that stand out: whose runs take longer, and that pick up their tasks later.

Lengths are compared among runs of one function, pick-ups among cores of one kind. A core that costs
the run next to nothing does not stand out, however odd it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_index import CoreIndex
from lanescope.analyze.columns.groups import Groups, group_by
from lanescope.analyze.columns.quantiles import median
from lanescope.analyze.graph.paths import runs_before
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

SLOW_CORE = 1.2
"""Least ratio of a slow core: length of its runs / median length of the same function."""
LATE_CORE = 2.0
"""Least ratio of a late core: mean pick-up of its runs / that of the median core of its kind."""
LEAST_RUNS = 4
"""Least number of runs of such a core."""
LEAST_SHARE = 0.01
"""Least share of the window that it costs."""
OUTLIER = 3.5
"""Least distance of it from the median core, in scaled median absolute deviations."""
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
    extra_ns: int
    """How much longer its runs take than the medians of their functions, in all."""
    share: float
    """extra_ns / length of the window."""


@dataclass(frozen=True, slots=True)
class LateCore(Result):
    """A core that picks up its tasks later than other cores of its kind.

    A pick-up is the time from a task's dispatch, or from the end of the run before it if that is
    later, until the core receives the task; until it starts it, where that is not recorded.
    """

    core: int
    name: str
    runs: int
    pick_up_ns: float
    """Mean pick-up of its runs."""
    ratio: float
    """pick_up_ns / that of the median core."""
    extra_ns: int
    """How much longer its pick-ups take than the median core's, in all."""
    share: float
    """extra_ns / length of the window."""


def slow_cores(trace: Trace, rows: Array, window_ns: int) -> tuple[SlowCore, ...]:
    """The slow cores of these runs, the one that costs most first."""
    tasks = trace.tasks
    length = tasks["end_ns"][rows] - tasks["start_ns"][rows]
    usual = np.zeros(len(rows))
    for mine in _members(group_by(tasks["func"][rows])):
        usual[mine] = median(length[mine])
    ratio = np.where(usual > 0, length / np.where(usual > 0, usual, 1), 1.0)
    cores = group_by(tasks["core"][rows])
    members, names = _members(cores), _names(trace)
    medians = np.array([median(ratio[mine]) for mine in members])
    longer = length - usual
    extra = np.array([longer[mine].sum() for mine in members])
    odd, middle = _outliers(medians, cores, SLOW_CORE)
    slow = [
        SlowCore(
            core=(core := int(cores.keys[at])),
            name=names.get(core) or f"core {core}",
            runs=len(members[at]),
            ratio=float(medians[at] / middle),
            extra_ns=round(float(extra[at])),
            share=float(extra[at] / window_ns),
        )
        for at in np.flatnonzero(odd & (extra >= LEAST_SHARE * window_ns)).tolist()
    ]
    return tuple(sorted(slow, key=lambda one: -one.share))


def late_cores(trace: Trace, rows: Array, window_ns: int) -> tuple[LateCore, ...]:
    """The late cores of these runs, the one that costs most first."""
    tasks, index, names = trace.tasks, CoreIndex(trace), _names(trace)
    rows = rows[tasks["dispatch_ns"][rows] != MISSING]
    pick_up = pick_ups(trace, rows)
    kind = index.kind_of[index.place(tasks["core"][rows])]
    late = []
    for mine in _members(group_by(kind)) if len(rows) else ():
        cores = group_by(tasks["core"][rows[mine]])
        runs = np.array(cores.counts())
        own = pick_up[mine]
        means = np.array([own[one].mean() for one in _members(cores)])
        odd, middle = _outliers(means, cores, LATE_CORE)
        extra = (means - middle) * runs
        late += [
            LateCore(
                core=(core := int(cores.keys[at])),
                name=names.get(core) or f"core {core}",
                runs=int(runs[at]),
                pick_up_ns=float(means[at]),
                ratio=float(means[at] / max(middle, 1)),
                extra_ns=round(float(extra[at])),
                share=float(extra[at] / window_ns),
            )
            for at in np.flatnonzero(odd & (extra >= LEAST_SHARE * window_ns)).tolist()
        ]
    return tuple(sorted(late, key=lambda one: -one.share))


def pick_ups(trace: Trace, rows: Array) -> Array:
    """Pick-up of each run, ns; see `LateCore`."""
    tasks = trace.tasks
    start, end, receive = (tasks[f"{name}_ns"][rows] for name in ("start", "end", "receive"))
    before = runs_before(tasks["core"][rows], start, end)
    since = tasks["dispatch_ns"][rows]
    since = np.where(before >= 0, np.maximum(since, end[before]), since) if len(rows) else since
    return np.asarray(np.maximum(np.where(receive == MISSING, start, receive) - since, 0))


def _outliers(value: Array, cores: Groups, least_ratio: float) -> tuple[Array, float]:
    """Which cores lie far above the median one, by one value each; and the median."""
    middle = median(value)
    deviation = _MAD_SCALE * median(np.abs(value - middle))
    far = (value >= least_ratio * middle) & (value - middle > OUTLIER * deviation)
    return np.asarray(far & (np.array(cores.counts()) >= LEAST_RUNS)), middle


def _members(groups: Groups) -> list[Array]:
    """Rows of each group."""
    return np.split(groups.order, groups.first[1:])


def _names(trace: Trace) -> dict[int, str]:
    return dict(zip(trace.cores["core"].tolist(), trace.text("cores", "name"), strict=True))
