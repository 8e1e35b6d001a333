"""Policies: which units (layers or regions) stay in a memory that cannot hold all of them.

fifo and lru hold whole units. pinned and belady hold bytes: a unit may be resident in part, so one
byte over capacity costs one byte. Bytes that pinned does not hold pass the memory by.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

POLICIES = ("fifo", "lru", "pinned", "belady")


class Touch(NamedTuple):
    """An access to the bytes from `start` to `end` of a unit."""

    unit: int
    start: int
    end: int
    dirties: bool = False
    """Whether it writes, so that the unit must go back to the host."""


class LinkTraffic(NamedTuple):
    """Bytes that one touch moves over the link."""

    loaded_bytes: int
    """Bytes into the memory."""
    written_back_bytes: int
    """Bytes out of the memory, to make room."""
    passing_bytes: int = 0
    """Bytes between link and core, past the memory, in the direction of the access."""

    @property
    def moved_bytes(self) -> int:
        """Bytes over the link in both directions."""
        return self.loaded_bytes + self.written_back_bytes + self.passing_bytes


class Policy(Protocol):
    """Decides which bytes stay in the memory: never more than its capacity."""

    @property
    def resident_bytes(self) -> int:
        """Bytes that are in the memory now."""
        ...

    def touch(self, touch: Touch) -> LinkTraffic:
        """Access a unit; the bytes that this moves."""
        ...


class Fifo:
    """Evicts the unit that came first; a hit changes nothing."""

    def __init__(self, capacity_bytes: int, sizes: Mapping[int, int]) -> None:
        self._capacity = capacity_bytes
        self._sizes = sizes
        self._resident: OrderedDict[int, bool] = OrderedDict()
        self._used = 0

    @property
    def resident_bytes(self) -> int:
        """Bytes that are in the memory now."""
        return self._used

    def touch(self, touch: Touch) -> LinkTraffic:
        """Load the unit if it is not there; a unit larger than the memory pushes all out."""
        if touch.unit in self._resident:
            self._hit(touch.unit)
            self._resident[touch.unit] |= touch.dirties
            return LinkTraffic(0, 0)
        size = self._sizes[touch.unit]
        if size > self._capacity:
            return LinkTraffic(size, self._make_room(self._capacity) + size * touch.dirties)
        written = self._make_room(size)
        self._resident[touch.unit] = touch.dirties
        self._used += size
        return LinkTraffic(size, written)

    def _hit(self, unit: int) -> None:
        pass

    def _make_room(self, size: int) -> int:
        """Evict units from the front; the bytes that had to be written back."""
        written = 0
        while self._used + size > self._capacity:
            unit, dirty = self._resident.popitem(last=False)
            self._used -= self._sizes[unit]
            written += self._sizes[unit] if dirty else 0
        return written


class Lru(Fifo):
    """Evicts the unit that was not used for the longest time."""

    def _hit(self, unit: int) -> None:
        self._resident.move_to_end(unit)


class Pinned:
    """Keeps the first units of `order` for good, the last of them in part; the rest pass by."""

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
        """Bytes that are in the memory now."""
        return sum(self._pinned.values())

    def touch(self, touch: Touch) -> LinkTraffic:
        """Load the pinned part at the first touch; the other bytes pass the memory by."""
        kept = self.kept_bytes(touch.unit)
        loaded = self.load(touch.unit)
        return LinkTraffic(loaded, 0, max(0, touch.end - max(touch.start, kept)))

    def kept_bytes(self, unit: int) -> int:
        """The first bytes of the unit, which stay in the memory."""
        return self._pinned.get(unit, 0)

    def load(self, unit: int) -> int:
        """Bytes that the first touch of the unit loads; 0 for any other touch."""
        first = 0 if unit in self._loaded else self.kept_bytes(unit)
        self._loaded.add(unit)
        return first

    def load_all(self) -> None:
        """Load all units that stay, before the first touch."""
        self._loaded = set(self._pinned)


class Belady:
    """Evicts the bytes whose next use is furthest away. No policy moves fewer bytes.

    `future` names the unit of every touch to come, in order.
    """

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
        """Bytes that are in the memory now."""
        return self._used

    def touch(self, touch: Touch) -> LinkTraffic:
        """Load the bytes of the unit that are not there, then drop what is used last."""
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
        return LinkTraffic(missing, self._shrink())

    def _shrink(self) -> int:
        """Drop the bytes that are used last until the rest fits; the bytes written back."""
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
    """Per touch, the place where its unit is used next; a place beyond the end: never again."""
    following: dict[int, int] = {}
    next_uses = [0] * len(future)
    for place in range(len(future) - 1, -1, -1):
        next_uses[place] = following.get(future[place], len(future) + 1)
        following[future[place]] = place
    return next_uses


def most_used_first(future: Sequence[int], sizes: Mapping[int, int]) -> list[int]:
    """Units by the number of touches to come, the most first: pinning saves most so."""
    counts = dict.fromkeys(sizes, 0)
    for unit in future:
        counts[unit] += 1
    order = [(-count, place, unit) for place, (unit, count) in enumerate(counts.items())]
    heapify(order)
    return [heappop(order)[2] for _ in range(len(order))]


def make_policy(
    name: str, capacity_bytes: int, sizes: Mapping[int, int], *, future: Sequence[int] | None
) -> Policy:
    """Make the policy of that name; belady needs the future, pinned uses it where it is known."""
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
