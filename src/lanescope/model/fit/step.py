"""One step of a model on a board: what it moves and computes, and how long each resource takes.

Each byte is charged once: over the link if it is not resident, else from the memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.model.fit.passes import LayerPass, prefetched_s, serial_s
from lanescope.results import Result


@dataclass(frozen=True)
class Work:
    """What one step asks of a board."""

    link_bytes: float
    """Weights and KV that come from the host, and KV that goes back."""
    memory_bytes: float
    """Weights and KV that the chip reads from and writes to the board's memory."""
    flop: float
    storage_bytes: float = 0.0
    """Bytes that the host itself reads from its storage first."""
    asked_bytes: float = 0.0
    """Bytes of experts over the link: nobody can copy them before the router has run."""
    asked_from_storage: float = 0.0
    """Share of them that the host reads from its storage first."""
    activation_bytes: float = 0.0
    """Bytes that operations between the products read and write."""
    operations: float = 0.0
    """Operations that run one after the other."""
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
    """Seconds that the board loses on each operation."""
    start_s: float = 0.0
    """Seconds that the host needs to start one operation; the board works meanwhile."""
    storage_bytes_per_s: float | None = None
    activation_bytes_per_s: float | None = None
    """Of activations between operations; None where a core keeps them in its own memory."""


@dataclass(frozen=True)
class StepTime(Result):
    """Seconds that each resource is busy in one step."""

    DERIVED = ("serial_s", "prefetched_s", "bound_by")

    link_s: float
    memory_s: float
    compute_s: float
    storage_s: float
    asked_s: float
    """Seconds of the link to copy experts that were missing; nothing hides them."""
    asked_storage_s: float
    """Seconds of the storage to read them."""
    activation_s: float
    operation_s: float
    start_s: float
    """Seconds of the host to start all operations."""
    layers: int
    resident_share: float

    @property
    def on_chip_s(self) -> float:
        """Seconds of the board without copies: products and their reads go on together."""
        return max(self.memory_s, self.compute_s) + self.activation_s + self.operation_s

    @property
    def serial_s(self) -> float:
        """Seconds of the step without prefetch: first copy, then compute."""
        return self.asked_s + self.asked_storage_s + serial_s(self._pass())

    @property
    def prefetched_s(self) -> float:
        """Seconds of the step with prefetch: the next layers are copied while one computes."""
        return self.asked_s + self.asked_storage_s + prefetched_s(self._pass())

    def _pass(self) -> LayerPass:
        return LayerPass(
            self.link_s,
            self.storage_s,
            self.on_chip_s,
            self.start_s,
            self.layers,
            self.resident_share,
        )

    @property
    def bound_by(self) -> str:
        """The resource that is busy longest."""
        parts = {
            "link": self.link_s + self.asked_s,
            "storage": self.storage_s + self.asked_storage_s,
            "memory": self.memory_s + self.activation_s,
            "compute": self.compute_s,
            "starting operations": max(self.operation_s, self.start_s),
        }
        return max(parts, key=lambda name: parts[name])


def step_time(work: Work, rates: Rates) -> StepTime:
    """The seconds that each resource needs for the work; an unknown rate gives 0 s."""
    return StepTime(
        _time(work.link_bytes, rates.link_bytes_per_s),
        _time(work.memory_bytes, rates.memory_bytes_per_s),
        _time(work.flop, rates.flop_per_s),
        _time(work.storage_bytes, rates.storage_bytes_per_s),
        _time(work.asked_bytes, rates.link_bytes_per_s),
        _time(work.asked_bytes * work.asked_from_storage, rates.storage_bytes_per_s),
        _time(work.activation_bytes, rates.activation_bytes_per_s),
        work.operations * rates.operation_s,
        work.operations * rates.start_s,
        work.layers,
        work.resident_share,
    )


def _time(amount: float, rate: float | None) -> float:
    return 0.0 if rate is None or amount == 0 else amount / rate
