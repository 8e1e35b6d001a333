"""A board as a fit sees it: a few values, each with its range, and the rates that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from lanescope.model.boards import Board
from lanescope.model.fit.step import Rates

FLOP_EFFICIENCY = 0.5
"""Share of the peak that long matrix products reach. Assumed, between 0.3 and 0.7."""
_EFFICIENCY_RANGE = (0.3, 0.7)
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

    @property
    def capacity_bytes(self) -> int:
        """Bytes of memory beside the chip."""
        return int(self.values["capacity_bytes"].value)

    def rates(self) -> Rates:
        """The rates that a step is charged with."""
        flop = self._get("flop_per_s")
        share = self._get("flop_efficiency")
        return Rates(
            self._get("link_bytes_per_s"),
            self._get("memory_bytes_per_s"),
            None if flop is None or share is None else flop * share,
            (self._get("operation_overhead_ns") or 0.0) * 1e-9,
        )

    def _get(self, name: str) -> float | None:
        given = self.values.get(name)
        return None if given is None else given.value

    def with_value(self, name: str, value: float) -> FitBoard:
        """The same board with one value changed."""
        changed = self.values[name]._replace(value=value)
        return replace(self, values={**self.values, name: changed})

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
    flop_per_s: int | None = None,
) -> FitBoard:
    """Take from a board what a fit needs; a figure given here replaces the board's.

    A given `flop_per_s` is what the board reaches, so its efficiency is 1.
    """
    memory, link, compute = board.memory, board.host_link, board.compute
    values: dict[str, BoardValue] = {}
    _take(values, "capacity_bytes", memory.capacity_bytes, override=capacity_bytes)
    reached = memory.effective_bytes_per_s or memory.peak_bytes_per_s
    _take(values, "memory_bytes_per_s", reached)
    if link is not None or link_bytes_per_s is not None:
        given = link and (link.effective_bytes_per_s or link.theoretical_bytes_per_s)
        _take(values, "link_bytes_per_s", given, override=link_bytes_per_s)
    if flop_per_s is not None:
        _take(values, "flop_per_s", None, override=flop_per_s)
        values["flop_efficiency"] = BoardValue("flop_efficiency", 1.0, 1.0, 1.0, "given")
    elif compute is not None:
        narrow = weight_bits is not None and weight_bits <= _NARROW_BITS
        peak = (compute.fp8_flop_per_s if narrow else None) or compute.bf16_flop_per_s
        _take(values, "flop_per_s", peak or compute.fp16_flop_per_s)
        _take(values, "operation_overhead_ns", compute.operation_overhead_ns)
        values["flop_efficiency"] = BoardValue(
            "flop_efficiency", FLOP_EFFICIENCY, *_EFFICIENCY_RANGE, "assumed"
        )
    return FitBoard(board.name, values)


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
