"""Predicts published points with the model that `lanescope fit` uses: one bandwidth per link.

A link's bandwidth is fitted on the other points of the same link (leave one out), or is the one
measured beside the point. A link with one point and no measurement predicts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median

from validation.points import Point
from validation.rate import shared_rate, streamed_bytes, tokens_per_s

_SEARCH = (1e5, 1e13)
"""Bandwidths between which a link's is searched, bytes/s."""


@dataclass(frozen=True)
class Prediction:
    """A point, what the model says, and on which points its link was fitted."""

    point: Point
    predicted: float
    baseline: float
    """Weights that stream over the same bandwidth: no KV, no compute, no memory."""
    link_bytes_per_s: float
    fitted_on: tuple[str, ...]

    @property
    def error(self) -> float:
        return self.predicted / self.point.measured - 1

    @property
    def baseline_error(self) -> float:
        return self.baseline / self.point.measured - 1

    @property
    def log_ratio(self) -> float:
        """Of measured to predicted: what an interval around the prediction must hold."""
        return log(self.point.measured / self.predicted)


@dataclass(frozen=True)
class Excluded:
    """A point without a prediction, and why."""

    point: Point
    reason: str


def fit_link(points: Sequence[Point], contention: float = 0.0) -> float | None:
    """The one bandwidth of a link: the median of what each point by itself would need."""
    needed = [rate for point in points if (rate := _needed(point, contention)) is not None]
    return median(needed) if needed else None


def _needed(point: Point, contention: float) -> float | None:
    """The bandwidth with which the model meets the point; None where none does."""
    low, high = (log(bound) for bound in _SEARCH)
    if tokens_per_s(point, exp(high), contention) < point.measured or streamed_bytes(point) == 0:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        if tokens_per_s(point, exp(middle), contention) < point.measured:
            low = middle
        else:
            high = middle
    return exp(high)


def fit_contention(points: Sequence[Point], link_bytes_per_s: float) -> float:
    """How much each further link slows all down; the median over points with several links."""
    found = []
    for point in points:
        if point.links > 1:
            alone = tokens_per_s(point, link_bytes_per_s)
            found.append((alone / point.measured - 1) / (point.links - 1))
    return median(found) if found else 0.0


def predict(points: Sequence[Point], known: Sequence[Point] = ()) -> list[Prediction | Excluded]:
    """Each point from the others of its link; `known` points calibrate and are not predicted."""
    return [_predict(point, [*known, *points]) for point in points]


def calibrated(points: Sequence[Point]) -> list[Prediction]:
    """Each point with its link fitted on all of its runs, its own among them: not a prediction."""
    found = []
    for point in points:
        if _cannot(point) or point.links > 1:
            continue
        if point.measured_link and point.medium != "disk":
            found.append(_with(point, point.given_link_bytes_per_s or 0.0))
            continue
        runs = _distinct(p for p in points if p.link == point.link and p.links == 1)
        link = fit_link(runs)
        if len(runs) > 1 and link is not None:
            found.append(_with(point, link, fitted_on=tuple(p.id for p in runs)))
    return found


def _predict(point: Point, everyone: Sequence[Point]) -> Prediction | Excluded:
    given = point.given_link_bytes_per_s
    if reason := _cannot(point):
        return Excluded(point, reason)
    if point.family == "resident" and given is not None:
        return _with(point, given)
    if point.measured_link and point.medium != "disk" and given is not None:
        return _with(point, given)
    others = _distinct(p for p in everyone if p.link == point.link and p.run != point.run)
    single = [p for p in others if p.links == 1]
    link = fit_link(single)
    if link is None:
        return Excluded(point, _why_excluded(point, others))
    contention = fit_contention(others, link)
    fitted_on = single if point.links == 1 else others
    ids = tuple(p.id for p in fitted_on)
    return _with(point, link, contention=contention, fitted_on=ids)


def _distinct(points: Iterable[Point]) -> list[Point]:
    """One point per run: a run that several tables repeat counts once."""
    return list({point.run: point for point in points}.values())


def _cannot(point: Point) -> str | None:
    """What a point must say to be predicted at all."""
    if point.problem:
        return point.problem
    if point.weight_bytes == 0:
        return "it names no size of the weights"
    if point.family == "KV on host":
        return "it names no context, so the KV that crosses the link is not known"
    if point.family == "resident" and point.given_link_bytes_per_s is None:
        return "resident, and it names no bandwidth of its memory"
    return None


def _why_excluded(point: Point, others: Sequence[Point]) -> str:
    if others:
        return "no other run of its link has a bandwidth that meets it"
    given = f" ({point.given_link_source})" if point.given_link_source else ""
    return f"the only run of its link, and no measured bandwidth{given}: it would fit itself"


def _with(
    point: Point, link: float, *, contention: float = 0.0, fitted_on: tuple[str, ...] = ()
) -> Prediction:
    shared = shared_rate(link, links=point.links, contention=0.0)
    streamed = point.weight_bytes - point.resident_bytes or point.weight_bytes
    return Prediction(
        point,
        tokens_per_s(point, link, contention),
        point.batch * shared / streamed,
        link,
        fitted_on,
    )
