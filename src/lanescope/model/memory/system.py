"""A memory as a program sees it: it charges accesses and counts what happens.

Without a host side it is the plain memory (`hbm`), which the other models cannot change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lanescope.model.memory.access import Access, Charge, Piece, total_bytes
from lanescope.model.memory.link import AnyLink
from lanescope.model.memory.placement import Placement, UnitSpan
from lanescope.model.memory.policies import LinkTraffic, Policy, Touch
from lanescope.model.memory.statistics import CHUNK, HostStatistics, Statistics
from lanescope.model.memory.timing import Timing


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

    def read(self, pieces: Sequence[Piece], *, at_ps: int | None = None) -> Charge:
        """Charge one read that begins at `at_ps`; None: after the last access."""
        return self.serve(Access(pieces), at_ps=at_ps)

    def write(self, pieces: Sequence[Piece], *, at_ps: int | None = None) -> Charge:
        """Charge one write that begins at `at_ps`; None: after the last access."""
        return self.serve(Access(pieces, writes=True), at_ps=at_ps)

    def serve(self, access: Access, *, at_ps: int | None = None) -> Charge:
        """Charge one access that begins at `at_ps`; None: after the last access."""
        moved = total_bytes(access.pieces)
        if access.writes:
            self.statistics.written_bytes += moved
        if access.reads_first or not access.writes:
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
        if not access.pieces:
            return 0
        read_ps = 0
        if access.reads_first or not access.writes:
            read_ps = self._timing.read_ps(access.pieces, at_ps)
        if not access.writes:
            return read_ps
        begin_ps = None if at_ps is None else at_ps + read_ps
        return read_ps + self._timing.write_ps(access.pieces, begin_ps)

    def _charge(self, host: HostSide, access: Access, at_ps: int | None) -> Charge:
        """Charge an access: a swap comes before it, bytes that pass by go beside it."""
        parts = host.placement.split(access.pieces)
        counts = host.statistics
        counts.unlisted_bytes += parts.unlisted_bytes
        if access.reads_first or not access.writes:
            counts.weight_bytes += sum(span.piece.size_bytes for span in parts.movable)
            counts.weight_reads += sum(_chunks(span.piece) for span in parts.movable)
            counts.activation_bytes += total_bytes(parts.kept)
            counts.activation_reads += sum(map(_chunks, parts.kept))
        moved, passing, inside = 0, 0, parts.kept
        for touch, pieces in _touches(host.policy, parts.movable, writes=access.writes):
            traffic = host.policy.touch(touch)
            _note(counts, traffic, writes=access.writes)
            moved += traffic.loaded_bytes + traffic.written_back_bytes
            passing += traffic.passing_bytes
            inside = inside + _without(pieces, traffic.passing_bytes)
        counts.resident_bytes = host.policy.resident_bytes
        swap_link_ps = host.link.charge_ps(moved)
        swap_ps = max(swap_link_ps, self._timing.stream_ps(moved))
        passing_ps = host.link.charge_ps(passing)
        begin_ps = None if at_ps is None else at_ps + swap_ps
        memory_ps = self._memory_ps(access._replace(pieces=inside), begin_ps)
        counts.swap_ps += swap_ps
        counts.link_ps += swap_link_ps + passing_ps
        return Charge(swap_link_ps + passing_ps, memory_ps, swap_ps + max(passing_ps, memory_ps))


def _note(counts: HostStatistics, traffic: LinkTraffic, *, writes: bool) -> None:
    counts.hits += traffic.moved_bytes == 0
    counts.swaps += traffic.loaded_bytes > 0
    counts.swapped_bytes += traffic.loaded_bytes
    counts.written_back_bytes += traffic.written_back_bytes
    if writes:
        counts.written_back_bytes += traffic.passing_bytes
    else:
        counts.streamed_bytes += traffic.passing_bytes


def _chunks(piece: Piece) -> int:
    """Requests of 64 bytes that a piece needs."""
    first, last = piece.address // CHUNK, (piece.address + piece.size_bytes - 1) // CHUNK
    return last - first + 1


def _touches(
    policy: Policy, spans: Sequence[UnitSpan], *, writes: bool
) -> list[tuple[Touch, list[Piece]]]:
    """Touches with their pieces: one per piece, or one per unit, as the policy wants."""
    if policy.by_piece:
        return [
            (Touch(unit, start, start + piece.size_bytes, writes), [piece])
            for unit, start, piece in spans
        ]
    by_unit: dict[int, list[Piece]] = {}
    for span in spans:
        by_unit.setdefault(span.unit, []).append(span.piece)
    return [(Touch(unit, 0, 0, writes), pieces) for unit, pieces in by_unit.items()]


def _without(pieces: list[Piece], passing_bytes: int) -> list[Piece]:
    """The pieces without the bytes that pass by, which are the last of the only piece."""
    if passing_bytes == 0:
        return pieces
    (piece,) = pieces
    inside = piece.size_bytes - passing_bytes
    return [Piece(piece.address, inside)] if inside else []
