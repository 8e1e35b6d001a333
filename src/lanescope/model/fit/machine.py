"""What `fit` takes from a board: each value with its range, and the rates they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from lanescope.model.boards import Board
from lanescope.model.fit.step import Rates

FLOP_EFFICIENCY = 0.5
"""Share of the peak that long matrix products reach; assumed, 0.3 to 0.7."""
_EFFICIENCY_RANGE = (0.3, 0.7)


class Value(NamedTuple):
    """One number of the machine, what it may be, and who says so."""

    name: str
    value: float
    low: float
    high: float
    basis: str

    @property
    def has_range(self) -> bool:
        return self.low < self.high


@dataclass(frozen=True)
class Machine:
    """The values that a fit depends on; absent ones are not known."""

    board: str
    values: dict[str, Value]

    @property
    def capacity_bytes(self) -> int:
        return int(self.values["capacity_bytes"].value)

    def rates(self) -> Rates:
        flop = self._get("flop_per_s")
        share = self._get("flop_efficiency")
        return Rates(
            self._get("link_bytes_per_s"),
            self._get("memory_bytes_per_s"),
            None if flop is None or share is None else flop * share,
            (self._get("operation_overhead_ns") or 0.0) * 1e-9,
        )

    def _get(self, name: str) -> float | None:
        found = self.values.get(name)
        return None if found is None else found.value

    def with_value(self, name: str, value: float) -> Machine:
        """The same machine with one other number."""
        changed = self.values[name]._replace(value=value)
        return replace(self, values={**self.values, name: changed})

    def at(self, end: str) -> Machine:
        """Every value at its `low` or `high` end."""
        values = {name: v._replace(value=getattr(v, end)) for name, v in self.values.items()}
        return replace(self, values=values)


def machine_of(
    board: Board,
    *,
    weight_bits: float | None,
    capacity_bytes: int | None = None,
    link_bytes_per_s: int | None = None,
    flop_per_s: int | None = None,
) -> Machine:
    """The board's values; those given here go before them, without a range."""
    memory, link, compute = board.memory, board.host_link, board.compute
    found: dict[str, Value] = {}
    _take(found, "capacity_bytes", memory.capacity_bytes, override=capacity_bytes)
    reached = memory.effective_bytes_per_s or memory.peak_bytes_per_s
    _take(found, "memory_bytes_per_s", reached)
    if link is not None or link_bytes_per_s is not None:
        given = link and (link.effective_bytes_per_s or link.theoretical_bytes_per_s)
        _take(found, "link_bytes_per_s", given, override=link_bytes_per_s)
    if flop_per_s is not None:
        _take(found, "flop_per_s", None, override=flop_per_s)
        found["flop_efficiency"] = Value("flop_efficiency", 1.0, 1.0, 1.0, "given")
    elif compute is not None:
        narrow = weight_bits is not None and weight_bits <= 9
        peak = (compute.fp8_flop_per_s if narrow else None) or compute.bf16_flop_per_s
        _take(found, "flop_per_s", peak or compute.fp16_flop_per_s)
        _take(found, "operation_overhead_ns", compute.operation_overhead_ns)
        low, high = _EFFICIENCY_RANGE
        found["flop_efficiency"] = Value("flop_efficiency", FLOP_EFFICIENCY, low, high, "assumed")
    return Machine(board.name, found)


def _take(found: dict[str, Value], name: str, given: Any, *, override: int | None = None) -> None:
    if override is not None:
        found[name] = Value(name, override, override, override, "given")
    elif given is not None:
        low = given.value if given.low is None else given.low
        high = given.value if given.high is None else given.high
        found[name] = Value(name, given.value, low, high, given.basis)
