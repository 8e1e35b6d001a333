"""Errors of a group of predictions, and intervals taken from the errors of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from statistics import fmean

from lanescope.model.fit.interval import ErrorSpread, spread

MOST_MEAN_ERROR = 0.10
LEAST_COVERED, MOST_COVERED = 0.80, 0.95
LEAST_COVERED_IN_GROUP = 0.70


@dataclass(frozen=True)
class Outcome:
    """One prediction beside its measurement, higher is better or worse as the unit says."""

    id: str
    group: str
    """The group that it is shown in."""
    pool: str
    """The group whose errors give its interval: the one that `fit` takes."""
    predicted: float
    measured: float
    baseline: float
    log_ratio: float
    """Of measured to predicted rate."""
    run: tuple[object, ...]
    detail: str

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1

    @property
    def baseline_error(self) -> float:
        return self.baseline / self.measured - 1


@dataclass(frozen=True)
class GroupScore:
    """What a table row says about a group."""

    group: str
    points: int
    mean_error: float
    """Mean of the absolute errors."""
    baseline_mean_error: float
    bias: float
    """Mean of the signed errors: above 0, predictions are too high."""
    worst: Outcome
    covered: int

    def problems(self) -> list[str]:
        """What of the promises does not hold, a sentence each."""
        found = []
        if self.mean_error > MOST_MEAN_ERROR:
            found.append(f"{self.group}: mean error {self.mean_error:.1%}")
        if self.mean_error >= self.baseline_mean_error:
            found.append(
                f"{self.group}: mean error {self.mean_error:.1%}, bytes over bandwidth "
                f"{self.baseline_mean_error:.1%}"
            )
        if self.covered / self.points < LEAST_COVERED_IN_GROUP:
            found.append(f"{self.group}: intervals hold {self.covered} of {self.points}")
        return found


def scores(outcomes: Sequence[Outcome], pool: Sequence[Outcome]) -> list[GroupScore]:
    """One score per group, in order of first appearance; the pool's errors make the intervals."""
    groups = dict.fromkeys(outcome.group for outcome in outcomes)
    return [_score([one for one in outcomes if one.group == group], pool) for group in groups]


def _score(mine: Sequence[Outcome], pool: Sequence[Outcome]) -> GroupScore:
    return GroupScore(
        mine[0].group,
        len(mine),
        fmean(abs(outcome.error) for outcome in mine),
        fmean(abs(outcome.baseline_error) for outcome in mine),
        fmean(outcome.error for outcome in mine),
        max(mine, key=lambda outcome: abs(outcome.error)),
        sum(is_covered(outcome, pool) for outcome in mine),
    )


def is_covered(outcome: Outcome, pool: Sequence[Outcome]) -> bool:
    """Whether the interval made from the other runs holds the measurement."""
    found = interval(outcome, pool)
    return found.low <= exp(outcome.log_ratio) <= found.high


def interval(outcome: Outcome, pool: Sequence[Outcome]) -> ErrorSpread:
    """Lowest and highest ratio of measured to predicted, from the other runs: `fit`'s rule."""
    ratios: dict[str, dict[object, float]] = {}
    for other in pool:
        if other.run != outcome.run:
            ratios.setdefault(other.pool, {})[other.run] = other.log_ratio
    return spread(outcome.pool, {name: list(runs.values()) for name, runs in ratios.items()})
