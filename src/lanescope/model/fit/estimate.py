"""Tokens per second and time to the first token of a model on a board, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.interval import published_spread
from lanescope.model.fit.load import Load, Residency, decode_work, place, prefill_work
from lanescope.model.fit.step import StepTime, step_time


class Interval(NamedTuple):
    """An estimate and the interval around it."""

    low: float
    estimate: float
    high: float


class IntervalSource(NamedTuple):
    """The published points whose errors give the interval."""

    pool: str
    """`streaming` or `resident`."""
    points: int


@dataclass(frozen=True)
class Estimate:
    """Rates of a model on a board. They are None where the model cannot run there."""

    residency: Residency
    decode: StepTime
    prefill: StepTime
    tokens_per_s: Interval | None
    serial_tokens_per_s: float | None
    """Tokens per second without prefetch."""
    first_token_s: Interval | None
    serial_first_token_s: float | None
    """Seconds to the first token without prefetch."""
    interval_from: IntervalSource


def estimate(load: Load, board: FitBoard) -> Estimate:
    """Estimate the rates with prefetch; the intervals also hold the rates without."""
    residency = place(load.footprint, board.capacity_bytes)
    decode, prefill = steps(load, board)
    pool = "streaming" if residency.streamed_bytes > 0 else "resident"
    low, high, count = published_spread(pool)
    runs = runnable(residency, board) and decode.overlapped_s > 0
    rate = load.batch / decode.overlapped_s if runs else None
    serial = load.batch / decode.serial_s if runs else None
    return Estimate(
        residency,
        decode,
        prefill,
        None if rate is None else _rate_interval(load, board, rate, spread=(low, high)),
        serial,
        None if not runs else _first_interval(load, board, prefill, spread=(low, high)),
        prefill.serial_s if runs else None,
        IntervalSource(pool, count),
    )


def runnable(residency: Residency, board: FitBoard) -> bool:
    """Whether everything is resident, or a link exists to stream the rest over."""
    return residency.streamed_bytes == 0 or "link_bytes_per_s" in board.values


def steps(load: Load, board: FitBoard) -> tuple[StepTime, StepTime]:
    """Times of one decode step, and of the prefill."""
    residency = place(load.footprint, board.capacity_bytes)
    rates = board.rates()
    decode = step_time(decode_work(load, residency), rates)
    return decode, step_time(prefill_work(load, residency), rates)


def tokens_per_s(load: Load, board: FitBoard) -> float:
    """Tokens per second of the whole batch, with prefetch; 0.0 where the model cannot run."""
    residency = place(load.footprint, board.capacity_bytes)
    decode, _ = steps(load, board)
    runs = runnable(residency, board) and decode.overlapped_s > 0
    return load.batch / decode.overlapped_s if runs else 0.0


def _rate_interval(
    load: Load, board: FitBoard, rate: float, *, spread: tuple[float, float]
) -> Interval:
    slow, _ = steps(load, worst(board))
    fast, _ = steps(load, best(board))
    low = min(load.batch / slow.overlapped_s * spread[0], load.batch / slow.serial_s)
    return Interval(low, rate, load.batch / fast.overlapped_s * spread[1])


def _first_interval(
    load: Load, board: FitBoard, prefill: StepTime, *, spread: tuple[float, float]
) -> Interval:
    _, slow = steps(load, worst(board))
    _, fast = steps(load, best(board))
    high = max(slow.overlapped_s / spread[0], slow.serial_s)
    return Interval(fast.overlapped_s / spread[1], prefill.overlapped_s, high)


def worst(board: FitBoard) -> FitBoard:
    """The board with every value at its slower end; for the start of an operation: the longer."""
    return _at_ends(board, "low", "high")


def best(board: FitBoard) -> FitBoard:
    """The board with every value at its faster end."""
    return _at_ends(board, "high", "low")


def _at_ends(board: FitBoard, rates_end: str, start_end: str) -> FitBoard:
    moved = board.at(rates_end)
    if "operation_overhead_ns" in board.values:
        start = getattr(board.values["operation_overhead_ns"], start_end)
        moved = moved.with_value("operation_overhead_ns", start)
    return moved
