"""One step of a model on a machine: what it moves and computes, and how long each resource takes.

Each byte is charged once: over the link if it is not resident, else from the memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.model.memory.pipeline import even_pass_s


@dataclass(frozen=True)
class Work:
    """What one step asks of the machine; `layers` and what share of them is resident say how it
    can overlap (0: all at once)."""

    link_bytes: float
    """Weights and KV that come from the host, and KV that goes back."""
    memory_bytes: float
    flop: float
    operations: int = 0
    """Kernels that are started one after the other."""
    layers: int = 0
    resident_share: float = 0.0


@dataclass(frozen=True)
class Rates:
    """What the machine reaches; None: not known, and then not counted."""

    link_bytes_per_s: float | None
    memory_bytes_per_s: float | None
    flop_per_s: float | None = None
    operation_s: float = 0.0


@dataclass(frozen=True)
class StepTime:
    """Seconds that each resource is busy in one step."""

    link_s: float
    memory_s: float
    compute_s: float
    start_s: float = 0.0
    """Starting operations, which nothing hides."""
    layers: int = 0
    resident_share: float = 0.0

    @property
    def on_chip_s(self) -> float:
        """Arithmetic and memory reads of one operation go on together."""
        return max(self.memory_s, self.compute_s) + self.start_s

    @property
    def serial_s(self) -> float:
        """Copy, then compute: no prefetch."""
        return self.link_s + self.on_chip_s

    @property
    def overlapped_s(self) -> float:
        """The next layers are copied while this one computes."""
        if self.layers == 0 or self.link_s == 0:
            return max(self.link_s, self.on_chip_s)
        return even_pass_s(
            self.link_s, self.on_chip_s, layers=self.layers, resident_share=self.resident_share
        )

    @property
    def bound_by(self) -> str:
        parts = {"link": self.link_s, "memory": self.memory_s, "compute": self.compute_s}
        parts["starting operations"] = self.start_s
        return max(parts, key=lambda name: parts[name])


def step_time(work: Work, rates: Rates) -> StepTime:
    """How long each resource takes; a byte for a link that is not there has no time."""
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
