"""One experiment: a guarded buffer, a kernel of known shape, and everything that was seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lanescope.chunks.layout import BURST_BYTES
from lanescope.device import perfmon
from lanescope.device.perfmon import Buffer, EngineSetup, start_engine, stop_engine
from lanescope.probe.device import BringUp, Step

GUARD_BYTES = 256
PATTERN = bytes((37 * at + 11) & 0xFF for at in range(BURST_BYTES))
"""Not what an engine writes: no hypothesis reads chunks in it."""
TRIES = 3


class Look(NamedTuple):
    """Registers at one moment."""

    pointer: int
    created: int
    written: int


@dataclass(frozen=True, slots=True)
class ProbeCapture:
    """What was done and what was seen; `data` is the whole area with its guards."""

    name: str
    address: str
    buffer: Buffer
    steps: tuple[Step, ...]
    running: Look
    """After the kernel, the engine still on."""
    stopped: Look
    base_after: int
    """As the registers said it after the kernel."""
    counter_before: int
    counter_after: int
    data: bytes

    @property
    def size(self) -> int:
        return self.buffer.size

    @property
    def base(self) -> int:
        return self.buffer.virtual if self.address == "virtual" else self.buffer.physical

    @property
    def undisturbed(self) -> bool:
        return self.base_after == self.base

    @property
    def window(self) -> bytes:
        return self.data[GUARD_BYTES : GUARD_BYTES + self.size]

    @property
    def guards_intact(self) -> bool:
        before, after = self.data[:GUARD_BYTES], self.data[GUARD_BYTES + self.size :]
        return not changed(before) and not changed(after)

    @property
    def written(self) -> bytes:
        """The window's bursts up to the first that is still the pattern."""
        for at in range(0, len(self.window), BURST_BYTES):
            if self.window[at : at + BURST_BYTES] == PATTERN:
                return self.window[:at]
        return self.window


def changed(data: bytes) -> bool:
    """`data` begins where the pattern begins."""
    return data != (PATTERN * (len(data) // BURST_BYTES + 1))[: len(data)]


class ProbeBench:
    """Runs experiments on a device, and keeps every one."""

    def __init__(self, device: BringUp) -> None:
        self.device = device
        self.captures: list[ProbeCapture] = []

    def steady(
        self, name: str, steps: Sequence[Step], *, address: str, size: int
    ) -> ProbeCapture | None:
        """A capture during which the base address stayed as it was set; None: there was none."""
        for _ in range(TRIES):
            area = self.device.allocate(size + 2 * GUARD_BYTES)
            self.device.fill(area, PATTERN * (area.size // BURST_BYTES))
            found = self.run(name, steps, address=address, area=area)
            if found.undisturbed:
                return found
        return None

    def run(self, name: str, steps: Sequence[Step], *, address: str, area: Buffer) -> ProbeCapture:
        device = self.device
        size = area.size - 2 * GUARD_BYTES
        buffer = Buffer(area.virtual + GUARD_BYTES, area.physical + GUARD_BYTES, size)
        stop_engine(device)
        start_engine(device, buffer, EngineSetup(address=address))
        before = device.counter()
        device.run_kernel(steps)
        running, base_after = look(device), base_of(device)
        stop_engine(device)
        found = ProbeCapture(
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
        self.captures.append(found)
        return found


def look(device: BringUp) -> Look:
    return Look(*(device.read(at) for at in (perfmon.WPTR, perfmon.SAMP_CRT, perfmon.SAMP_WRT)))


def base_of(device: BringUp) -> int:
    return (device.read(perfmon.BASE_H) & 0xFFFF) << 32 | device.read(perfmon.BASE_L)
