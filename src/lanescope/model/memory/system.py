"""A memory as a program sees it: it charges accesses and counts what happens.

Without a host side it is the plain memory (`hbm`), which the other models cannot change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.model.memory.access import Access, Charge, Pieces, total_bytes
from lanescope.model.memory.link import AnyLink
from lanescope.model.memory.placement import Parts, Placement
from lanescope.model.memory.policies import LinkTraffic, Pinned, Policy, Touch
from lanescope.model.memory.statistics import CHUNK, HostStatistics, Statistics
from lanescope.model.memory.timing import Timing

Array = npt.NDArray[Any]


class HostSide(NamedTuple):
    """What depends on the host: what lies where, the policy, and the link."""

    placement: Placement
    policy: Policy
    link: AnyLink
    statistics: HostStatistics


class MemorySystem:
    """Charges accesses one after the other; `statistics` says what happened."""

    def __init__(
        self, statistics: Statistics, timing: Timing, host: HostSide | None = None
    ) -> None:
        self.statistics = statistics
        self._timing = timing
        self._host = host

    def read(self, pieces: Pieces, *, at_ps: int | None = None) -> Charge:
        """Charge one read that begins at `at_ps`; None: after the last access."""
        return self.serve(Access(pieces), at_ps=at_ps)

    def write(self, pieces: Pieces, *, at_ps: int | None = None) -> Charge:
        """Charge one write that begins at `at_ps`; None: after the last access."""
        return self.serve(Access(pieces, writes=True), at_ps=at_ps)

    def serve(self, access: Access, *, at_ps: int | None = None) -> Charge:
        """Charge one access that begins at `at_ps`; None: after the last access."""
        moved = total_bytes(access.pieces)
        if access.writes:
            self.statistics.written_bytes += moved
        if access.reads:
            self.statistics.read_bytes += moved
        return self._count(access, at_ps)

    def _count(self, access: Access, at_ps: int | None) -> Charge:
        if self._host is None:
            memory_ps = self._memory_ps(access, at_ps)
            charge = Charge(0, memory_ps, memory_ps)
        else:
            charge = self._charge(self._host, access, at_ps)
        counts = self.statistics
        counts.accesses += 1
        counts.memory_ps += charge.memory_ps
        counts.total_ps += charge.total_ps
        return charge

    def _memory_ps(self, access: Access, at_ps: int | None) -> int:
        if len(access.pieces) == 0:
            return 0
        read_ps = self._timing.read_ps(access.pieces, at_ps) if access.reads else 0
        if not access.writes:
            return read_ps
        begin_ps = None if at_ps is None else at_ps + read_ps
        return read_ps + self._timing.write_ps(access.pieces, begin_ps)

    def _charge(self, host: HostSide, access: Access, at_ps: int | None) -> Charge:
        """Charge an access: a swap comes before it, bytes that pass by go beside it."""
        parts = host.placement.split(access.pieces)
        counts = host.statistics
        counts.unlisted_bytes += parts.unlisted_bytes
        if access.reads:
            counts.weight_bytes += total_bytes(parts.movable)
            counts.weight_reads += _chunks(parts.movable)
            counts.activation_bytes += total_bytes(parts.kept)
            counts.activation_reads += _chunks(parts.kept)
        moved, passing = _touch(host.policy, parts, counts, writes=access.writes)
        counts.resident_bytes = host.policy.resident_bytes
        swap_link_ps = host.link.charge_ps(moved)
        swap_ps = max(swap_link_ps, self._timing.stream_ps(moved))
        passing_ps = host.link.charge_ps(int(passing.sum()))
        begin_ps = None if at_ps is None else at_ps + swap_ps
        memory_ps = self._memory_ps(access._replace(pieces=_inside(parts, passing)), begin_ps)
        counts.swap_ps += swap_ps
        counts.link_ps += swap_link_ps + passing_ps
        return Charge(swap_link_ps + passing_ps, memory_ps, swap_ps + max(passing_ps, memory_ps))


def _touch(
    policy: Policy, parts: Parts, counts: HostStatistics, *, writes: bool
) -> tuple[int, Array]:
    """Bytes that an access swaps, and per movable piece its last bytes, which pass by."""
    if isinstance(policy, Pinned):
        loaded, passing = _pinned(policy, parts)
        counts.hits += int(((passing == 0) & (loaded == 0)).sum())
        counts.swaps += int((loaded > 0).sum())
        counts.swapped_bytes += int(loaded.sum())
        if writes:
            counts.written_back_bytes += int(passing.sum())
        else:
            counts.streamed_bytes += int(passing.sum())
        return int(loaded.sum()), passing
    moved = 0
    for unit in dict.fromkeys(parts.unit.tolist()):
        traffic = policy.touch(Touch(unit, 0, 0, writes))
        _note(counts, traffic)
        moved += traffic.moved_bytes
    return moved, np.zeros(len(parts.movable), np.int64)


def _pinned(policy: Pinned, parts: Parts) -> tuple[Array, Array]:
    """Per movable piece: bytes that its touch loads, and its last bytes, which pass by."""
    units, first, at = np.unique(parts.unit, return_index=True, return_inverse=True)
    kept = np.array([policy.kept_bytes(unit) for unit in units.tolist()], np.int64)[at]
    loaded = np.zeros(len(at), np.int64)
    loaded[first] = [policy.load(unit) for unit in units.tolist()]
    end = parts.start + parts.movable[:, 1]
    return loaded, np.maximum(0, end - np.maximum(parts.start, kept))


def _note(counts: HostStatistics, traffic: LinkTraffic) -> None:
    counts.hits += traffic.moved_bytes == 0
    counts.swaps += traffic.loaded_bytes > 0
    counts.swapped_bytes += traffic.loaded_bytes
    counts.written_back_bytes += traffic.written_back_bytes


def _inside(parts: Parts, passing: Array) -> Array:
    """The pieces that the memory serves: all but the bytes that pass by."""
    if not passing.any():
        return np.concatenate([parts.kept, parts.movable])
    inside = parts.movable.copy()
    inside[:, 1] -= passing
    return np.concatenate([parts.kept, inside[inside[:, 1] > 0]])


def _chunks(pieces: Array) -> int:
    """Requests of 64 bytes that pieces need."""
    last = pieces[:, 0] + pieces[:, 1] - 1
    return int((last // CHUNK - pieces[:, 0] // CHUNK + 1).sum())
