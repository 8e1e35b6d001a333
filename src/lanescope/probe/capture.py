"""One experiment: a kernel of known steps writes into a guarded buffer; all of it is captured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lanescope.chunks.layout import BURST_BYTES
from lanescope.device import perfmon
from lanescope.device.perfmon import Buffer, EngineSetup, start_engine, stop_engine
from lanescope.probe.device import BringUp, Step

GUARD_BYTES = 256
"""Bytes before and after the buffer that the engine must not touch."""
PATTERN = bytes((37 * at + 11) & 0xFF for at in range(BURST_BYTES))
"""One burst of what fills memory before an experiment; under no hypothesis it reads as chunks."""
TRIES = 3
"""How often a disturbed experiment is done again."""


class Look(NamedTuple):
    """The engine's registers at one moment."""

    pointer: int
    created: int
    written: int


@dataclass(frozen=True, slots=True)
class ProbeCapture:
    """What one experiment did, and what was seen."""

    name: str
    address: str
    """Which address the engine was given: one of `perfmon.SPACES`."""
    buffer: Buffer
    steps: tuple[Step, ...]
    running: Look
    """Registers after the kernel, with the engine still on."""
    stopped: Look
    """Registers after the engine was stopped."""
    base_after: int
    """The base address in the registers after the kernel."""
    counter_before: int
    counter_after: int
    data: bytes
    """The whole area: guard, buffer, guard."""

    @property
    def size(self) -> int:
        """Bytes of the buffer without its guards."""
        return self.buffer.size

    @property
    def base(self) -> int:
        """The base address that the engine was given."""
        return self.buffer.address(self.address)

    @property
    def undisturbed(self) -> bool:
        """Whether the base address stayed as it was set."""
        return self.base_after == self.base

    @property
    def window(self) -> bytes:
        """The bytes of the buffer without its guards."""
        return self.data[GUARD_BYTES : GUARD_BYTES + self.size]

    @property
    def guards_intact(self) -> bool:
        """Whether no byte before or after the buffer changed."""
        before, after = self.data[:GUARD_BYTES], self.data[GUARD_BYTES + self.size :]
        return not changed(before) and not changed(after)

    @property
    def written(self) -> bytes:
        """The bursts of the buffer up to the first that is still the pattern."""
        for at in range(0, len(self.window), BURST_BYTES):
            if self.window[at : at + BURST_BYTES] == PATTERN:
                return self.window[:at]
        return self.window


def changed(data: bytes) -> bool:
    """Say whether any byte differs from the pattern; `data` begins where the pattern begins."""
    return data != (PATTERN * (len(data) // BURST_BYTES + 1))[: len(data)]


class ProbeBench:
    """Runs experiments on a device, and keeps the capture of each."""

    def __init__(self, device: BringUp) -> None:
        self.device = device
        self.captures: list[ProbeCapture] = []

    def steady(
        self, name: str, steps: Sequence[Step], *, address: str, size: int
    ) -> ProbeCapture | None:
        """Repeat an experiment until the base address stays as it was set; None: it never does."""
        for _ in range(TRIES):
            area = self.area(size, address)
            capture = self.run(name, steps, address=address, area=area)
            if capture.undisturbed:
                return capture
        return None

    def area(self, size: int, space: str) -> Buffer:
        """Allocate a buffer with guards, full of the pattern, that has an address in a space."""
        area = self._addressed(size + 2 * GUARD_BYTES, space)
        self.device.fill(area, PATTERN * (area.size // BURST_BYTES))
        return area

    def offers(self, space: str) -> bool:
        """Say whether buffers of this device have an address in a space."""
        return getattr(self._addressed(BURST_BYTES, space), space) is not None

    def _addressed(self, size: int, space: str) -> Buffer:
        area = self.device.allocate(size)
        if space == "engine":
            return area._replace(engine=self.device.map_for_engine(area))
        return area

    def run(self, name: str, steps: Sequence[Step], *, address: str, area: Buffer) -> ProbeCapture:
        """Run one kernel with the engine on; `area` is the buffer with its guards."""
        device = self.device
        size = area.size - 2 * GUARD_BYTES
        buffer = area.inner(GUARD_BYTES, size)
        stop_engine(device)
        start_engine(device, buffer, EngineSetup(address=address))
        before = device.counter()
        device.run_kernel(steps)
        running, base_after = look(device), base_of(device)
        stop_engine(device)
        capture = ProbeCapture(
            name=name,
            address=address,
            buffer=buffer,
            steps=tuple(steps),
            running=running,
            stopped=look(device),
            base_after=base_after,
            counter_before=before,
            counter_after=device.counter(),
            data=device.peek(area),
        )
        self.captures.append(capture)
        return capture


def look(device: BringUp) -> Look:
    """Read the engine's write pointer and its two counters."""
    return Look(*(device.read(at) for at in (perfmon.WPTR, perfmon.SAMP_CRT, perfmon.SAMP_WRT)))


def base_of(device: BringUp) -> int:
    """Read the engine's base address: 16 high bits and 32 low ones."""
    return (device.read(perfmon.BASE_H) & 0xFFFF) << 32 | device.read(perfmon.BASE_L)
