"""One step of a model on a board: what it moves and computes, and how long each resource takes.

Each byte is charged once: over the link if it is not resident, else from the memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.model.memory.pipeline import even_pass_s
from lanescope.results import Result


@dataclass(frozen=True)
class Work:
    """What one step asks of a board."""

    link_bytes: float
    """Weights and KV that come from the host, and KV that goes back."""
    memory_bytes: float
    """Bytes that the chip reads from and writes to the board's memory."""
    flop: float
    operations: int = 0
    """Kernels that start one after the other."""
    layers: int = 0
    """Layers that are copied and computed in turn; 0: all at once."""
    resident_share: float = 0.0
    """Share of the layers that need no copy, 0 to 1."""


@dataclass(frozen=True)
class Rates:
    """What a board reaches. A rate of None is not known, and its time is not counted."""

    link_bytes_per_s: float | None
    memory_bytes_per_s: float | None
    flop_per_s: float | None = None
    operation_s: float = 0.0
    """Seconds that the start of one operation takes."""


@dataclass(frozen=True)
class StepTime(Result):
    """Seconds that each resource is busy in one step."""

    DERIVED = ("bound_by",)

    link_s: float
    memory_s: float
    compute_s: float
    start_s: float = 0.0
    """Seconds to start the operations; nothing hides them."""
    layers: int = 0
    resident_share: float = 0.0

    @property
    def on_chip_s(self) -> float:
        """Seconds without the link: arithmetic and memory reads go on together."""
        return max(self.memory_s, self.compute_s) + self.start_s

    @property
    def serial_s(self) -> float:
        """Seconds of the step without prefetch: first copy, then compute."""
        return self.link_s + self.on_chip_s

    @property
    def overlapped_s(self) -> float:
        """Seconds of the step with prefetch: the next layers are copied while one computes."""
        if self.layers == 0 or self.link_s == 0:
            return max(self.link_s, self.on_chip_s)
        return even_pass_s(
            self.link_s, self.on_chip_s, layers=self.layers, resident_share=self.resident_share
        )

    @property
    def bound_by(self) -> str:
        """The resource that is busy longest."""
        parts = {"link": self.link_s, "memory": self.memory_s, "compute": self.compute_s}
        parts["starting operations"] = self.start_s
        return max(parts, key=lambda name: parts[name])


def step_time(work: Work, rates: Rates) -> StepTime:
    """The seconds that each resource needs for the work; an unknown rate gives 0 s."""
    return StepTime(
        _time(work.link_bytes, rates.link_bytes_per_s),
        _time(work.memory_bytes, rates.memory_bytes_per_s),
        _time(work.flop, rates.flop_per_s),
        work.operations * rates.operation_s,
        work.layers,
        work.resident_share,
    )


def _time(amount: float, rate: float | None) -> float:
    return 0.0 if rate is None or amount == 0 else amount / rate
