"""The runs of a trace: how long each took, how much they differ, and who began and ended when.

The first run of a rank is counted apart: it finds caches, clocks and memory pools cold. Ranks have
clocks of their own, so their order is known only as well as each was placed on the common axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Basis
from lanescope.results import Result
from lanescope.trace.run_parts import run_name
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.task_rows import TIMES
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class RunLength(Result):
    """One run."""

    name: str
    run: int
    """Its number in `runs`."""
    epoch: int | None
    """The source's own number of it."""
    rank: int | None
    completeness: str
    """What the source says of it: are all records there? Empty where it says nothing."""
    tasks: int
    """Task rows that ran."""
    start_ns: int | None
    """First dispatch, receive or start of a task; None where no task has times. Of a trace without
    tasks: when the run began by the host's log."""
    length_ns: int | None
    """From there to its last end or finish, or to the run's end by the host's log."""
    slack_ns: int | None
    """How much later than drawn it may lie, because of its clock; None where that is not known."""


@dataclass(frozen=True, slots=True)
class RoundSpread(Result):
    """How long several runs took. Runs without times do not count."""

    runs: int
    mean_ns: float
    deviation_ns: float | None
    """Standard deviation of one run; None for a single run."""
    least_ns: int
    most_ns: int


@dataclass(frozen=True, slots=True)
class RankOrder(Result):
    """How a rank lies beside the one whose first task starts earliest."""

    rank: int
    after_ns: int
    """Its first task starts so much later."""
    ends_after_ns: int
    """Its last task ends so much later than the last task of the rank that ends first."""
    decided: bool
    """Whether that is more than the clocks leave open."""


@dataclass(frozen=True, slots=True)
class RunRounds(Result):
    """All runs of a trace; a trace whose source tells no runs apart has none."""

    runs: tuple[RunLength, ...]
    first: RoundSpread | None
    """The first run of each rank."""
    others: RoundSpread | None
    """All others; None where there is none."""
    between_ns: int
    """Time between the first start and the last end in which no run was open."""
    ranks: tuple[RankOrder, ...]
    """Empty for a single rank."""
    uncertainty_ns: int | None
    """Order between ranks within this is undecided: the sum of the two widest slacks. None for a
    single rank, and where a rank's place is not known."""

    @property
    def longest(self) -> RunLength | None:
        """The run that took longest; None where none has times."""
        timed = [run for run in self.runs if run.length_ns is not None]
        return max(timed, key=lambda run: run.length_ns or 0, default=None)


def rounds(trace: Trace) -> RunRounds:
    """How long the runs of a trace took, and how its ranks lie in time."""
    table = trace.runs
    if not len(table):
        return RunRounds((), None, None, 0, (), None)
    starts, ends, tasks = _spans(trace)
    if not len(trace.tasks):
        starts, ends = table["start_ns"], table["end_ns"]
    told = trace.text("runs", "completeness")
    runs = tuple(
        RunLength(
            name=run_name(trace, row),
            run=int(table["run"][row]),
            epoch=_known(int(table["epoch"][row]), MISSING),
            rank=_known(int(table["rank"][row]), MISSING32),
            completeness=told[row],
            tasks=int(tasks[row]),
            start_ns=_known(int(starts[row]), MISSING),
            length_ns=None if starts[row] == MISSING else int(ends[row] - starts[row]),
            slack_ns=_known(int(table["slack_ns"][row]), MISSING),
        )
        for row in range(len(table))
    )
    first, others = _first_and_others(runs)
    order, uncertainty = _ranks(runs)
    return RunRounds(
        runs=runs,
        first=_spread(first),
        others=_spread(others),
        between_ns=_between(runs),
        ranks=order,
        uncertainty_ns=uncertainty,
    )


def _spans(trace: Trace) -> tuple[Array, Array, Array]:
    """Per row of `runs`: first and last moment of its tasks, and how many ran."""
    count = len(trace.runs)
    if count == 1:
        return _single(trace)
    starts, ends = np.full(count, np.iinfo(np.int64).max), np.full(count, MISSING)
    of_task = trace.tasks["run"]
    place = np.full(int(trace.runs["run"].max(initial=-1)) + 2, -1)
    place[trace.runs["run"]] = np.arange(count)
    row = place[np.where(of_task == MISSING32, -1, of_task)]
    for name in TIMES:
        times = trace.tasks[f"{name}_ns"]
        known = (times != MISSING) & (row >= 0)
        np.minimum.at(starts, row[known], times[known])
        np.maximum.at(ends, row[known], times[known])
    starts[ends == MISSING] = MISSING
    ran = np.bincount(row[trace.ran() & (row >= 0)], minlength=count)
    return starts, ends, ran


def _single(trace: Trace) -> tuple[Array, Array, Array]:
    """The same for a trace of one run."""
    bounds = [trace.tasks.bounds(f"{name}_ns") for name in TIMES]
    known = [both for both in bounds if both is not None]
    start = min((low for low, _ in known), default=MISSING)
    end = max((high for _, high in known), default=MISSING)
    return np.array([start]), np.array([end]), np.array([int(np.count_nonzero(trace.ran()))])


def _known(value: int, missing: int) -> int | None:
    return None if value == missing else value


def _first_and_others(runs: tuple[RunLength, ...]) -> tuple[list[int], list[int]]:
    """Lengths of the first run of each rank, and of all others."""
    seen: set[int | None] = set()
    first: list[int] = []
    others: list[int] = []
    for run in runs:
        if run.length_ns is not None:
            (others if run.rank in seen else first).append(run.length_ns)
        seen.add(run.rank)
    return first, others


def _spread(lengths: list[int]) -> RoundSpread | None:
    if not lengths:
        return None
    mean = sum(lengths) / len(lengths)
    squares = sum((length - mean) ** 2 for length in lengths)
    return RoundSpread(
        runs=len(lengths),
        mean_ns=mean,
        deviation_ns=math.sqrt(squares / (len(lengths) - 1)) if len(lengths) > 1 else None,
        least_ns=min(lengths),
        most_ns=max(lengths),
    )


def _between(runs: tuple[RunLength, ...]) -> int:
    spans = sorted(
        (run.start_ns, run.start_ns + run.length_ns)
        for run in runs
        if run.start_ns is not None and run.length_ns is not None
    )
    idle, reached = 0, spans[0][0] if spans else 0
    for start, end in spans:
        idle += max(start - reached, 0)
        reached = max(reached, end)
    return idle


def _ranks(runs: tuple[RunLength, ...]) -> tuple[tuple[RankOrder, ...], int | None]:
    """How the ranks lie beside each other, and what is undecided between them."""
    spans: dict[int, tuple[int, int]] = {}
    slack: dict[int, int] = {}
    known = True
    for run in runs:
        if run.rank is None or run.start_ns is None or run.length_ns is None:
            continue
        start, end = spans.get(run.rank, (run.start_ns, run.start_ns))
        end = max(end, run.start_ns + run.length_ns)
        spans[run.rank] = min(start, run.start_ns), end
        slack[run.rank] = max(slack.get(run.rank, 0), run.slack_ns or 0)
        known &= run.slack_ns is not None
    if len(spans) < 2:
        return (), None
    widest = sorted(slack.values(), reverse=True)
    uncertainty = widest[0] + widest[1]
    first = min(start for start, _ in spans.values())
    earliest = min(end for _, end in spans.values())
    order = [
        RankOrder(rank, start - first, end - earliest, known and start - first > uncertainty)
        for rank, (start, end) in sorted(spans.items())
    ]
    return tuple(order), uncertainty if known else None


def answer(basis: Basis) -> RunRounds:
    """The analysis's function."""
    return rounds(basis.trace)
