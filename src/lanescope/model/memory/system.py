"""A memory as a program sees it: timing × what is resident × link × statistics.

Without a host part it is the plain memory (`hbm`): the other models cannot change it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lanescope.model.memory.access import Access, Charge, Piece, total_bytes
from lanescope.model.memory.link import AnyLink
from lanescope.model.memory.placement import Placement, Span
from lanescope.model.memory.policies import Policy, Touch, Traffic
from lanescope.model.memory.statistics import Statistics
from lanescope.model.memory.timing import Timing


class HostPart(NamedTuple):
    """What depends on the host: what lies where, what stays, the link."""

    placement: Placement
    policy: Policy
    link: AnyLink


class MemorySystem:
    """Charges accesses one after the other; `statistics` says what happened."""

    def __init__(
        self, statistics: Statistics, timing: Timing, host: HostPart | None = None
    ) -> None:
        self.statistics = statistics
        self._timing = timing
        self._host = host

    def read(self, pieces: Sequence[Piece], *, at_ps: int | None = None) -> Charge:
        """Cost of one read; `at_ps` is when it begins (None: after the last access)."""
        self.statistics.read_bytes += total_bytes(pieces)
        return self._count(Access(pieces), at_ps)

    def write(self, pieces: Sequence[Piece], *, at_ps: int | None = None) -> Charge:
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

    def _charge(self, host: HostPart, access: Access, at_ps: int | None) -> Charge:
        """A swap comes before the access; what passes the memory by goes beside it."""
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

    def _note(self, traffic: Traffic, *, writes: bool) -> None:
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
    policy: Policy, spans: Sequence[Span], *, writes: bool
) -> list[tuple[Touch, list[Piece]]]:
    """The policy's touches with their pieces: each piece, or one touch per unit and access."""
    if policy.by_piece:
        return [
            (Touch(unit, start, start + piece.size_bytes, writes), [piece])
            for unit, start, piece in spans
        ]
    pieces: dict[int, list[Piece]] = {}
    for span in spans:
        pieces.setdefault(span.unit, []).append(span.piece)
    return [(Touch(unit, 0, 0, writes), found) for unit, found in pieces.items()]


def _without(pieces: list[Piece], passing_bytes: int) -> list[Piece]:
    """The pieces without the last bytes of the only one, which pass by."""
    if passing_bytes == 0:
        return pieces
    (piece,) = pieces
    inside = piece.size_bytes - passing_bytes
    return [Piece(piece.address, inside)] if inside else []
