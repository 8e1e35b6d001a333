"""The performance counters of one core, register by register.

The block counts what the core's tasks do, in as many 32-bit counters as there are, each for the
event that its selector names. Reading a counter clears it. It counts while every enable register
holds its value and the range is the whole one; other ranges are not modelled and count nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WORD = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Enable:
    """A register and what to write there."""

    offset: int
    value: int


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """Offsets; pairs are the low and the high half of 64 bits."""

    enable: tuple[Enable, ...]
    counters: tuple[int, ...]
    total: tuple[int, int]
    start: tuple[int, int]
    stop: tuple[int, int]
    select: tuple[int, ...]

    @property
    def reads_per_task(self) -> int:
        return len(self.counters) + len(self.total)

    def offsets(self) -> tuple[int, ...]:
        parts = (self.counters, self.total, self.start, self.stop, self.select)
        return (*(offset for part in parts for offset in part), *(e.offset for e in self.enable))


class CounterBlock:
    """The registers of one core."""

    __slots__ = ("_counted", "_counting", "_map", "_selected", "_words")

    def __init__(self, registers: RegisterMap) -> None:
        self._map = registers
        self._words = dict.fromkeys(registers.offsets(), 0)
        self._counted: dict[int, int] = {}
        """By offset, the counters and halves of the total that counted since they were read."""
        self._counting = False
        self._selected: dict[int, list[int]] = {}
        """Event to the offsets of the counters that count it."""

    def read(self, offset: int) -> int:
        """32 bits; a counter is 0 afterwards."""
        value = self._counted.pop(offset, None)
        return self._words[offset] if value is None else value

    def write(self, offset: int, value: int) -> None:
        counted = offset in (*self._map.counters, *self._map.total)
        if offset not in self._words or counted or not 0 <= value <= WORD:
            raise ValueError(f"no 32-bit register takes {value:#x} at {offset:#x}")
        self._words[offset] = value
        words, registers = self._words, self._map
        self._selected = {}
        for at, select in zip(registers.counters, registers.select, strict=True):
            if words[select]:
                self._selected.setdefault(words[select], []).append(at)
        whole = all(words[at] == 0 for at in registers.start) and all(
            words[at] == WORD for at in registers.stop
        )
        self._counting = whole and all(words[e.offset] == e.value for e in registers.enable)

    def count(self, events: Mapping[int, int], cycles: int) -> None:
        """A task ran for so many cycles, and so often each event happened in it."""
        if not self._counting:
            return
        found = self._counted
        low, high = self._map.total
        total = cycles + (found.get(high, 0) << 32 | found.get(low, 0))
        found[low], found[high] = total & WORD, total >> 32 & WORD
        for event, amount in events.items():
            for at in self._selected.get(event, ()):
                found[at] = (found.get(at, 0) + amount) & WORD


def start_counting(block: CounterBlock, registers: RegisterMap, events: Sequence[int]) -> None:
    """Choose the events, clear the counters, open the range, and enable, in this order."""
    for offset, event in zip(registers.select, events, strict=True):
        block.write(offset, event)
    for offset in (*registers.counters, *registers.total):
        block.read(offset)
    for offset in registers.start:
        block.write(offset, 0)
    for offset in registers.stop:
        block.write(offset, WORD)
    for enable in registers.enable:
        block.write(enable.offset, enable.value)


def read_sample(block: CounterBlock, registers: RegisterMap) -> list[int]:
    """Total cycles, then each counter, and all of them cleared."""
    read = block.read
    counters = map(read, registers.counters)
    low, high = registers.total
    return [read(low) | read(high) << 32, *counters]
