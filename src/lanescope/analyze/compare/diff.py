"""Two sides, each of one run or several: what got slower, what faster, what is new or gone.

With several runs on both sides every measure is compared by Welch's interval over the runs. With
one run on a side only functions can be: by their single runs, which says nothing about how much
whole runs differ from each other. All comparisons together call identical sides different at most
at RATE.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.compare.measures import GROUPS, Key, Measures
from lanescope.analyze.compare.student import Compared, holm, welch
from lanescope.results import Result

RATE = 0.05
"""How often identical sides may be called different in anything."""
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Difference(Result):
    """One measure on both sides, ns; changes are relative to the base. `verdict` is slower,
    faster, same, unsure (there is no interval), new or gone."""

    group: str
    name: str
    base_ns: float | None
    new_ns: float | None
    change: float | None
    low: float | None
    high: float | None
    effect: float | None
    """Hedges' g; None where there is no interval or no spread."""
    p: float | None
    verdict: str
    base_runs: int | None = None
    """Of a function: how often it ran, on average."""
    new_runs: int | None = None


@dataclass(frozen=True, slots=True)
class Diff(Result):
    """Regressions first, largest in nanoseconds first, then what is not told apart, then gains."""

    base: tuple[str, ...]
    new: tuple[str, ...]
    rate: float
    rows: tuple[Difference, ...]

    def row(self, group: str, name: str) -> Difference | None:
        return next((r for r in self.rows if (r.group, r.name) == (group, name)), None)


def diff(base: Sequence[Measures], new: Sequence[Measures]) -> Diff:
    """Compare what both sides have; functions that only one has are new or gone."""
    keys = dict.fromkeys(key for one in (*base, *new) for key in one.values)
    rows = [_row(key, base, new) for key in keys]
    tested = [row for row in rows if row.p is not None]
    called = holm([row.p or 0.0 for row in tested], rate=RATE)
    different = {(r.group, r.name) for r, is_so in zip(tested, called, strict=True) if is_so}
    judged = [_judge(row, (row.group, row.name) in different) for row in rows]
    names = tuple(one.name for one in base), tuple(one.name for one in new)
    return Diff(*names, RATE, tuple(sorted(judged, key=_order)))


def _row(key: Key, base: Sequence[Measures], new: Sequence[Measures]) -> Difference:
    group, name = key
    sides = [[one.values.get(key) for one in side] for side in (base, new)]
    known = [[value for value in side if value is not None] for side in sides]
    # A reason or a phase that did not occur took no time; a function that did not run has none.
    if group != "function":
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
    if group == "function":
        counts = [[one.counts.get(name, 0) for one in side] for side in (base, new)]
        row = replace(row, base_runs=round(np.mean(counts[0])), new_runs=round(np.mean(counts[1])))
    compared = _compare(key, known, (base, new))
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
    if base is None or difference is None:
        return None
    if base == 0:
        return 0.0 if difference == 0 else None
    return difference / base


def _compare(
    key: Key, known: list[list[float]], sides: tuple[Sequence[Measures], Sequence[Measures]]
) -> Compared | None:
    if min(map(len, known)) >= _LEAST:
        return welch(known[0], known[1], confidence=1 - RATE)
    group, name = key
    if group != "function":
        return None
    samples = [np.concatenate([one.lengths.get(name, np.zeros(0)) for one in s]) for s in sides]
    if min(map(len, samples)) < _LEAST:
        return None
    return welch(samples[0], samples[1], confidence=1 - RATE)


def _judge(row: Difference, is_different: bool) -> Difference:
    if row.group == "function" and (row.base_ns is None or row.new_ns is None):
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
    grown = (row.new_ns or 0.0) - (row.base_ns or 0.0)
    size = grown if row.verdict == "faster" else -abs(grown)
    return _RANK[row.verdict], GROUPS.index(row.group), size
