"""Errors of a group of predictions, and intervals taken from the errors of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from statistics import median

from lanescope.model.fit.interval import spread

FAMILIES = {
    "weight streaming": "streaming",
    "weight streaming with KV": "streaming",
    "partial residency": "streaming",
    "block schedule": "streaming",
    "parallel links": "streaming",
    "layer streaming on an H200": "one H200",
    "other layers on an H200": "one H200",
    "resident layers on an H200": "one H200",
    "resident": "resident",
    "small memory": "small memory",
}
"""Group to the pool whose residuals give its intervals."""


@dataclass(frozen=True)
class Outcome:
    """One prediction beside its measurement, higher is better or worse as the unit says."""

    id: str
    group: str
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
    median_error: float
    baseline_median_error: float
    bias: float
    """Median of the signed errors: above 0, predictions are too high."""
    worst: Outcome
    covered: int


def scores(outcomes: Sequence[Outcome], pool: Sequence[Outcome]) -> list[GroupScore]:
    """One score per group, in order of first appearance; the pool's errors make the intervals."""
    groups = dict.fromkeys(outcome.group for outcome in outcomes)
    return [_score([one for one in outcomes if one.group == group], pool) for group in groups]


def _score(mine: Sequence[Outcome], pool: Sequence[Outcome]) -> GroupScore:
    return GroupScore(
        mine[0].group,
        len(mine),
        median(abs(outcome.error) for outcome in mine),
        median(abs(outcome.baseline_error) for outcome in mine),
        median(outcome.error for outcome in mine),
        max(mine, key=lambda outcome: abs(outcome.error)),
        sum(is_covered(outcome, pool) for outcome in mine),
    )


def is_covered(outcome: Outcome, pool: Sequence[Outcome]) -> bool:
    """Whether the interval made from the other runs holds the measurement."""
    low, high = interval(outcome, pool)
    return low <= exp(outcome.log_ratio) <= high


def interval(outcome: Outcome, pool: Sequence[Outcome]) -> tuple[float, float]:
    """Lowest and highest ratio of measured to predicted, from the other runs of its family."""
    family = family_of(outcome)
    runs = {
        other.run: other.log_ratio
        for other in pool
        if family_of(other) == family and other.run != outcome.run
    }
    return spread(list(runs.values()))


def family_of(outcome: Outcome) -> str:
    return FAMILIES.get(outcome.group, outcome.group)
