"""A simulated trace engine, register by register, and the memory that it writes into.

`Behaviour` has a switch for all that is unknown about real engines. Its defaults are assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.chunks.layout import BURST_BYTES, CHUNK_BYTES, FILLER, FIXP_CODES, SENTINEL
from lanescope.device import perfmon
from lanescope.device.head import Array
from lanescope.device.perfmon import WORD, Buffer

FORMS = ("chip6", "byte_swapped", "eight_byte")
"""Chunks as published; with their bytes reversed; each followed by 4 bytes of zeros."""
_LINE = 64
"""Bytes of a cache line."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How an engine behaves in all that is unknown about real ones."""

    address: str = "virtual"
    """Which kind of base address it takes: one of `perfmon.SPACES`. `engine` is a virtual one of a
    stream of its own, which reaches only what was mapped for it."""
    wrap: str = "linear"
    """At the buffer's end: `linear` drops what does not fit, `ring` goes on at the start."""
    pointer: str = "byte_offset"
    """What the write pointer counts: `byte_offset`, `byte_count` or `burst_index`."""
    coherent: bool = True
    """Whether a processor that has old bytes in its cache sees what the engine writes."""
    form: str = "chip6"
    """How chunks are laid in memory: one of FORMS."""
    fixp_code: int = FIXP_CODES[0]
    """Control code of a mark on fixp."""

    @property
    def chunks_per_burst(self) -> int:
        """Chunks in a burst of 32 bytes."""
        return BURST_BYTES // (2 * CHUNK_BYTES if self.form == "eight_byte" else CHUNK_BYTES)

    def setup(self) -> perfmon.EngineSetup:
        """Return what a controller must know about the engine."""
        return perfmon.EngineSetup(
            address=self.address,
            wrap=self.wrap,
            pointer=self.pointer,
            invalidate=not self.coherent,
            chunks_per_burst=self.chunks_per_burst,
        )


ASSUMED = Behaviour()


class CachedMemory:
    """Memory with virtual and physical addresses, and one processor's cache in front of it.

    A write to an address outside the memory changes nothing and counts as a fault. `fill` and
    engines write past the cache. In a coherent chip the cache never holds old bytes.
    """

    def __init__(
        self,
        *,
        coherent: bool = True,
        virtual: int = 0x1240_0000_0000,
        physical: int = 0x20_8000_0000,
        engine: int = 0x40_0000_0000,
    ) -> None:
        self._bytes = bytearray()
        self._virtual = virtual
        self._first = {"virtual": virtual, "physical": physical, "engine": engine}
        """Kind of address to that of the first byte."""
        self._mapped: list[range] = []
        """What the engine's own stream reaches, as places in the memory."""
        self._coherent = coherent
        self._cached: dict[int, bytes] = {}
        self.faults = 0

    def allocate(self, size: int) -> Buffer:
        """Allocate a buffer of zeros that begins at a cache line."""
        start = len(self._bytes)
        self._bytes += bytes(-(-size // _LINE) * _LINE)
        return Buffer(self._virtual + start, self._first["physical"] + start, size)

    def map_for_engine(self, buffer: Buffer) -> int:
        """Let the engine's own stream reach a buffer; return the buffer's address there."""
        at = buffer.virtual - self._virtual
        self._mapped.append(range(at, at + buffer.size))
        return self._first["engine"] + at

    def store(self, address: int, data: bytes, *, space: str) -> None:
        """Write as an engine does; `space` says which kind of address it is."""
        at = address - self._first[space]
        reached = 0 <= at <= len(self._bytes) - len(data)
        if space == "engine":
            reached = any(at in some and at + len(data) <= some.stop for some in self._mapped)
        if not reached:
            self.faults += 1
            return
        self._bytes[at : at + len(data)] = data

    def fill(self, buffer: Buffer, data: bytes) -> None:
        """Write past the cache, and drop the buffer's lines from it."""
        at = buffer.virtual - self._virtual
        self._bytes[at : at + len(data)] = data
        self.invalidate(buffer)

    def read(self, buffer: Buffer, start: int, size: int) -> bytes:
        """Read as the processor does: lines that it has read before come from its cache."""
        at = buffer.virtual - self._virtual + start
        if self._coherent:
            return bytes(self._bytes[at : at + size])
        first = at // _LINE
        lines = range(first, -(-(at + size) // _LINE))
        seen = b"".join(self._line(line) for line in lines)
        return seen[at - first * _LINE :][:size]

    def _line(self, line: int) -> bytes:
        if line not in self._cached:
            self._cached[line] = bytes(self._bytes[line * _LINE : (line + 1) * _LINE])
        return self._cached[line]

    def invalidate(self, buffer: Buffer) -> None:
        """Drop the buffer's lines from the cache."""
        at = buffer.virtual - self._virtual
        for line in range(at // _LINE, -(-(at + buffer.size) // _LINE)):
            self._cached.pop(line, None)


class TraceEngine:
    """One core's trace engine and its registers.

    The engine creates chunks while both of its enables are on. It writes them in bursts of 32
    bytes. A burst that is not full stays inside until further chunks fill it, or until the global
    enable goes off: that ends the stream and pads the burst. Writing either half of the base
    address starts again at the start of the buffer. A burst for which a linear buffer has no room
    is dropped; its chunks count as created, not as written.
    """

    def __init__(self, memory: CachedMemory, behaviour: Behaviour) -> None:
        self._memory, self._behaviour = memory, behaviour
        self._words = dict.fromkeys(perfmon.REGISTERS.values(), 0)
        self._held = np.empty(0, np.uint32)
        self._bursts = 0
        """Bursts that were written since the base address was set."""
        self._created = 0
        self._written = 0

    def read(self, offset: int) -> int:
        """Read a register."""
        if offset == perfmon.WPTR:
            return self._pointer() & WORD
        if offset == perfmon.SAMP_CRT:
            return self._created & WORD
        if offset == perfmon.SAMP_WRT:
            return self._written & WORD
        return self._words[offset]

    def write(self, offset: int, value: int) -> None:
        """Write a register; refuse one that does not exist or is read-only."""
        if offset not in self._words or offset in perfmon.READ_ONLY or not 0 <= value <= WORD:
            raise ValueError(f"no 32-bit register takes {value:#x} at {offset:#x}")
        was_on = self.on
        if offset == perfmon.SAMP_CRT_CLR:
            self._created = 0 if value & 1 else self._created
        elif offset == perfmon.SAMP_WRT:
            self._written = 0 if value == 0 else self._written
        else:
            self._words[offset] = value
        if offset in (perfmon.BASE_L, perfmon.BASE_H):
            self._bursts = 0
        if was_on and offset == perfmon.GLOBAL_EN and not self.on:
            self._flush()

    @property
    def on(self) -> bool:
        """Whether both enables are on."""
        return bool(self._words[perfmon.PERF_MON_EN] & self._words[perfmon.GLOBAL_EN] & 1)

    def make(self, chunks: Array) -> None:
        """Take the chunks of something that the core did."""
        if not self.on:
            return
        self._created += len(chunks)
        held = np.concatenate([self._held, chunks])
        per_burst = self._behaviour.chunks_per_burst
        whole = len(held) // per_burst * per_burst
        self._written += self._send(held[:whole])
        self._held = held[whole:]

    def _flush(self) -> None:
        """End the stream: write the burst that is not full, if there is one."""
        held, self._held = self._held, self._held[:0]
        if len(held):
            per_burst = self._behaviour.chunks_per_burst
            end = np.full(per_burst, FILLER, np.uint32)
            end[: len(held)], end[len(held)] = held, SENTINEL
            self._written += len(held) if self._send(end) else 0

    def _send(self, chunks: Array) -> int:
        """Write whole bursts; return how many chunks had room."""
        behaviour, size = self._behaviour, self._words[perfmon.BUF_LEN] // BURST_BYTES
        bursts = len(chunks) // behaviour.chunks_per_burst
        if behaviour.wrap == "linear":
            bursts = min(bursts, size - self._bursts)
        elif size == 0:
            bursts = 0
        data = formed(chunks[: bursts * behaviour.chunks_per_burst], behaviour.form)
        for number in range(max(0, bursts - size), bursts):
            at = (self._bursts + number) % size * BURST_BYTES
            burst = data[number * BURST_BYTES : (number + 1) * BURST_BYTES]
            self._memory.store(self._base() + at, burst, space=behaviour.address)
        self._bursts += bursts
        return bursts * behaviour.chunks_per_burst

    def _base(self) -> int:
        high = self._words[perfmon.BASE_H] & 0xFFFF
        return high << 32 | self._words[perfmon.BASE_L]

    def _pointer(self) -> int:
        behaviour, size = self._behaviour, self._words[perfmon.BUF_LEN] // BURST_BYTES
        if behaviour.wrap == "linear" or behaviour.pointer == "byte_count":
            return self._bursts * BURST_BYTES
        index = self._bursts % size if size else 0
        return index if behaviour.pointer == "burst_index" else index * BURST_BYTES


def formed(chunks: Array, form: str) -> bytes:
    """Return the bytes of chunks as an engine of this form writes them."""
    if form == "byte_swapped":
        return chunks.astype(">u4").tobytes()
    if form == "eight_byte":
        return chunks.astype("<u8").tobytes()
    return chunks.astype("<u4").tobytes()


class ClusterWindow:
    """The mapped registers of a cluster; its engines are one megabyte apart."""

    def __init__(self, engines: dict[int, TraceEngine]) -> None:
        self._engines = engines

    def read(self, offset: int) -> int:
        """Read a register of one of the engines."""
        number, register = divmod(offset, perfmon.SUB_CORE_BYTES)
        return self._engines[number].read(register)

    def write(self, offset: int, value: int) -> None:
        """Write a register of one of the engines."""
        number, register = divmod(offset, perfmon.SUB_CORE_BYTES)
        self._engines[number].write(register, value)
