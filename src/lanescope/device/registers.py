"""The performance counters of one core, register by register.

Each 32-bit counter counts the event that its selector names. A read clears the counter. The block
counts while every enable register holds its value and the range of cycles is the whole one. Other
ranges are not modelled: with them nothing is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WORD = 0xFFFFFFFF
"""The largest value of a register."""


@dataclass(frozen=True, slots=True)
class Enable:
    """A register that enables the counters, and the value that does."""

    offset: int
    value: int


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """Offsets of the registers. A pair holds the low and the high half of 64 bits."""

    enable: tuple[Enable, ...]
    counters: tuple[int, ...]
    total: tuple[int, int]
    """Number of cycles that tasks ran since the last read."""
    start: tuple[int, int]
    """The first cycle that counts."""
    stop: tuple[int, int]
    """The last cycle that counts."""
    select: tuple[int, ...]
    """By counter: the event that it counts."""

    @property
    def reads_per_task(self) -> int:
        """Number of registers that are read after each task."""
        return len(self.counters) + len(self.total)

    def offsets(self) -> tuple[int, ...]:
        """Return the offsets of all registers."""
        parts = (self.counters, self.total, self.start, self.stop, self.select)
        return (*(offset for part in parts for offset in part), *(e.offset for e in self.enable))


class CounterBlock:
    """The registers of one core, and the counting behind them."""

    __slots__ = ("_counted", "_counting", "_map", "_selected", "_words")

    def __init__(self, registers: RegisterMap) -> None:
        self._map = registers
        self._words = dict.fromkeys(registers.offsets(), 0)
        self._counted: dict[int, int] = {}
        """Offset of a counter or of a half of the total to what it counted since it was read."""
        self._counting = False
        self._selected: dict[int, list[int]] = {}
        """Event to the offsets of the counters that count it."""

    def read(self, offset: int) -> int:
        """Return the value of a register. A counter is 0 afterwards."""
        value = self._counted.pop(offset, None)
        return self._words[offset] if value is None else value

    def write(self, offset: int, value: int) -> None:
        """Set a register.

        Raises:
            ValueError: there is no such register, it is a counter, or the value has over 32 bits.
        """
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
        """Count a task that ran for `cycles`; `events` says how often each event happened in it."""
        if not self._counting:
            return
        counted = self._counted
        low, high = self._map.total
        total = cycles + (counted.get(high, 0) << 32 | counted.get(low, 0))
        counted[low], counted[high] = total & WORD, total >> 32 & WORD
        for event, amount in events.items():
            for at in self._selected.get(event, ()):
                counted[at] = (counted.get(at, 0) + amount) & WORD


def start_counting(block: CounterBlock, registers: RegisterMap, events: Sequence[int]) -> None:
    """Choose the events, clear the counters, open the range of cycles, then enable counting."""
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


def stop_counting(block: CounterBlock, registers: RegisterMap) -> None:
    """Disable counting; what was enabled last goes first."""
    for enable in reversed(registers.enable):
        block.write(enable.offset, 0)


def read_sample(block: CounterBlock, registers: RegisterMap) -> list[int]:
    """Return the total of cycles, then the value of each counter; this clears all of them."""
    read = block.read
    counters = map(read, registers.counters)
    low, high = registers.total
    return [read(low) | read(high) << 32, *counters]
