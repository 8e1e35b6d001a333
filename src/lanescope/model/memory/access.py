"""The words of the memory models: pieces, accesses, and what they cost in picoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PS_PER_S = 10**12


class Piece(NamedTuple):
    """Adjacent bytes that one transfer moves."""

    address: int
    size_bytes: int


class Access(NamedTuple):
    """One transfer of a program; it asks for all its pieces at once."""

    pieces: Sequence[Piece]
    writes: bool = False
    reads_first: bool = False
    """Whether a write reads its pieces before, to change a part of them."""


class Charge(NamedTuple):
    """Picoseconds that one access took."""

    link_ps: int
    memory_ps: int
    total_ps: int
    """Less than the sum of both where link and memory work at once."""


def total_bytes(pieces: Sequence[Piece]) -> int:
    """Bytes of all pieces together."""
    return sum(piece.size_bytes for piece in pieces)
