"""Predicts published points: each from the other runs of its links, never from its own.

A link's bandwidth is the median of what the other runs of the link need, or is the one measured
beside the point. A link with one run and no measurement predicts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from statistics import median

from lanescope.model.fit.load import EXPERT_SKEW, residency_of
from lanescope.model.fit.work import decode_work
from validation.inputs import (
    Known,
    device_board,
    group,
    load_of,
    refused,
    shape_of,
    shared_rate,
    tokens_per_s,
    weight_bytes,
)
from validation.points import Point

_SEARCH = (1e5, 1e13)
"""Bandwidths between which a link's is searched, bytes/s."""
_SKEWS = [1 + step / 20 for step in range(81)]
"""Skews between which that of the experts is searched."""


@dataclass(frozen=True)
class Prediction:
    """A point, what the model says, and on which points its link was fitted."""

    point: Point
    predicted: float
    baseline: float
    """Bytes that stream over the bandwidth of the slower link: nothing else."""
    known: Known
    group: str
    fitted_on: tuple[str, ...]

    @property
    def error(self) -> float:
        return self.predicted / self.point.measured - 1

    @property
    def log_ratio(self) -> float:
        """Of measured to predicted: what an interval around the prediction must hold."""
        return log(self.point.measured / self.predicted)


@dataclass(frozen=True)
class Excluded:
    """A point without a prediction, and why."""

    point: Point
    reason: str


def predict(points: Sequence[Point], known: Sequence[Point] = ()) -> list[Prediction | Excluded]:
    """Each point from the others of its link; `known` points calibrate and are not predicted."""
    everyone = [point for point in [*known, *points] if _tells(point)]
    return [_predict(point, everyone) for point in points]


def _tells(point: Point) -> bool:
    """Whether a point may calibrate others: the model would give it a rate."""
    return cannot(point) is None and refused(point, Known(1e9, 1e9)) is None


def cannot(point: Point) -> str | None:
    """What a point must say to be predicted at all."""
    if point.problem:
        return point.problem
    if weight_bytes(point) == 0:
        return "it names no size of the weights, and its model's shape is not known"
    if point.is_mixture and shape_of(point.model) is None and point.active_share is None:
        return "a mixture of experts, and how many of them a token uses is not known"
    streams = point.resident_bytes < weight_bytes(point)
    if point.is_mixture and streams and not point.caches_experts and point.engine != " experts":
        return (
            "a mixture of experts that does not fit: which experts its software keeps is not told"
        )
    if "block schedule" in point.kind and point.is_packed and point.family != "resident":
        return (
            "packed weights in a block schedule: they are unpacked once per batch of the block, "
            "and it does not say how many batches"
        )
    if point.family == "resident" and point.device is None and not point.given_link_bytes_per_s:
        return "resident, and it names no bandwidth of its memory"
    if point.offloads_kv and point.context is None and point.family == "KV on host":
        return "the KV cache is on the host, and it names no context"
    if point.offloads_kv and shape_of(point.model) is None:
        return "the KV cache is on the host, and its model's shape is not known"
    return None


def _predict(point: Point, everyone: Sequence[Point]) -> Prediction | Excluded:
    if reason := cannot(point):
        return Excluded(point, reason)
    others = [other for other in everyone if other.run != point.run]
    known, fitted_on = _known(point, others)
    if known is None:
        return Excluded(point, _why_excluded(point, others))
    if reason := refused(point, known):
        return Excluded(point, reason)
    predicted = tokens_per_s(point, known)
    if predicted <= 0:
        return Excluded(point, "nothing of what it says takes time")
    ids = tuple(other.id for other in fitted_on)
    return Prediction(point, predicted, _baseline(point, known), known, group(point, known), ids)


def _known(point: Point, others: Sequence[Point]) -> tuple[Known | None, list[Point]]:
    """What is known of the point's links without the point, and the runs that told it."""
    given = point.given_link_bytes_per_s if point.measured_link else None
    if point.family in ("resident", "KV on host"):
        return Known(given or 1.0 if point.offloads_kv else None), []
    if point.caches_experts:
        return _line(point, others)
    skew = EXPERT_SKEW
    if point.engine == " experts":
        others = _relatives(point, others)
        skew = fit_skew(others)
    if point.through_host:
        return _chain(point, others)
    if given is not None:
        return Known(given), []
    same = _distinct(other for other in others if other.link == point.link)
    single = [other for other in same if other.links == 1]
    link = fit_rate(single, lambda rate: Known(rate, expert_skew=skew))
    if link is None:
        return None, []
    contention = fit_contention(same, Known(link))
    return Known(link, None, contention, skew), single if point.links == 1 else same


def _chain(point: Point, others: Sequence[Point]) -> tuple[Known | None, list[Point]]:
    """Storage to host, host to device: the link from the host's memory is another run's."""
    link, contention, tellers = _host_link(point, others)
    given = point.given_link_bytes_per_s if point.measured_link else None
    if given is not None and point.medium == "nvme" and link is not None:
        return Known(link, given, contention), tellers
    same = _distinct(other for other in others if other.link == point.link)
    single = [other for other in same if other.links == 1]
    if link is None:
        alone = fit_rate(single, lambda rate: Known(rate))
        return (None, []) if alone is None else (Known(alone), single)
    storage = fit_rate(same, lambda rate: Known(link, rate, contention))
    return (None, []) if storage is None else (Known(link, storage, contention), [*same, *tellers])


def _host_link(point: Point, others: Sequence[Point]) -> tuple[float | None, float, list[Point]]:
    """Bandwidth from the host's memory, contention of several, and the runs that told them."""
    if point.medium == "disk" and point.measured_link:
        return point.given_link_bytes_per_s, 0.0, []
    runs = _distinct(other for other in others if other.link == point.host_link)
    single = [other for other in runs if other.links == 1]
    link = fit_rate(single, lambda rate: Known(rate))
    if link is not None:
        return link, fit_contention(runs, Known(link)), runs
    if point.device is not None:
        value = device_board(point.device).values.get("link_bytes_per_s")
        return (None if value is None else value.value), 0.0, []
    return None, 0.0, []


def _relatives(point: Point, others: Sequence[Point]) -> list[Point]:
    """Other runs of the same family of models in a small memory."""
    return [
        other
        for other in others
        if other.engine == point.engine and other.model_family == point.model_family
    ]


def fit_rate(points: Sequence[Point], with_rate: Callable[[float], Known]) -> float | None:
    """One bandwidth for several points: the median of what each by itself would need."""
    needed = [rate for point in points if (rate := _needed(point, with_rate)) is not None]
    return median(needed) if needed else None


def _needed(point: Point, with_rate: Callable[[float], Known]) -> float | None:
    """The bandwidth with which the model meets the point; None where none does."""
    low, high = (log(bound) for bound in _SEARCH)
    fastest = tokens_per_s(point, with_rate(exp(high)))
    if fastest < point.measured or tokens_per_s(point, with_rate(exp(low))) > fastest * 0.999:
        return None
    for _ in range(50):
        middle = (low + high) / 2
        if tokens_per_s(point, with_rate(exp(middle))) < point.measured:
            low = middle
        else:
            high = middle
    return exp(high)


def fit_contention(points: Sequence[Point], known: Known) -> float:
    """How much each further link slows all down; the median over points with several links."""
    found = []
    for point in points:
        if point.links > 1:
            alone = tokens_per_s(point, known)
            found.append(max(0.0, (alone / point.measured - 1) / (point.links - 1)))
    return median(found) if found else 0.0


def fit_skew(points: Sequence[Point]) -> float:
    """The skew with which runs of several models on the same link need the same bandwidth."""
    limited = _distinct(point for point in points if point.engine == " experts")
    return _skew(tuple(limited))


@cache
def _skew(points: tuple[Point, ...]) -> float:
    links: dict[str, list[Point]] = {}
    for point in points:
        links.setdefault(point.link, []).append(point)
    several = [runs for runs in links.values() if len({run.model for run in runs}) > 1]
    if not several:
        return EXPERT_SKEW
    return min(_SKEWS, key=lambda skew: sum(_disagreement(runs, skew) for runs in several))


def _disagreement(runs: Sequence[Point], skew: float) -> float:
    """How far apart the bandwidths are that the runs need, as the logarithm of their ratio.

    A step takes the time with everything in memory, and the bytes of the experts that miss.
    """
    rates = []
    for run in runs:
        extra = run.batch / run.measured - 1 / (run.full_speed or 1.0)
        asked = _asked(run, skew)
        if extra <= 0 or asked <= 0:
            return 10.0
        rates.append(log(asked / extra))
    return max(rates) - min(rates)


def _line(point: Point, others: Sequence[Point]) -> tuple[Known | None, list[Point]]:
    """An expert cache on a machine nobody knows: time per step over bytes missed is a line."""
    same = _distinct(other for other in others if other.link == point.link)
    bytes_asked = [_asked(other) for other in same]
    times = [other.batch / other.measured for other in same]
    if len(set(bytes_asked)) < 2:
        return None, []
    middle_x, middle_y = sum(bytes_asked) / len(same), sum(times) / len(same)
    pairs = list(zip(bytes_asked, times, strict=True))
    slope = sum((x - middle_x) * (y - middle_y) for x, y in pairs)
    slope /= sum((x - middle_x) ** 2 for x in bytes_asked)
    base = middle_y - slope * middle_x
    if slope <= 0 or base <= 0:
        return None, []
    return Known(1 / slope, on_chip_s=base), same


def _asked(point: Point, skew: float = EXPERT_SKEW) -> float:
    """Bytes of missing experts that a step copies."""
    load = load_of(point, Known(expert_skew=skew))
    return decode_work(load, residency_of(load, 10**15)).asked_bytes


def _distinct(points: Iterable[Point]) -> list[Point]:
    """One point per run: a run that several tables repeat counts once."""
    return list({point.run: point for point in points}.values())


def _why_excluded(point: Point, others: Sequence[Point]) -> str:
    if point.engine == " experts" and not _relatives(point, others):
        return (
            "experts in a small memory, and no other run of this family of models: how unevenly "
            "its experts are used, and which its software keeps, is not known"
        )
    if any(other.link == point.link for other in others):
        return "the other runs of its link do not tell its bandwidth"
    given = f" ({point.given_link_source})" if point.given_link_source else ""
    return f"the only run of its link, and no measured bandwidth{given}: it would fit itself"


def _baseline(point: Point, known: Known) -> float:
    """Batch over the time of the bytes that stream, over the bandwidth of the slower link."""
    if known.link_bytes_per_s is None:
        rate = point.given_link_bytes_per_s or 1.0
        return point.batch * rate / weight_bytes(point)
    rate = shared_rate(known.link_bytes_per_s, links=point.links, contention=0.0)
    rate = min(rate, known.storage_bytes_per_s or rate)
    if point.caches_experts:
        return point.batch * rate / _asked(point)
    streamed = weight_bytes(point) - point.resident_bytes
    return point.batch * rate / (streamed if streamed > 0 else weight_bytes(point))
