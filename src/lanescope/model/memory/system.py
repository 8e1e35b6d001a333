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
from lanescope.model.memory.statistics import Statistics
from lanescope.model.memory.timing import Timing


class HostSide(NamedTuple):
    """What depends on the host: what lies where, the policy, and the link."""

    placement: Placement
    policy: Policy
    link: AnyLink


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
        self.statistics.read_bytes += total_bytes(pieces)
        return self._count(Access(pieces), at_ps)

    def write(self, pieces: Sequence[Piece], *, at_ps: int | None = None) -> Charge:
        """Charge one write that begins at `at_ps`; None: after the last access."""
        self.statistics.written_bytes += total_bytes(pieces)
        return self._count(Access(pieces, writes=True), at_ps)

    def _count(self, access: Access, at_ps: int | None) -> Charge:
        if self._host is None:
            memory_ps = self._memory_ps(access, at_ps)
            charge = Charge(0, memory_ps, memory_ps)
        else:
            charge = self._charge(self._host, access, at_ps)
        counts = self.statistics
        counts.accesses += 1
        counts.link_ps += charge.link_ps
        counts.memory_ps += charge.memory_ps
        counts.total_ps += charge.total_ps
        return charge

    def _memory_ps(self, access: Access, at_ps: int | None) -> int:
        if not access.pieces:
            return 0
        if access.writes:
            return self._timing.write_ps(access.pieces, at_ps)
        return self._timing.read_ps(access.pieces, at_ps)

    def _charge(self, host: HostSide, access: Access, at_ps: int | None) -> Charge:
        """Charge an access: a swap comes before it, bytes that pass by go beside it."""
        parts = host.placement.split(access.pieces)
        self.statistics.unlisted_bytes += parts.unlisted_bytes
        moved, passing, inside = 0, 0, parts.kept
        for touch, pieces in _touches(host.policy, parts.movable, writes=access.writes):
            traffic = host.policy.touch(touch)
            self._note(traffic, writes=access.writes)
            moved += traffic.loaded_bytes + traffic.written_back_bytes
            passing += traffic.passing_bytes
            inside = inside + _without(pieces, traffic.passing_bytes)
        self.statistics.resident_bytes = host.policy.resident_bytes
        swap_link_ps = host.link.charge_ps(moved)
        swap_ps = max(swap_link_ps, self._timing.stream_ps(moved))
        passing_ps = host.link.charge_ps(passing)
        begin_ps = None if at_ps is None else at_ps + swap_ps
        memory_ps = self._memory_ps(Access(inside, access.writes), begin_ps)
        return Charge(swap_link_ps + passing_ps, memory_ps, swap_ps + max(passing_ps, memory_ps))

    def _note(self, traffic: LinkTraffic, *, writes: bool) -> None:
        counts = self.statistics
        counts.hits += traffic.moved_bytes == 0
        counts.swaps += traffic.loaded_bytes > 0
        counts.swapped_bytes += traffic.loaded_bytes
        counts.written_back_bytes += traffic.written_back_bytes
        if writes:
            counts.written_back_bytes += traffic.passing_bytes
        else:
            counts.streamed_bytes += traffic.passing_bytes


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
