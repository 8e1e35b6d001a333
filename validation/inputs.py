"""A published point as the inputs of `lanescope fit`: a model in use, and a board.

Nothing here computes a time: the rates are those of `lanescope.model.fit.estimate`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lanescope.model.boards import load_board
from lanescope.model.fit.board import (
    MEMORY_EFFICIENCY,
    OPERATION_NS,
    BoardValue,
    FitBoard,
    fit_board,
)
from lanescope.model.fit.estimate import decode_step, prefill_step
from lanescope.model.fit.load import EXPERT_SKEW, Body, Load, residency_of
from lanescope.model.fit.scope import group_of, refusal
from lanescope.model.manifest.from_shape import activation_bytes, kv_bytes
from lanescope.model.manifest.manifest import Footprint
from lanescope.model.manifest.shape import Shape, shape_from_config
from validation.points import Point

_HERE = Path(__file__).parent
_ROOMY = 10**15
"""Bytes of a memory that the point does not name: it held what the point says it held."""


@dataclass(frozen=True)
class Known:
    """What other runs, or the point itself, tell of its links; None: not known."""

    link_bytes_per_s: float | None = None
    storage_bytes_per_s: float | None = None
    contention: float = 0.0
    """How much each further link slows all down."""
    expert_skew: float = EXPERT_SKEW
    on_chip_s: float | None = None
    """Seconds of a step with everything in memory."""


@cache
def shape_of(model: str) -> Shape | None:
    """The shape of the model with the longest name that stands in the text."""
    configs = tomllib.loads((_HERE / "models.toml").read_text())
    for name in sorted(configs, key=len, reverse=True):
        form = re.escape(name).replace(r"\-", r"[- _]?")
        if re.search(rf"(?<![A-Za-z0-9]){form}(?![A-Za-z0-9.])", model, re.IGNORECASE):
            return shape_from_config(configs[name])[0]
    return None


@cache
def device_board(device: str) -> FitBoard:
    """The board file of a device, ours or one of `devices/`."""
    file = _HERE / "devices" / f"{device}.yaml"
    return fit_board(load_board(file if file.is_file() else device), weight_bits=16)


def weight_bytes(point: Point) -> float:
    """The size that the point names, else that of the model's shape."""
    shape = shape_of(point.model)
    if point.weight_bytes > 0 or shape is None:
        return point.weight_bytes
    return shape.elements * point.weight_bits / 8


def load_of(point: Point, known: Known) -> Load:
    """The point's model as `fit` takes it."""
    shape, context = shape_of(point.model), point.context
    weights, batch = int(weight_bytes(point)), point.batch
    kv = working = 0
    if shape is not None:
        kv = kv_bytes(shape, context=context or 0, batch=batch)
        working = activation_bytes(shape, batch=batch)
    lengths = point.prompt_and_generated
    through_host = point.through_host and known.storage_bytes_per_s is not None
    disk = point.disk_weight_share if point.medium == "disk" else 1.0
    return Load(
        Footprint(weights, kv, working),
        shape,
        context=max(1, context or 1),
        batch=batch,
        prompt=None if lengths is None else lengths[0],
        layer_body=None if shape is not None else _unknown_body(point),
        active_share=point.active_share or 1.0,
        kept_weight_bytes=int(weights if point.caches_experts else point.resident_bytes),
        kv_host_share=point.kv_host_share if point.offloads_kv else 0.0,
        evicts=point.thrashes,
        expert_hits=point.expert_hits,
        expert_skew=known.expert_skew,
        from_storage=disk if through_host else 0.0,
        kv_from_storage=point.disk_kv and through_host,
    )


def _unknown_body(point: Point) -> Body | None:
    """A model without a known shape: its arithmetic follows from the size in its name."""
    match = re.search(r"(\d+(?:\.\d+)?)B\b", point.model)
    elements = float(match[1]) * 1e9 if match else point.weight_bytes * 8 / point.weight_bits
    return Body(0, elements * (point.active_share or 1.0), 0.0, 0.0) if elements else None


def board_of(point: Point, load: Load, known: Known) -> FitBoard:
    """The point's device as `fit` takes it, with the links that are known."""
    board = FitBoard(point.system, {})
    if point.device is not None:
        board = device_board(point.device)
    elif point.given_link_bytes_per_s is not None and point.family in ("resident", "KV on host"):
        value, low, high = MEMORY_EFFICIENCY
        board = board.with_value("memory_bytes_per_s", point.given_link_bytes_per_s)
        share = BoardValue("memory_efficiency", value, low, high, "assumed")
        board = replace(board, values={**board.values, "memory_efficiency": share})
        board = board.with_value("operation_overhead_ns", OPERATION_NS)
    board = board.with_value("capacity_bytes", _capacity(point, load))
    on_chip_s = 1 / point.full_speed if point.full_speed else known.on_chip_s
    if on_chip_s is not None and load.body is not None:
        board = FitBoard(board.name, {"capacity_bytes": board.values["capacity_bytes"]})
        board = board.with_value("flop_per_s", _step_flop(load) / on_chip_s)
    rates = {"storage_bytes_per_s": known.storage_bytes_per_s}
    if known.link_bytes_per_s is not None:
        rates["link_bytes_per_s"] = shared_rate(
            known.link_bytes_per_s, links=point.links, contention=known.contention
        )
    elif point.device is not None and "link_bytes_per_s" in board.values:
        kept = {k: v for k, v in board.values.items() if k != "link_bytes_per_s"}
        board = FitBoard(board.name, kept)
    for name, rate in rates.items():
        board = board if rate is None else board.with_value(name, rate)
    return board


def _step_flop(load: Load) -> float:
    from lanescope.model.fit.work import decode_work

    return decode_work(load, residency_of(load, _ROOMY)).flop


def _capacity(point: Point, load: Load) -> int:
    """Bytes of memory: those a limit names, where what the point keeps fits into them."""
    match = re.search(
        r"limit (\d+(?:\.\d+)?) ?G|(?<![\d.])(\d+) ?GB\b", f"{point.model} {point.system}"
    )
    if match is None:
        return _ROOMY
    named = int(float(match[1]) * 2**30 if match[1] else float(match[2]) * 1e9)
    kv = int(load.footprint.kv * (1 - load.kv_host_share))
    kept = min(load.kept_weight_bytes or 0, load.footprint.weight)
    return named if kept + kv + load.footprint.activation <= named else _ROOMY


def shared_rate(bytes_per_s: float, *, links: int, contention: float) -> float:
    """Bytes/s of several equal links at once; each further link slows all by `contention`."""
    return links * bytes_per_s / (1 + contention * (links - 1))


def refused(point: Point, known: Known) -> str | None:
    """Why `fit` gives no rate for the point; None where it does."""
    load = load_of(point, known)
    board = board_of(point, load, known)
    return refusal(load, board, residency_of(load, board.capacity_bytes))


def group(point: Point, known: Known) -> str:
    """The group that `fit` takes the point's interval from."""
    load = load_of(point, known)
    board = board_of(point, load, known)
    return group_of(load, residency_of(load, board.capacity_bytes))


def tokens_per_s(point: Point, known: Known) -> float:
    """`fit`'s rate for the point: of decoding, or of a whole run where lengths are named."""
    load = load_of(point, known)
    board = board_of(point, load, known)
    step = decode_step(load, board)
    decode = step.prefetched_s if point.overlaps else step.serial_s
    lengths = point.prompt_and_generated
    if lengths is None or not board.knows_compute:
        return point.batch / decode if decode > 0 else 0.0
    generated = lengths[1]
    first = prefill_step(load, board)
    prefill = first.prefetched_s if point.overlaps else first.serial_s
    return point.batch * generated / (prefill + (generated - 1) * decode)
