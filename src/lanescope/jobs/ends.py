"""Offset and drift of every clock from the ends of collectives.

All ranks end a collective at about the same moment: end = moment + offset + drift x time + noise.
The noise has a long tail, so distances count and not squares: least squares is repeated with
weights that make it so (iteratively reweighted), solved by conjugate gradients. No collective
needs to span all ranks; ranks that no chain of collectives joins are in different islands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.trace.table import Array

_ROUNDS = 12
_STEPS = 400
"""Conjugate gradients stop after so many steps, or when nothing moves any more."""
_EXACT_NS, _ROUGH_NS = 0.1, 10.0
"""Conjugate gradients stop when nothing moves by more: in the last round, and before it."""
_FLAT = 1e-11
"""A direction in which the ends change by less than this part of what they could tells nothing."""
_SEED = 20
_SAMPLES = 12
_SURE = 4.0
"""So many standard deviations are the statistical error."""


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Ends of collectives: one row per arrival."""

    collective: Array
    """0 … number of collectives - 1"""
    rank: Array
    """0 … number of ranks - 1"""
    end: Array
    """In ns, as float, on an axis on which the ranks lie roughly."""
    weight: Array
    """How much each counts: 1 / how far ends of this kind usually lie apart."""
    ranks: int

    @property
    def collectives(self) -> int:
        """Number of collectives."""
        return int(self.collective.max()) + 1 if len(self.collective) else 0


@dataclass(frozen=True, slots=True, eq=False)
class RankFit:
    """The clocks of all ranks: common = time - offset - drift x (time - offset - middle)."""

    offset: Array
    drift: Array
    """ns per ns"""
    middle: float
    error: Array
    """Statistical error of offset and drift together, at the worst moment of the span, in ns."""
    residual: Array
    """By arrival: how far the end lies from the middle of all ends of its collective."""
    moment: Array
    """By collective: that middle, on the common axis."""


def islands(ends: Ends) -> Array:
    """Number of the island of each rank; ranks that a chain of collectives joins share one."""
    island = np.arange(ends.ranks)
    while True:
        least = np.full(ends.collectives, ends.ranks)
        np.minimum.at(least, ends.collective, island[ends.rank])
        new = island.copy()
        np.minimum.at(new, ends.rank, least[ends.collective])
        new = new[new]
        if (new == island).all():
            return island
        island = new


def fit(ends: Ends, *, drift: bool) -> RankFit:
    """Find the clocks of all ranks, without their error; in every island the mean offset is 0.

    Args:
        ends: the ends of collectives.
        drift: whether clocks may drift, or only differ.
    """
    nothing = np.zeros(ends.ranks)
    if not len(ends.end):
        return RankFit(nothing, nothing, 0.0, nothing, np.zeros(0), np.zeros(0))
    island = islands(ends)
    solver = _Solver(ends, np.zeros(len(ends.end)), island)
    x = solver.robust(ends.end)
    moment = solver.moments(ends.end, x)
    middle = float((moment.min() + moment.max()) / 2)
    if drift:
        solver = _Solver(ends, moment[ends.collective] - middle, island)
        x = solver.robust(ends.end)
    residual, moment = solver.residual(ends.end, x), solver.moments(ends.end, x)
    return RankFit(x[:, 0], x[:, 1], middle, nothing, residual, moment)


def with_error(ends: Ends, found: RankFit, resolution: Array, *, drift: bool) -> RankFit:
    """The same clocks with their error; `resolution` is the step of each rank's clock in ns."""
    if not len(ends.end):
        return found
    time = found.moment[ends.collective] - found.middle if drift else np.zeros(len(ends.end))
    solver = _Solver(ends, time, islands(ends))
    return replace(found, error=_chance(solver, found.residual) + resolution / 2)


class _Solver:
    """Weighted least squares over ranks and collectives, without building a matrix."""

    def __init__(self, ends: Ends, time: Array, island: Array) -> None:
        """`time` is the moment of each arrival's collective; all 0 where clocks cannot drift."""
        self._k, self._r, self._n = ends.collective, ends.rank, ends.ranks
        self._count = ends.collectives
        self._trust, self._island = ends.weight, island
        self._scale = max(float(np.abs(time).max()), 1.0)
        self._time = time / self._scale
        self.span = float(self._time.min()), float(self._time.max())

    def robust(self, end: Array) -> Array:
        """Offsets and drifts (per ns) that make the sum of the distances small."""
        x = np.zeros((self._n, 2))
        weight = self._trust
        for step in range(_ROUNDS):
            x = self._solve(end, weight, x, _EXACT_NS if step == _ROUNDS - 1 else _ROUGH_NS)
            distance = np.abs(self._left(end, x, weight))
            floor = max(float(np.median(distance)) * (0.5 if step < _ROUNDS // 2 else 0.1), 1.0)
            weight = self._trust / np.maximum(distance, floor)
        return self._gauged(x)

    def plain(self, end: Array, weight: Array) -> Array:
        """Offsets and drifts by least squares with these weights."""
        return self._gauged(self._solve(end, weight, np.zeros((self._n, 2)), _ROUGH_NS))

    def residual(self, end: Array, x: Array) -> Array:
        """How far each end lies from the median of the ends of its collective."""
        result: Array = self._common(end, x) - self.moments(end, x)[self._k]
        return result

    def moments(self, end: Array, x: Array) -> Array:
        """The moment of each collective: the median of its ends on the common axis."""
        common = self._common(end, x)
        order = np.lexsort((common, self._k))
        first = np.searchsorted(self._k[order], np.arange(self._count + 1))
        count = np.diff(first)
        low, high = first[:-1] + (count - 1) // 2, first[:-1] + count // 2
        result: Array = (common[order[low]] + common[order[high]]) / 2
        return result

    def at(self, x: Array, time: float) -> Array:
        """Offset of every rank at a moment (in units of the span)."""
        result: Array = x[:, 0] + x[:, 1] * self._scale * time
        return result

    def _gauged(self, x: Array) -> Array:
        """The mean of an island is 0: offset and drift."""
        count = np.bincount(self._island, minlength=self._n)[self._island]
        mean = np.stack(
            [
                np.bincount(self._island, weights=x[:, column], minlength=self._n)[self._island]
                for column in (0, 1)
            ],
            axis=1,
        )
        scaled: Array = x - mean / count[:, None]
        return scaled

    def _left(self, end: Array, x: Array, weight: Array) -> Array:
        """What offsets and drifts do not explain; the moment of a collective is their mean."""
        return self._centred(self._common(end, x), weight)

    def _common(self, end: Array, x: Array) -> Array:
        result: Array = end - x[self._r, 0] - x[self._r, 1] * self._scale * self._time
        return result

    def _centred(self, value: Array, weight: Array) -> Array:
        total = np.bincount(self._k, weights=weight, minlength=self._count)
        mean = np.bincount(self._k, weights=weight * value, minlength=self._count)
        result: Array = value - (mean / np.maximum(total, 1e-300))[self._k]
        return result

    def _back(self, value: Array) -> Array:
        """Sums over the arrivals of each rank: of the values, and of the values x time."""
        plain = np.bincount(self._r, weights=value, minlength=self._n)
        timed = np.bincount(self._r, weights=value * self._time, minlength=self._n)
        return np.stack([plain, timed], axis=1)

    def _solve(self, end: Array, weight: Array, x: Array, within_ns: float) -> Array:
        """Conjugate gradients on the normal equations, from x on."""
        x = x * (1.0, self._scale)
        reach = np.bincount(self._r, weights=weight, minlength=self._n)
        moved = np.bincount(self._r, weights=weight * self._time**2, minlength=self._n)
        own = np.stack([reach, moved], axis=1)
        own = np.maximum(own, 1e-12 * max(float(own.max()), 1e-300))

        def applied(vector: Array) -> Array:
            value = vector[self._r, 0] + vector[self._r, 1] * self._time
            return self._back(weight * self._centred(value, weight))

        rest = self._back(weight * self._centred(end, weight)) - applied(x)
        step = rest / own
        energy = float((rest * step).sum())
        for _ in range(_STEPS):
            turned = applied(step)
            curve = float((step * turned).sum())
            if curve <= _FLAT * float((step * step * own).sum()):
                break  # nothing tells these ranks apart in this direction
            move = energy / curve
            x = x + move * step
            rest = rest - move * turned
            if float(np.abs(move * step).max()) < within_ns:
                break
            new = rest / own
            gained = float((rest * new).sum())
            step = new + (gained / energy) * step
            energy = gained
        return x / (1.0, self._scale)


def _chance(solver: _Solver, residual: Array) -> Array:
    """How far the clocks would be off if the same noise had come in another order.

    The residuals, mixed, are laid on perfect ends; what the fit then says is wrong by chance alone.
    """
    random = np.random.default_rng(_SEED)
    scale = max(float(np.median(np.abs(residual))), 1.0)
    limit = np.clip(residual, -10 * scale, 10 * scale)
    weight = 1.0 / np.maximum(np.abs(residual), scale)
    squares: Array = np.zeros(1)
    for _ in range(_SAMPLES):
        noise = random.permutation(limit) * random.choice((-1.0, 1.0), len(limit))
        wrong = solver.plain(noise, weight)
        squares = squares + np.max([solver.at(wrong, time) ** 2 for time in solver.span], axis=0)
    result: Array = _SURE * np.sqrt(squares / _SAMPLES)
    return result
