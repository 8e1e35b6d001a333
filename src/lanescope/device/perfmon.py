"""A core's trace engine as its controller sees it: registers, the order of writes, draining.

Registers and order are those of hw-native-sys/simpler issue #905. What the issue leaves open is in
`EngineSetup`; `lanescope probe` tells it for a chip, and the defaults are assumed.
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
"""Name to offset of each register, in bytes."""
READ_ONLY = (WPTR, SAMP_CRT)
SUB_CORE_BYTES = 1 << 20
"""Distance of two cores in a cluster's window: the cube core comes first, then two vector cores."""
WORD = 0xFFFFFFFF
"""The largest value of a register."""

SPACES = ("virtual", "engine", "physical")
"""Kinds of address that an engine may take, in the order in which a probe tries them: the device's
own virtual one; one that was mapped for the engine's own stream of the SMMU; the physical one."""
POINTERS = ("byte_offset", "byte_count", "burst_index")
"""The values that EngineSetup.pointer may have."""


class MappedRegisters(Protocol):
    """Registers in memory: 32 bits at an offset in bytes."""

    def read(self, offset: int) -> int: ...

    def write(self, offset: int, value: int) -> None: ...


@dataclass(frozen=True, slots=True)
class SubCore:
    """The registers of one core inside the window of its cluster."""

    window: MappedRegisters
    number: int

    def read(self, offset: int) -> int:
        """Return the value of a register of this core."""
        return self.window.read(self.number * SUB_CORE_BYTES + offset)

    def write(self, offset: int, value: int) -> None:
        """Set a register of this core."""
        self.window.write(self.number * SUB_CORE_BYTES + offset, value)


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """How an engine uses its buffer: what a program that drains it must know."""

    address: str = "virtual"
    """Which address the engine takes for its buffer: one of SPACES."""
    wrap: str = "linear"
    """At the end of its buffer the engine stops (`linear`) or goes on at the start (`ring`)."""
    pointer: str = "byte_offset"
    """What the write pointer counts: bytes from the start of the buffer (`byte_offset`), all bytes
    ever written (`byte_count`), or bursts from the start (`burst_index`). A linear buffer always
    counts the first."""
    invalidate: bool = False
    """Whether a reader must invalidate its cache before it reads the buffer."""
    chunks_per_burst: int = 8


class Buffer(NamedTuple):
    """Memory that an engine writes into: its addresses, and its size in bytes."""

    virtual: int
    physical: int | None
    """None where the platform does not tell it."""
    size: int
    engine: int | None = None
    """Where the engine's own stream sees it; None where it was not mapped for that."""

    def address(self, space: str) -> int:
        """Return the address of one of SPACES; refuse one that this buffer does not have."""
        found = {"virtual": self.virtual, "engine": self.engine, "physical": self.physical}[space]
        if found is None:
            raise LanescopeError(f"expected a buffer with an address of kind {space}, found none")
        return found

    def inner(self, start: int, size: int) -> Buffer:
        """Return a part of it, which begins `start` bytes after its begin."""
        moved = (None if at is None else at + start for at in (self.physical, self.engine))
        return Buffer(self.virtual + start, next(moved), size, next(moved))


class EngineMemory(Protocol):
    """The memory of engines' buffers: what a controller can do with it."""

    def read(self, buffer: Buffer, start: int, size: int) -> bytes: ...

    def invalidate(self, buffer: Buffer) -> None: ...


class DrainedBursts(NamedTuple):
    """What a controller took from an engine's buffer in one visit."""

    data: bytes
    """Whole bursts, oldest first."""
    lost_before: bool
    """Whether chunks between the last visit's bursts and these were overwritten."""
    lost_after: bool
    """Whether chunks after these bursts were not written, for lack of room."""


def start_engine(registers: MappedRegisters, buffer: Buffer, setup: EngineSetup) -> None:
    """Give the engine its buffer, clear its counters and enable it; the global enable is last."""
    base = buffer.address(setup.address)
    registers.write(BASE_L, base & WORD)
    registers.write(BASE_H, base >> 32)
    registers.write(BUF_LEN, buffer.size)
    registers.write(SAMP_CRT_CLR, 1)
    registers.write(SAMP_WRT, 0)
    registers.write(PERF_MON_EN, 1)
    registers.write(GLOBAL_EN, 1)


def stop_engine(registers: MappedRegisters) -> None:
    """Disable the engine, the global enable first: the engine then writes what it had held back."""
    registers.write(GLOBAL_EN, 0)
    registers.write(PERF_MON_EN, 0)


class EngineReader:
    """Takes the bursts of an engine from its buffer, and counts its chunks."""

    def __init__(
        self,
        registers: MappedRegisters,
        buffer: Buffer,
        memory: EngineMemory,
        *,
        setup: EngineSetup,
    ) -> None:
        self._registers, self._buffer, self._memory, self._setup = registers, buffer, memory, setup
        self.made = 0
        """Number of chunks that the engine made so far."""
        self.taken = 0
        """Number of these that were still in memory when the controller came."""
        self._written = 0
        self._lost_bursts = 0

    def start(self) -> None:
        """Start the engine."""
        start_engine(self._registers, self._buffer, self._setup)

    def drain(self) -> DrainedBursts:
        """Take what was written since the last visit; clear the counters, and a linear buffer.

        Raises:
            LanescopeError: the write pointer and the number of bursts contradict each other.
        """
        registers = self._registers
        pointer, made, written = (registers.read(at) for at in (WPTR, SAMP_CRT, SAMP_WRT))
        if not made and not written:
            return DrainedBursts(b"", False, False)
        registers.write(SAMP_CRT_CLR, 1)
        registers.write(SAMP_WRT, 0)
        self.made += made
        self._written += written
        per_burst = self._setup.chunks_per_burst
        data, overwritten = self._fetch(pointer, -(-written // per_burst))
        self.taken += written - overwritten * per_burst
        # The engine holds back less than a burst. More that was made and not written is lost.
        before, self._lost_bursts = self._lost_bursts, (self.made - self._written) // per_burst
        return DrainedBursts(data, overwritten > 0, self._lost_bursts > before)

    def stop(self) -> DrainedBursts:
        """Stop the engine and take the rest; afterwards `made` − `taken` chunks are lost."""
        stop_engine(self._registers)
        return self.drain()

    def _fetch(self, pointer: int, bursts: int) -> tuple[bytes, int]:
        """Return the last bursts before the write pointer, and how many more were overwritten."""
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
        return self._buffer.address(self._setup.address)


def position(pointer: int, size: int, setup: EngineSetup) -> int:
    """Return where in its buffer the engine writes next, in bytes from the start.

    `pointer` is the write pointer, `size` the size of the buffer in bytes.
    """
    if setup.wrap == "linear":
        return pointer
    written = pointer * BURST_BYTES if setup.pointer == "burst_index" else pointer
    return written % size
