"""The words of the memory models: what is accessed, and what it costs, in whole picoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PS_PER_S = 10**12


class Piece(NamedTuple):
    """Bytes next to each other that one transfer moves."""

    address: int
    size_bytes: int


class Access(NamedTuple):
    """One transfer of a program: all pieces are asked for at once."""

    pieces: Sequence[Piece]
    writes: bool = False


class Charge(NamedTuple):
    """What one access cost; `total_ps` is less than the sum where link and memory work at once."""

    link_ps: int
    memory_ps: int
    total_ps: int


def total_bytes(pieces: Sequence[Piece]) -> int:
    return sum(piece.size_bytes for piece in pieces)
