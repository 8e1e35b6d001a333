"""A board as a fit sees it: a few values, each with its range, and the rates that follow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lanescope.model.boards import Board
from lanescope.model.boards.board import Compute
from lanescope.model.fit.step import Rates

if TYPE_CHECKING:
    from lanescope.model.fit.compute import ComputeRate

MEMORY_EFFICIENCY = (0.886, 0.6, 0.9)
"""Share of the memory's peak that a board reaches which states none, and its range. Assumed: what
a copy reached on an H200."""
FLOP_EFFICIENCY = (0.6, 0.33, 0.8)
"""Share of the peak that matrix products reach on a board which states none, and its range.
Assumed: between a T4 (0.33, FlexGen's own fit) and an H200 (0.8, measured)."""
OPERATION_NS = 3000
"""What an operation costs on a board with a peak rate which states no time: NVIDIA's constant of
aiconfigurator, assumed elsewhere."""
_NARROW_BITS = 9
"""Weights of at most so many bits are multiplied at the board's rate for fp8."""


class BoardValue(NamedTuple):
    """One value of a board, its range, and who says so."""

    name: str
    value: float
    low: float
    high: float
    basis: str

    @property
    def has_range(self) -> bool:
        """Whether somebody stated a range for the value."""
        return self.low < self.high


@dataclass(frozen=True)
class FitBoard:
    """The values of a board that a fit depends on; a value that is not known is absent."""

    name: str
    values: dict[str, BoardValue]
    peaks: dict[str, float] = field(default_factory=dict)
    """What no program can exceed, by the name of the value; where nobody states it, absent."""
    compute_source: str = ""
    """Where the arithmetic rate comes from, a sentence; empty where there is none."""

    @property
    def capacity_bytes(self) -> int:
        """Bytes of memory beside the chip."""
        return max(1, int(self.values["capacity_bytes"].value))

    @property
    def knows_compute(self) -> bool:
        """Whether an arithmetic rate is known: without one there is no prefill."""
        return "flop_per_s" in self.values

    def prefill_rates(self) -> Rates:
        """The rates that a prefill is charged with: large matrix products."""
        return self._rates("flop_per_s")

    def decode_rates(self) -> Rates:
        """The rates that a decode step is charged with: products with few rows."""
        name = "decode_flop_per_s"
        return self._rates(name if name in self.values else "flop_per_s")

    def _rates(self, flop: str) -> Rates:
        memory = self._reached("memory_bytes_per_s", "memory_efficiency")
        runs_operations = "operation_overhead_ns" in self.values
        return Rates(
            self._get("link_bytes_per_s"),
            memory,
            self._reached(flop, "flop_efficiency"),
            (self._get("operation_overhead_ns") or 0.0) * 1e-9,
            (self._get("operation_start_ns") or 0.0) * 1e-9,
            self._get("storage_bytes_per_s"),
            memory if runs_operations else None,
        )

    def _reached(self, rate: str, efficiency: str) -> float | None:
        peak, share = self._get(rate), self._get(efficiency)
        return None if peak is None else peak * (1.0 if share is None else share)

    def _get(self, name: str) -> float | None:
        given = self.values.get(name)
        return None if given is None else given.value

    def with_value(self, name: str, value: float) -> FitBoard:
        """The same board with one value changed, or added as given."""
        known = self.values.get(name, BoardValue(name, value, value, value, "given"))
        return replace(self, values={**self.values, name: known._replace(value=value)})

    def at_peaks(self) -> FitBoard:
        """The same board at what no program can exceed, and operations that cost nothing."""
        values = {
            name: value._replace(value=self.peaks.get(name, value.high))
            for name, value in self.values.items()
            if not name.endswith(("_efficiency", "_ns"))
        }
        return replace(self, values=values)

    def at(self, end: str) -> FitBoard:
        """The same board with every value at the `low` or `high` end of its range."""
        values = {name: v._replace(value=getattr(v, end)) for name, v in self.values.items()}
        return replace(self, values=values)


def fit_board(
    board: Board,
    *,
    weight_bits: float | None,
    capacity_bytes: int | None = None,
    link_bytes_per_s: int | None = None,
    storage_bytes_per_s: int | None = None,
    flop_per_s: int | None = None,
    core: ComputeRate | None = None,
) -> FitBoard:
    """Take from a board what a fit needs; a figure given here replaces the board's.

    A given `flop_per_s` is what the board reaches, so its efficiency is 1. Without it the rate is
    the board's stated peak, or what its `core` reaches by a schedule.
    """
    memory, link, compute = board.memory, board.host_link, board.compute
    values: dict[str, BoardValue] = {}
    _take(values, "capacity_bytes", memory.capacity_bytes, override=capacity_bytes)
    if memory.effective_bytes_per_s is not None:
        _take(values, "memory_bytes_per_s", memory.effective_bytes_per_s)
    else:
        _take(values, "memory_bytes_per_s", memory.peak_bytes_per_s)
        _assume(values, "memory_efficiency", MEMORY_EFFICIENCY)
    if link is not None or link_bytes_per_s is not None:
        given = link and (link.effective_bytes_per_s or link.theoretical_bytes_per_s)
        _take(values, "link_bytes_per_s", given, override=link_bytes_per_s)
    _take(values, "storage_bytes_per_s", None, override=storage_bytes_per_s)
    source = ""
    if flop_per_s is not None:
        _take(values, "flop_per_s", None, override=flop_per_s)
        source = "given"
    elif compute is not None:
        source = _take_compute(values, compute, weight_bits)
    elif core is not None:
        source = _take_core(values, core)
    if compute is not None:
        if compute.operation_overhead_ns is None:
            _assume(values, "operation_overhead_ns", (OPERATION_NS, 0.0, 2.0 * OPERATION_NS))
        else:
            _take(values, "operation_overhead_ns", compute.operation_overhead_ns)
    peaks = {"memory_bytes_per_s": float(memory.peak_bytes_per_s.value)}
    if link_bytes_per_s is None and link is not None and link.theoretical_bytes_per_s is not None:
        peaks["link_bytes_per_s"] = float(link.theoretical_bytes_per_s.value)
    return FitBoard(board.name, values, peaks, source)


def _take_compute(
    values: dict[str, BoardValue], compute: Compute, weight_bits: float | None
) -> str:
    """Add the peak rate for weights of that width, and the share of it that is reached."""
    narrow = weight_bits is not None and weight_bits <= _NARROW_BITS
    peak = (compute.fp8_flop_per_s if narrow else None) or compute.bf16_flop_per_s
    peak = peak or compute.fp16_flop_per_s
    if peak is None:
        return ""
    _take(values, "flop_per_s", peak)
    if compute.efficiency is None:
        _assume(values, "flop_efficiency", FLOP_EFFICIENCY)
    else:
        _take(values, "flop_efficiency", compute.efficiency)
    share = values["flop_efficiency"]
    return f"{share.value:.0%} ({share.basis}) of the board's peak ({peak.basis})"


def _take_core(values: dict[str, BoardValue], core: ComputeRate) -> str:
    """Add what a schedule reaches on the board's core, prefill and decode apart."""
    prefill = (core.prefill_flop_per_s, core.prefill_low, core.prefill_high)
    decode = (core.decode_flop_per_s, core.decode_low, core.decode_high)
    values["flop_per_s"] = BoardValue("flop_per_s", *prefill, "predicted")
    values["decode_flop_per_s"] = BoardValue("decode_flop_per_s", *decode, "predicted")
    return core.source


def _assume(values: dict[str, BoardValue], name: str, assumed: tuple[float, float, float]) -> None:
    values[name] = BoardValue(name, *assumed, "assumed")


def _take(
    values: dict[str, BoardValue], name: str, given: Any, *, override: int | None = None
) -> None:
    """Add one value: the override without a range, else the board's with its range."""
    if override is not None:
        values[name] = BoardValue(name, override, override, override, "given")
    elif given is not None:
        low = given.value if given.low is None else given.low
        high = given.value if given.high is None else given.high
        values[name] = BoardValue(name, given.value, low, high, given.basis)
