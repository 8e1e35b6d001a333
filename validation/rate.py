"""The rate of a published point for a given bandwidth of its link: the steps that `fit` uses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from lanescope.model.fit.board import FLOP_EFFICIENCY
from lanescope.model.fit.step import Rates, Work, step_time
from validation.points import Point

MACHINES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "machines.toml").read_text())
_KV_ELEMENT_BYTES = 2


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


def shared_rate(bytes_per_s: float, *, links: int, contention: float) -> float:
    """Bytes/s of several equal links at once; each further link slows all by `contention`."""
    return links * bytes_per_s / (1 + contention * (links - 1))


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
    streamed, link_kv = streamed_bytes(point), offloaded
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
    streamed = streamed_bytes(point) * (point.disk_weight_share or 1.0)
    resident = min(point.resident_bytes, point.weight_bytes)
    return Work(streamed, resident, flop, **_layers(point))


def _layers(point: Point) -> dict[str, Any]:
    shape = _shape(point)
    if shape is None:
        return {}
    share = min(1.0, point.resident_bytes / point.weight_bytes)
    return {"layers": int(shape["layers"]), "resident_share": share}


def streamed_bytes(point: Point) -> float:
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
