"""Tokens per second and time to the first token of a model on a machine, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lanescope.model.fit.interval import published_spread
from lanescope.model.fit.load import Load, Residency, decode_work, place, prefill_work
from lanescope.model.fit.machine import Machine
from lanescope.model.fit.step import StepTime, step_time


class Range(NamedTuple):
    """An estimate and the interval around it."""

    low: float
    estimate: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """A model on a machine; rates are None where it cannot run."""

    residency: Residency
    decode: StepTime
    prefill: StepTime
    tokens_per_s: Range | None
    serial_tokens_per_s: float | None
    first_token_s: Range | None
    serial_first_token_s: float | None
    pool: str
    """Which published points the interval comes from."""
    pool_points: int


def estimate(load: Load, machine: Machine) -> Estimate:
    """The estimate is with prefetch; the interval also holds the time without."""
    residency = place(load.footprint, machine.capacity_bytes)
    decode, prefill = steps(load, machine)
    pool = "streaming" if residency.streamed_bytes > 0 else "resident"
    low, high, count = published_spread(pool)
    runs = runnable(residency, machine) and decode.overlapped_s > 0
    rate = load.batch / decode.overlapped_s if runs else None
    serial = load.batch / decode.serial_s if runs else None
    return Estimate(
        residency,
        decode,
        prefill,
        None if rate is None else _rate_range(load, machine, rate, spread=(low, high)),
        serial,
        None if not runs else _first_range(load, machine, prefill, spread=(low, high)),
        prefill.serial_s if runs else None,
        pool,
        count,
    )


def runnable(residency: Residency, machine: Machine) -> bool:
    """Everything is resident, or there is a link to stream the rest over."""
    return residency.streamed_bytes == 0 or "link_bytes_per_s" in machine.values


def steps(load: Load, machine: Machine) -> tuple[StepTime, StepTime]:
    """One decode step, and the prefill."""
    residency = place(load.footprint, machine.capacity_bytes)
    rates = machine.rates()
    decode = step_time(decode_work(load, residency), rates)
    return decode, step_time(prefill_work(load, residency), rates)


def tokens_per_s(load: Load, machine: Machine) -> float:
    """With prefetch; 0 where it cannot run."""
    residency = place(load.footprint, machine.capacity_bytes)
    decode, _ = steps(load, machine)
    runs = runnable(residency, machine) and decode.overlapped_s > 0
    return load.batch / decode.overlapped_s if runs else 0.0


def _rate_range(load: Load, machine: Machine, rate: float, *, spread: tuple[float, float]) -> Range:
    slow, _ = steps(load, worst(machine))
    fast, _ = steps(load, best(machine))
    low = min(load.batch / slow.overlapped_s * spread[0], load.batch / slow.serial_s)
    return Range(low, rate, load.batch / fast.overlapped_s * spread[1])


def _first_range(
    load: Load, machine: Machine, prefill: StepTime, *, spread: tuple[float, float]
) -> Range:
    _, slow = steps(load, worst(machine))
    _, fast = steps(load, best(machine))
    high = max(slow.overlapped_s / spread[0], slow.serial_s)
    return Range(fast.overlapped_s / spread[1], prefill.overlapped_s, high)


def worst(machine: Machine) -> Machine:
    """Every value at the end that makes it slower; a longer start is slower."""
    return _ends(machine, "low", "high")


def best(machine: Machine) -> Machine:
    return _ends(machine, "high", "low")


def _ends(machine: Machine, rates_end: str, start_end: str) -> Machine:
    found = machine.at(rates_end)
    if "operation_overhead_ns" in machine.values:
        start = getattr(machine.values["operation_overhead_ns"], start_end)
        found = found.with_value("operation_overhead_ns", start)
    return found
