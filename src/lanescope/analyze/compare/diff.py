"""The difference between two sides, each of one or several runs: what got slower or faster, what is
new or gone.

Several runs on both sides: every measure is compared by Welch's interval over the runs. One run on
a side: only functions are compared, by the lengths of their runs, which says nothing about how much
whole runs vary. If the sides are identical, the probability that any measure is called different is
at most RATE.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.compare.measures import GROUPS, RUN_GROUPS, Key, Measures
from lanescope.analyze.compare.program_diff import ProgramDiff
from lanescope.analyze.compare.student import Compared, holm, welch
from lanescope.render.cells import many_text
from lanescope.results import Result
from lanescope.trace.table import Array

RATE = 0.05
"""Highest probability that identical sides are called different in any measure."""
_LEAST = 2
"""Least size of a sample that can be compared."""


@dataclass(frozen=True, slots=True)
class Difference(Result):
    """One measure on both sides."""

    group: str
    """Group of the measure, one of `measures.GROUPS`."""
    name: str
    base_ns: float | None
    """Mean of the base; None where it does not have the measure."""
    new_ns: float | None
    """Mean of the new side; None where it does not have the measure."""
    change: float | None
    """(new_ns - base_ns) / base_ns"""
    low: float | None
    """Lower end of the interval of `change`; None where it could not be compared."""
    high: float | None
    """Upper end of it."""
    effect: float | None
    """Hedges' g; None where there is no interval or it is infinite."""
    p: float | None
    """Probability that identical sides differ as much; None where there is no interval."""
    verdict: str
    """slower, faster, same, new, gone, or unsure where there is no interval"""
    base_runs: int | None = None
    """Of a function: how often it ran in one run of the base, on average."""
    new_runs: int | None = None
    """Of a function: how often it ran in one run of the new side, on average."""


@dataclass(frozen=True, slots=True)
class Diff(Result):
    """All measures of two sides, compared."""

    DERIVED = ("unrelated",)

    base: tuple[str, ...]
    """Names of the runs of the base."""
    new: tuple[str, ...]
    """Names of the runs of the new side."""
    rate: float
    """Highest probability that identical sides are called different in any measure."""
    rows: tuple[Difference, ...]
    """Slower first, then new or gone, unsure, same, faster; the largest difference in ns first.
    Empty where `program` compares."""
    program: ProgramDiff | None = None
    """The comparison of a prediction with an emulated run of the same program; else None."""

    @property
    def unrelated(self) -> bool:
        """Whether both sides ran functions, and none of them in common."""
        verdicts = {row.verdict for row in self.rows if row.group in RUN_GROUPS}
        return verdicts == {"new", "gone"}

    def row(self, group: str, name: str) -> Difference | None:
        """One measure by its group and name; None where no side has it."""
        return next((r for r in self.rows if (r.group, r.name) == (group, name)), None)

    def __repr__(self) -> str:
        if self.program is not None:
            return f"<Diff: {self.program!r}>"
        counts = Counter(row.verdict for row in self.rows)
        words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        sides = f"{many_text(len(self.base), 'run')} and {many_text(len(self.new), 'run')}"
        return f"<Diff of {sides}: {words or 'no measures'}>"


def diff(base: Sequence[Measures], new: Sequence[Measures]) -> Diff:
    """Compares every measure of the two sides. A function that one side lacks is new or gone."""
    keys = dict.fromkeys(key for one in (*base, *new) for key in one.values)
    rows = [_row(key, base, new) for key in keys]
    tested = [row for row in rows if row.p is not None]
    called = holm([row.p or 0.0 for row in tested], rate=RATE)
    different = {(r.group, r.name) for r, is_so in zip(tested, called, strict=True) if is_so}
    judged = [_judge(row, (row.group, row.name) in different) for row in rows]
    names = tuple(one.name for one in base), tuple(one.name for one in new)
    return Diff(*names, RATE, tuple(sorted(judged, key=_order)))


def _row(key: Key, base: Sequence[Measures], new: Sequence[Measures]) -> Difference:
    """One measure on both sides; its verdict is not final."""
    group, name = key
    sides = [[one.values.get(key) for one in side] for side in (base, new)]
    known = [[value for value in side if value is not None] for side in sides]
    # A reason or a phase that did not occur took no time; a function that did not run has none.
    if group not in RUN_GROUPS:
        known = [[value or 0.0 for value in side] for side in sides]
    means = [float(np.mean(values)) if values else None for values in known]
    row = Difference(
        group=group,
        name=name,
        base_ns=means[0],
        new_ns=means[1],
        change=_relative(means[0], None if None in means else _less(means[1], means[0])),
        low=None,
        high=None,
        effect=None,
        p=None,
        verdict="unsure",
    )
    if group in RUN_GROUPS:
        counts = [[one.counts.get(name, 0) for one in side] for side in (base, new)]
        row = replace(row, base_runs=round(np.mean(counts[0])), new_runs=round(np.mean(counts[1])))
    compared = _compare(known, _run_lengths(key, base, new))
    if compared is None or means[0] is None:
        return row
    return replace(
        row,
        low=_relative(means[0], compared.low),
        high=_relative(means[0], compared.high),
        effect=compared.effect if math.isfinite(compared.effect) else None,
        p=compared.p,
    )


def _less(left: float | None, right: float | None) -> float:
    assert left is not None and right is not None
    return left - right


def _relative(base: float | None, difference: float | None) -> float | None:
    """difference / base; None where one is not known or the base is 0."""
    if base is None or difference is None:
        return None
    if base == 0:
        return 0.0 if difference == 0 else None
    return difference / base


def _run_lengths(key: Key, base: Sequence[Measures], new: Sequence[Measures]) -> list[Array]:
    """Lengths of the runs of a function on both sides; none for a measure of another group."""
    group, name = key
    if group not in RUN_GROUPS:
        return []
    return [
        np.concatenate([one.lengths.get(name, np.zeros(0)) for one in side]) for side in (base, new)
    ]


def _compare(means: list[list[float]], lengths: list[Array]) -> Compared | None:
    """Compares the means of whole runs, or else the lengths of a function's runs.

    Both lists have a sample per side. None where neither has enough values on both sides.
    """
    for samples in (means, lengths):
        if samples and min(map(len, samples)) >= _LEAST:
            return welch(samples[0], samples[1], confidence=1 - RATE)
    return None


def _judge(row: Difference, is_different: bool) -> Difference:
    """The row with its verdict; `is_different` says what the comparison of all rows says of it."""
    if row.group in RUN_GROUPS and (row.base_ns is None or row.new_ns is None):
        return replace(row, verdict="new" if row.base_ns is None else "gone")
    if row.p is None:
        same = row.base_ns == row.new_ns
        return replace(row, verdict="same" if same else "unsure")
    if not is_different:
        return replace(row, verdict="same")
    assert row.base_ns is not None and row.new_ns is not None
    return replace(row, verdict="slower" if row.new_ns > row.base_ns else "faster")


_RANK = {"slower": 0, "new": 1, "gone": 1, "unsure": 2, "same": 3, "faster": 4}


def _order(row: Difference) -> tuple[int, int, float]:
    """Sorts by verdict, then group, then the largest difference in ns first."""
    grown = (row.new_ns or 0.0) - (row.base_ns or 0.0)
    size = grown if row.verdict == "faster" else -abs(grown)
    return _RANK[row.verdict], GROUPS.index(row.group), size
