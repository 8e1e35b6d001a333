"""Tokens per second and time to the first token of a model on a board, with intervals.

`python -m validation` scores these functions on published measurements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.interval import ErrorSpread, published_spread
from lanescope.model.fit.load import Load, Residency, residency_of
from lanescope.model.fit.scope import group_of, refusal
from lanescope.model.fit.step import StepTime, step_time
from lanescope.model.fit.work import decode_work, prefill_work
from lanescope.results import Result

_NO_COMPUTE = "no arithmetic rate is known: give --compute RATE, what the board reaches, like 8.9G"


class Interval(NamedTuple):
    """An estimate and the interval around it."""

    low: float
    estimate: float
    high: float


@dataclass(frozen=True)
class Decode(Result):
    """One token after the other: the rate of the whole batch."""

    tokens_per_s: Interval | None
    """With prefetch; None where the model refuses, or knows only a bound."""
    serial_tokens_per_s: float | None
    """Without prefetch."""
    most_tokens_per_s: float | None
    """An upper bound, where the arithmetic is not counted."""
    step: StepTime
    reason: str | None
    """Why there is no rate, or no more than a bound."""


@dataclass(frozen=True)
class Prefill(Result):
    """The prompts of all sequences, up to the first token."""

    first_token_s: Interval | None
    """With prefetch; None where the model refuses, or knows no arithmetic rate."""
    serial_first_token_s: float | None
    step: StepTime | None
    reason: str | None


@dataclass(frozen=True)
class Estimate:
    """Rates of a model on a board."""

    residency: Residency
    decode: Decode
    prefill: Prefill
    interval_from: ErrorSpread


def estimate(load: Load, board: FitBoard) -> Estimate:
    """Estimate the rates with prefetch; the intervals also hold the rates without.

    No interval reaches beyond what the board's stated peaks allow.
    """
    residency = residency_of(load, board.capacity_bytes)
    refused = refusal(load, board, residency)
    spread = published_spread(group_of(load, residency))
    return Estimate(
        residency,
        _decode(load, board, refused, spread=spread),
        _prefill(load, board, refused, spread=spread),
        spread,
    )


def _decode(load: Load, board: FitBoard, refused: str | None, *, spread: ErrorSpread) -> Decode:
    step = decode_step(load, board)
    if refused is not None or step.prefetched_s == 0:
        return Decode(None, None, None, step, refused or "nothing is known to take time")
    rate, serial = load.batch / step.prefetched_s, load.batch / step.serial_s
    if not counts_compute(load, board):
        return Decode(None, None, rate, step, _why_no_compute(load))
    fast = decode_step(load, best(board))
    # Experts that miss are the faster ones where the link is faster than the memory.
    slow = [decode_step(one, worst(board)) for one in (load, even(load))]
    low = min(
        load.batch / max(one.prefetched_s for one in slow) * spread.low,
        load.batch / max(one.serial_s for one in slow),
    )
    most = load.batch / decode_step(load, board.at_peaks()).prefetched_s
    high = min(load.batch / fast.prefetched_s * spread.high, max(rate, most))
    return Decode(Interval(low, rate, high), serial, None, step, None)


def _prefill(load: Load, board: FitBoard, refused: str | None, *, spread: ErrorSpread) -> Prefill:
    if refused is None and not counts_compute(load, board):
        refused = _why_no_compute(load)
    if refused is not None:
        return Prefill(None, None, None, refused)
    step = prefill_step(load, board)
    fast = prefill_step(load, best(board))
    slow = [prefill_step(one, worst(board)) for one in (load, even(load))]
    high = max(max(one.prefetched_s / spread.low, one.serial_s) for one in slow)
    least = min(step.prefetched_s, prefill_step(load, board.at_peaks()).prefetched_s)
    low = max(fast.prefetched_s / spread.high, least)
    first = Interval(low, step.prefetched_s, high)
    return Prefill(first, step.serial_s, step, None)


def counts_compute(load: Load, board: FitBoard) -> bool:
    """Whether arithmetic can be charged: the model's amount and the board's rate are known."""
    return board.knows_compute and load.body is not None


def _why_no_compute(load: Load) -> str:
    if load.body is None:
        return "the model's arithmetic is not known: put its config.json beside it, or --config"
    return _NO_COMPUTE


def decode_step(load: Load, board: FitBoard) -> StepTime:
    """Times of one decode step."""
    residency = residency_of(load, board.capacity_bytes)
    return step_time(decode_work(load, residency), board.decode_rates())


def prefill_step(load: Load, board: FitBoard) -> StepTime:
    """Times of the prefill."""
    residency = residency_of(load, board.capacity_bytes)
    return step_time(prefill_work(load, residency), board.prefill_rates())


def tokens_per_s(load: Load, board: FitBoard) -> float:
    """Tokens per second of the whole batch, with prefetch; 0.0 where the model refuses."""
    return rate_of(load, board, decode_step(load, board))


def rate_of(load: Load, board: FitBoard, step: StepTime) -> float:
    """Tokens per second of decode steps that take this long; 0.0 where the model refuses."""
    residency = residency_of(load, board.capacity_bytes)
    seconds = step.prefetched_s
    if seconds == 0 or refusal(load, board, residency) is not None:
        return 0.0
    return load.batch / seconds


def even(load: Load) -> Load:
    """The same model with experts that are used evenly: the most that can miss."""
    return replace(load, expert_skew=min(1.0, load.expert_skew))


def worst(board: FitBoard) -> FitBoard:
    """The board with every value at its slower end; for the start of an operation: the longer."""
    return _at_ends(board, "low", "high")


def best(board: FitBoard) -> FitBoard:
    """The board with every value at its faster end."""
    return _at_ends(board, "high", "low")


def _at_ends(board: FitBoard, rates_end: str, start_end: str) -> FitBoard:
    moved = board.at(rates_end)
    for name in ("operation_overhead_ns", "operation_start_ns"):
        if name in board.values:
            moved = moved.with_value(name, getattr(board.values[name], start_end))
    return moved
