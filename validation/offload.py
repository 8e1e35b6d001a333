"""Predicts published points with the model that `lanescope fit` uses: one bandwidth per link.

A link's bandwidth is fitted on the other points of the same link (leave one out), or is the one
measured beside the point. A link with one point and no measurement predicts nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

from lanescope.model.fit.machine import FLOP_EFFICIENCY
from lanescope.model.fit.step import Rates, Work, shared_rate, step_time
from validation.points import Point

MACHINES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "machines.toml").read_text())
_KV_ELEMENT_BYTES = 2
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


def tokens_per_s(point: Point, link_bytes_per_s: float, contention: float = 0.0) -> float:
    """The model's rate for a point with that bandwidth per link."""
    rate = shared_rate(link_bytes_per_s, links=point.links, contention=contention)
    rates = _rates(point, rate)
    decode = _seconds(point, _decode(point), rates)
    if point.full_speed is not None:
        return point.batch / (decode + 1 / point.full_speed)
    lengths = point.prompt_and_generated
    if lengths is None:
        return point.batch / decode
    prompt, generated = lengths
    prefill = _seconds(point, _prefill(point, prompt), rates)
    return point.batch * generated / (prefill + (generated - 1) * decode)


def _seconds(point: Point, work: Work, rates: Rates) -> float:
    time = step_time(work, rates)
    return time.overlapped_s if point.overlaps else time.serial_s


def _rates(point: Point, link_bytes_per_s: float) -> Rates:
    device = MACHINES["devices"].get(point.device)
    assumed = MACHINES["assumed"]
    if device is None:
        memory = point.memory_bytes_per_s
        share = 1.0 if point.measured_link else assumed["memory_efficiency"]["value"]
        return Rates(link_bytes_per_s, None if memory is None else memory * share)
    flop = device.get("flop_per_s", device["peak_flop_per_s"] * FLOP_EFFICIENCY)
    memory = device["memory_bytes_per_s"] * assumed["memory_efficiency"]["value"]
    return Rates(link_bytes_per_s, memory, flop)


def _decode(point: Point) -> Work:
    """One token for every sequence: weights that are not resident, KV that is not."""
    shape = _shape(point)
    lengths = point.prompt_and_generated
    context = 0.0 if lengths is None else lengths[0] + lengths[1] / 2
    kv = _kv_bytes(point, context)
    offloaded = kv if point.offloads_kv and point.resident_bytes < point.weight_bytes else 0.0
    streamed, link_kv = _streamed(point), offloaded
    if point.disk_weight_share > 0:
        streamed *= point.disk_weight_share
        link_kv = offloaded if point.disk_kv else 0.0
    return Work(
        link_bytes=streamed + link_kv,
        memory_bytes=min(point.resident_bytes, point.weight_bytes) + kv - offloaded,
        flop=2.0 * _params(point) * point.batch + _attention(shape, context) * point.batch,
        **_layers(point),
    )


def _prefill(point: Point, prompt: int) -> Work:
    """The prompt of every sequence: weights once, arithmetic for all tokens."""
    tokens = prompt * point.batch
    flop = 2.0 * _params(point) * tokens + _attention(_shape(point), prompt / 2) * tokens
    streamed = _streamed(point) * (point.disk_weight_share or 1.0)
    resident = min(point.resident_bytes, point.weight_bytes)
    return Work(streamed, resident, flop, **_layers(point))


def _layers(point: Point) -> dict[str, Any]:
    shape = _shape(point)
    if shape is None:
        return {}
    share = min(1.0, point.resident_bytes / point.weight_bytes)
    return {"layers": int(shape["layers"]), "resident_share": share}


def _streamed(point: Point) -> float:
    """Weight bytes per step that come over the link."""
    missing = max(0.0, point.weight_bytes - point.resident_bytes)
    if missing and point.thrashes:
        return point.weight_bytes
    return missing * point.active_share


def _shape(point: Point) -> dict[str, float] | None:
    names = sorted(MACHINES["models"], key=len, reverse=True)
    name = next((name for name in names if point.model.lower().startswith(name.lower())), None)
    return None if name is None else MACHINES["models"][name]


def _params(point: Point) -> float:
    shape = _shape(point)
    if shape is not None:
        return shape["params"]
    match = re.search(r"(\d+(?:\.\d+)?)B\b", point.model)
    total = float(match[1]) * 1e9 if match else point.weight_bytes * 8 / point.weight_bits
    return total * point.active_share


def _kv_bytes(point: Point, context: float) -> float:
    shape = _shape(point)
    if shape is None:
        return 0.0
    per_token = 2 * shape["layers"] * shape["kv_heads"] * shape["head_dim"] * _KV_ELEMENT_BYTES
    compressed = point.software == "FlexGen" and point.weight_bits < 8
    return per_token * context * point.batch * (point.weight_bits / 16 if compressed else 1.0)


def _attention(shape: dict[str, float] | None, context: float) -> float:
    """Flop per token over the context."""
    if shape is None:
        return 0.0
    return 4.0 * shape["layers"] * shape["heads"] * shape["head_dim"] * context


def fit_link(points: Sequence[Point], contention: float = 0.0) -> float | None:
    """The one bandwidth of a link: the median of what each point by itself would need."""
    needed = [rate for point in points if (rate := _needed(point, contention)) is not None]
    return median(needed) if needed else None


def _needed(point: Point, contention: float) -> float | None:
    """The bandwidth with which the model meets the point; None where none does."""
    low, high = (log(bound) for bound in _SEARCH)
    if tokens_per_s(point, exp(high), contention) < point.measured or _streamed(point) == 0:
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
