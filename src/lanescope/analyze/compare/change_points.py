"""Where a series of values changes its height: steps up or down, and bumps that go back.

The values are compared by their ranks, so single outliers and the shape of the noise do not matter.
The stretch whose ranks differ most from the rest is a change if shuffled values rarely have one
that differs as much; then its parts are searched in the same way, each with its share of the
probability of error. Values are taken to be independent of each other: noise that drifts slowly is
itself a change.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.compare.student import Sample
from lanescope.results import Result
from lanescope.trace.table import Array

RATE = 0.03
"""Highest probability that values without a change are said to have one."""
LEAST = 3
"""Fewest values between two changes, or between a change and an end of the series."""
_SHUFFLES = 999
_SEED = 1
_ROUNDING = 1e-9
_MOST = 256
"""Longer series are searched by the medians of blocks, and changes then placed exactly."""


@dataclass(frozen=True, slots=True)
class ChangePoint(Result):
    """A place at which the series is higher or lower from then on."""

    index: int
    """Place of the first value behind the change."""
    before: float
    """Median of the values from the change before, or the first value, up to here."""
    after: float
    """Median of the values from here to the next change, or the last value."""

    DERIVED = ("change",)

    @property
    def change(self) -> float | None:
        """(after - before) / before; None where `before` is 0."""
        return (self.after - self.before) / abs(self.before) if self.before else None


def change_points(values: Sample, *, rate: float = RATE) -> tuple[ChangePoint, ...]:
    """The changes of a series, the first one first; the same values give the same changes.

    Args:
        values: The series in its order; none is NaN.
        rate: Highest probability that values without a change are said to have one.
    """
    series = np.asarray(values, np.float64)
    block = -(-len(series) // _MOST)
    coarse = _block_medians(series, block)
    random = np.random.default_rng(_SEED)
    rough = _kept(coarse, _placed(coarse, _cuts(coarse, rate, random), 1), rate, random)
    cuts = _placed(series, [cut * block for cut in rough], block)
    edges = [0, *cuts, len(series)]
    medians = [
        float(np.median(series[start:end]))
        for start, end in itertools.pairwise(edges)
        if end > start
    ]
    return tuple(
        ChangePoint(cut, before, after)
        for cut, before, after in zip(cuts, medians[:-1], medians[1:], strict=True)
    )


def _block_medians(series: Array, block: int) -> Array:
    if block <= 1:
        return series
    return np.array([np.median(series[at : at + block]) for at in range(0, len(series), block)])


def _cuts(series: Array, rate: float, random: np.random.Generator) -> list[int]:
    """Places of changes, by halving the series again and again; none is certain yet."""
    if not _has_change(series, rate, random):
        return []
    _, start, end = _highest(_ranks(series))
    cuts = [cut for cut in (start, end) if 0 < cut < len(series)]
    found = list(cuts)
    for first, last in zip([0, *cuts], [*cuts, len(series)], strict=True):
        share = rate * (last - first) / len(series)
        found += [first + cut for cut in _cuts(series[first:last], share, random)]
    return sorted(found)


def _has_change(series: Array, rate: float, random: np.random.Generator) -> bool:
    """Whether at most `rate` of all orders of the values have a stretch that differs as much."""
    if len(series) < 2 * LEAST:
        return False
    ranks = _ranks(series)
    if not ranks.any():
        return False
    height, _, _ = _highest(ranks)
    shuffled = random.permuted(np.tile(ranks, (_SHUFFLES, 1)), axis=1)
    as_high = int((_heights(shuffled) >= height - _ROUNDING).sum())
    return (as_high + 1) / (_SHUFFLES + 1) <= rate


def _ranks(series: Array) -> Array:
    """The ranks less their mean; equal values share one."""
    _, place, counts = np.unique(series, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2)[place] - (len(series) + 1) / 2
    return ranks


def _stretches(size: int) -> list[int]:
    """Lengths of the stretches that are compared with the rest."""
    return list(range(LEAST, size - LEAST + 1))


def _standing(sums: Array, length: int) -> Array:
    """Differences of stretches from the rest, in standard deviations; -1 where not allowed.

    `sums` has the sums of ranks up to each place; a stretch begins at 0 or leaves LEAST values
    before it, and so behind it.
    """
    size = sums.shape[-1] - 1
    difference = np.abs(sums[..., length:] - sums[..., : size + 1 - length])
    difference[..., 1:LEAST] = -1
    if size - length >= 1:
        difference[..., max(size - length - LEAST + 1, 1) : size - length] = -1
    result: Array = difference / math.sqrt(length * (size - length))
    return result


def _sums(ranks: Array) -> Array:
    shape = (*ranks.shape[:-1], 1)
    return np.concatenate([np.zeros(shape), np.cumsum(ranks, axis=-1)], axis=-1)


def _highest(ranks: Array) -> tuple[float, int, int]:
    """The stretch that differs most: by how much, its first place, and the one behind it."""
    sums, best = _sums(ranks), (-1.0, 0, 0)
    for length in _stretches(len(ranks)):
        standing = _standing(sums, length)
        start = int(standing.argmax())
        best = max(best, (float(standing[start]), start, start + length))
    return best


def _heights(ranks: Array) -> Array:
    """By row: how much the stretch that differs most does."""
    sums = _sums(ranks)
    heights = np.full(len(ranks), -1.0)
    for length in _stretches(ranks.shape[1]):
        np.maximum(heights, _standing(sums, length).max(axis=1), out=heights)
    return heights


def _placed(series: Array, cuts: list[int], reach: int) -> list[int]:
    """Each cut where its two neighbours differ most, at most `reach` and a few values away."""
    placed = sorted({cut for cut in cuts if LEAST <= cut <= len(series) - LEAST})
    for place, cut in enumerate(placed):
        first = placed[place - 1] if place else 0
        last = placed[place + 1] if place + 1 < len(placed) else len(series)
        near = range(
            max(first + LEAST, cut - reach - LEAST), min(last - LEAST, cut + reach + LEAST) + 1
        )
        if len(near):
            placed[place] = max(near, key=lambda at: _difference(series[first:last], at - first))
    return placed


def _kept(series: Array, cuts: list[int], rate: float, random: np.random.Generator) -> list[int]:
    """The cuts without those between whose neighbours there is no change, the least sure first.

    A first cut may lie in the middle of a stretch whose two ends are found later.
    """
    if len(cuts) < 2:
        return cuts
    edges = [0, *cuts, len(series)]
    spans = {cut: (edges[place], edges[place + 2]) for place, cut in enumerate(cuts)}
    sure = {cut: _difference(series[a:b], cut - a) for cut, (a, b) in spans.items()}
    for cut in sorted(cuts, key=lambda one: sure[one]):
        first, last = spans[cut]
        share = rate * (last - first) / len(series)
        if not _has_change(series[first:last], share, random):
            return _kept(series, [one for one in cuts if one != cut], rate, random)
    return cuts


def _difference(series: Array, cut: int) -> float:
    """The rank sum test between the values before and behind a cut, in standard deviations."""
    ranks = _ranks(series)
    spread = math.sqrt(float((ranks**2).sum()) / (len(series) - 1))
    if not spread:
        return 0.0
    scale = spread * math.sqrt(cut * (len(series) - cut) / len(series))
    return abs(float(ranks[:cut].sum())) / scale
