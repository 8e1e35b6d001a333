"""Which units (layers or regions) stay in a memory that cannot hold all of them.

fifo and lru hold whole units. pinned and belady hold bytes: a unit may be resident in part, so one
byte over capacity costs one byte. What pinned does not hold passes the memory by.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

POLICIES = ("fifo", "lru", "pinned", "belady")


class Touch(NamedTuple):
    """An access to bytes `start` to `end` of a unit."""

    unit: int
    start: int
    end: int
    dirties: bool = False


class Traffic(NamedTuple):
    """What a touch moves over the link."""

    loaded_bytes: int
    """Into the memory."""
    written_back_bytes: int
    """Out of it, to make room."""
    passing_bytes: int = 0
    """Between link and core, past the memory, in the direction of the access."""

    @property
    def moved_bytes(self) -> int:
        return self.loaded_bytes + self.written_back_bytes + self.passing_bytes


class Policy(Protocol):
    """Decides what stays; never more than the capacity."""

    by_piece: bool
    """Whether every piece of an access is a touch of its own, or all in one unit are one."""

    @property
    def resident_bytes(self) -> int: ...

    def touch(self, touch: Touch) -> Traffic: ...


class Fifo:
    """The unit that came first goes first; a hit changes nothing."""

    by_piece = False

    def __init__(self, capacity_bytes: int, sizes: Mapping[int, int]) -> None:
        self._capacity = capacity_bytes
        self._sizes = sizes
        self._resident: OrderedDict[int, bool] = OrderedDict()
        self._used = 0

    @property
    def resident_bytes(self) -> int:
        return self._used

    def touch(self, touch: Touch) -> Traffic:
        if touch.unit in self._resident:
            self._hit(touch.unit)
            self._resident[touch.unit] |= touch.dirties
            return Traffic(0, 0)
        size = self._sizes[touch.unit]
        if size > self._capacity:
            return Traffic(size, size if touch.dirties else 0)
        written = self._make_room(size)
        self._resident[touch.unit] = touch.dirties
        self._used += size
        return Traffic(size, written)

    def _hit(self, unit: int) -> None:
        pass

    def _make_room(self, size: int) -> int:
        """Evicts from the front; the bytes that had to be written back."""
        written = 0
        while self._used + size > self._capacity:
            unit, dirty = self._resident.popitem(last=False)
            self._used -= self._sizes[unit]
            written += self._sizes[unit] if dirty else 0
        return written


class Lru(Fifo):
    """The unit that was not used for longest goes first."""

    def _hit(self, unit: int) -> None:
        self._resident.move_to_end(unit)


class Pinned:
    """The first units of `order` stay for good, the last of them in part; the rest pass by."""

    by_piece = True

    def __init__(
        self, capacity_bytes: int, sizes: Mapping[int, int], order: Sequence[int] | None = None
    ) -> None:
        self._pinned: dict[int, int] = {}
        self._loaded: set[int] = set()
        free = capacity_bytes
        for unit in sizes if order is None else order:
            self._pinned[unit] = min(sizes[unit], free)
            free -= self._pinned[unit]

    @property
    def resident_bytes(self) -> int:
        return sum(self._pinned.values())

    def touch(self, touch: Touch) -> Traffic:
        kept = self._pinned.get(touch.unit, 0)
        first = 0 if touch.unit in self._loaded else kept
        self._loaded.add(touch.unit)
        return Traffic(first, 0, max(0, touch.end - max(touch.start, kept)))

    def load_all(self) -> None:
        """What stays is there before the first touch."""
        self._loaded = set(self._pinned)


class Belady:
    """Knows the future: bytes whose next use is furthest away go first. No policy moves fewer.

    `future` is the unit of every touch to come, in order.
    """

    by_piece = False

    def __init__(
        self, capacity_bytes: int, sizes: Mapping[int, int], future: Sequence[int]
    ) -> None:
        self._capacity = capacity_bytes
        self._sizes = sizes
        self._next = _next_uses(future)
        self._future = future
        self._now = 0
        self._resident: dict[int, int] = {}
        self._dirty: set[int] = set()
        self._uses: dict[int, int] = {}
        self._furthest: list[tuple[int, int]] = []
        self._used = 0

    @property
    def resident_bytes(self) -> int:
        return self._used

    def touch(self, touch: Touch) -> Traffic:
        unit = touch.unit
        if self._now >= len(self._future) or self._future[self._now] != unit:
            raise ValueError("the touches differ from the future that was announced")
        self._uses[unit] = self._next[self._now]
        heappush(self._furthest, (-self._next[self._now], unit))
        self._now += 1
        missing = self._sizes[unit] - self._resident.get(unit, 0)
        if touch.dirties:
            self._dirty.add(unit)
        self._resident[unit] = self._sizes[unit]
        self._used += missing
        return Traffic(missing, self._shrink())

    def _shrink(self) -> int:
        """Drops the bytes used last until the rest fits; the dirty ones of them are written."""
        written = 0
        while self._used > self._capacity:
            negative, unit = self._furthest[0]
            held = self._resident.get(unit, 0)
            if held == 0 or self._uses[unit] != -negative:
                heappop(self._furthest)
                continue
            gone = min(held, self._used - self._capacity)
            self._resident[unit] = held - gone
            self._used -= gone
            written += gone if unit in self._dirty else 0
            if gone == held:
                self._dirty.discard(unit)
        return written


def _next_uses(future: Sequence[int]) -> list[int]:
    """For each position, where its unit is used next; beyond the end: never again."""
    following: dict[int, int] = {}
    found = [0] * len(future)
    for place in range(len(future) - 1, -1, -1):
        found[place] = following.get(future[place], len(future) + 1)
        following[future[place]] = place
    return found


def most_used_first(future: Sequence[int], sizes: Mapping[int, int]) -> list[int]:
    """The order in which pinning saves most when the touches to come are known."""
    counts = dict.fromkeys(sizes, 0)
    for unit in future:
        counts[unit] += 1
    order = [(-count, place, unit) for place, (unit, count) in enumerate(counts.items())]
    heapify(order)
    return [heappop(order)[2] for _ in range(len(order))]


def make_policy(
    name: str, capacity_bytes: int, sizes: Mapping[int, int], *, future: Sequence[int] | None
) -> Policy:
    """The policy of that name; belady needs the future, pinned uses it where it is known."""
    if name == "fifo":
        return Fifo(capacity_bytes, sizes)
    if name == "lru":
        return Lru(capacity_bytes, sizes)
    if name == "pinned":
        order = None if future is None else most_used_first(future, sizes)
        return Pinned(capacity_bytes, sizes, order)
    if future is None:
        raise ValueError("belady needs the accesses to come")
    return Belady(capacity_bytes, sizes, future)
