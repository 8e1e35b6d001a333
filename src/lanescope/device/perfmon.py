"""A core's trace engine as its controller sees it: registers, the order of writes, draining.

Registers and order: hw-native-sys/simpler issue #905. What that leaves open is `EngineSetup`, to be
found out on a chip by `lanescope probe`; the defaults are assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from lanescope.chunks.layout import BURST_BYTES
from lanescope.errors import LanescopeError

PERF_MON_EN = 0x00C4
GLOBAL_EN = 0xB000
BUF_LEN = 0xB004
GLITCH_FILTER = 0xB008
BASE_L = 0xB00C
BASE_H = 0xB010
WPTR = 0xB01C
SAMP_CRT = 0xB020
SAMP_CRT_CLR = 0xB024
SAMP_WRT = 0xB028

REGISTERS = {
    "perf_mon_en": PERF_MON_EN,
    "perf_mon_global_en": GLOBAL_EN,
    "perf_mon_buf_len": BUF_LEN,
    "glitch_filter": GLITCH_FILTER,
    "perf_mon_base_addr_l": BASE_L,
    "perf_mon_base_addr_h": BASE_H,
    "perf_mon_wptr_o": WPTR,
    "samp_crt": SAMP_CRT,
    "perf_mon_samp_crt_clr": SAMP_CRT_CLR,
    "perf_mon_samp_wrt": SAMP_WRT,
}
READ_ONLY = (WPTR, SAMP_CRT)
SUB_CORE_BYTES = 1 << 20
"""A cluster's window holds its cube core at 0 and its vector cores at 1 MB and 2 MB."""
WORD = 0xFFFFFFFF

POINTERS = ("byte_offset", "byte_count", "burst_index")


class Registers(Protocol):
    """Memory-mapped registers: 32 bits at an offset."""

    def read(self, offset: int) -> int: ...

    def write(self, offset: int, value: int) -> None: ...


@dataclass(frozen=True, slots=True)
class SubCore:
    """One core's registers inside its cluster's window."""

    window: Registers
    number: int

    def read(self, offset: int) -> int:
        return self.window.read(self.number * SUB_CORE_BYTES + offset)

    def write(self, offset: int, value: int) -> None:
        self.window.write(self.number * SUB_CORE_BYTES + offset, value)


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """How an engine uses its buffer, as far as whoever drains it must know."""

    address: str = "virtual"
    """What the base address is: `virtual` (the device's own) or `physical`."""
    wrap: str = "linear"
    """At the buffer's end it stops (`linear`) or goes on at its start (`ring`)."""
    pointer: str = "byte_offset"
    """What the write pointer counts: bytes from the buffer's start, all bytes ever, or bursts from
    the buffer's start. A linear buffer has the first."""
    invalidate: bool = False
    """The reader's cache must be told before it reads."""
    chunks_per_burst: int = 8


class Buffer(NamedTuple):
    """Memory that an engine writes into."""

    virtual: int
    physical: int
    size: int


class Memory(Protocol):
    """What a controller can do with a buffer."""

    def read(self, buffer: Buffer, start: int, size: int) -> bytes: ...

    def invalidate(self, buffer: Buffer) -> None: ...


class Slice(NamedTuple):
    """What one look at an engine brought."""

    data: bytes
    """Whole bursts, oldest first."""
    lost_before: bool
    """Chunks between the last slice and this one were overwritten."""
    lost_after: bool
    """Chunks after this slice were not written for lack of room."""


def start_engine(registers: Registers, buffer: Buffer, setup: EngineSetup) -> None:
    """Point the engine at its buffer, clear its counters, and enable it; the global enable last."""
    base = buffer.virtual if setup.address == "virtual" else buffer.physical
    registers.write(BASE_L, base & WORD)
    registers.write(BASE_H, base >> 32)
    registers.write(BUF_LEN, buffer.size)
    registers.write(SAMP_CRT_CLR, 1)
    registers.write(SAMP_WRT, 0)
    registers.write(PERF_MON_EN, 1)
    registers.write(GLOBAL_EN, 1)


def stop_engine(registers: Registers) -> None:
    """The global enable first: the engine then writes what it holds back."""
    registers.write(GLOBAL_EN, 0)
    registers.write(PERF_MON_EN, 0)


class EngineReader:
    """Takes a started engine's bursts out of its buffer, and keeps count of its chunks."""

    def __init__(
        self, registers: Registers, buffer: Buffer, memory: Memory, *, setup: EngineSetup
    ) -> None:
        self._registers, self._buffer, self._memory, self._setup = registers, buffer, memory, setup
        self.made = 0
        """Chunks that the engine made."""
        self.taken = 0
        """Of these, how many were in memory when they were looked for."""
        self._written = 0
        self._lost_bursts = 0

    def start(self) -> None:
        start_engine(self._registers, self._buffer, self._setup)

    def drain(self) -> Slice:
        """What was written since the last look; clears the counters, and a linear buffer."""
        registers = self._registers
        pointer, made, written = (registers.read(at) for at in (WPTR, SAMP_CRT, SAMP_WRT))
        if not made and not written:
            return Slice(b"", False, False)
        registers.write(SAMP_CRT_CLR, 1)
        registers.write(SAMP_WRT, 0)
        self.made += made
        self._written += written
        per_burst = self._setup.chunks_per_burst
        data, overwritten = self._fetch(pointer, -(-written // per_burst))
        self.taken += written - overwritten * per_burst
        # The engine holds back less than a burst; what else was made and not written is lost.
        before, self._lost_bursts = self._lost_bursts, (self.made - self._written) // per_burst
        return Slice(data, overwritten > 0, self._lost_bursts > before)

    def stop(self) -> Slice:
        """Stop the engine and take the rest; afterwards `made` − `taken` is what was lost."""
        stop_engine(self._registers)
        return self.drain()

    def _fetch(self, pointer: int, bursts: int) -> tuple[bytes, int]:
        """The last bursts before the write pointer, and how many more there had been."""
        if not bursts:
            return b"", 0
        if self._setup.invalidate:
            self._memory.invalidate(self._buffer)
        whole = self._buffer.size // BURST_BYTES * BURST_BYTES
        end = position(pointer, whole, self._setup)
        if self._setup.wrap == "linear":
            if end != bursts * BURST_BYTES:
                raise LanescopeError(
                    f"the trace engine's write pointer is {pointer}, but {bursts} bursts were "
                    "written; it may have another owner, see 'lanescope probe'"
                )
            self._registers.write(BASE_L, self._base() & WORD)
            return self._memory.read(self._buffer, 0, end), 0
        size = min(bursts * BURST_BYTES, whole)
        start = (end - size) % whole
        data = self._memory.read(self._buffer, start, min(size, whole - start))
        if len(data) < size:
            data += self._memory.read(self._buffer, 0, size - len(data))
        return data, bursts - size // BURST_BYTES

    def _base(self) -> int:
        return self._buffer.virtual if self._setup.address == "virtual" else self._buffer.physical


def position(pointer: int, size: int, setup: EngineSetup) -> int:
    """Bytes from the buffer's start to where the engine writes next."""
    if setup.wrap == "linear":
        return pointer
    found = pointer * BURST_BYTES if setup.pointer == "burst_index" else pointer
    return found % size
