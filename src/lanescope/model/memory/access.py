"""The words of the memory models: pieces, accesses, and what they cost in picoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

PS_PER_S = 10**12


class Piece(NamedTuple):
    """Adjacent bytes that one transfer moves."""

    address: int
    size_bytes: int


Pieces = Sequence[Piece] | npt.NDArray[Any]
"""Several pieces; as an array, a row with address and size for each."""


class Access(NamedTuple):
    """One transfer of a program; it asks for all its pieces at once."""

    pieces: Pieces
    writes: bool = False
    reads_first: bool = False
    """Whether a write reads its pieces before, to change a part of them."""

    @property
    def reads(self) -> bool:
        """Whether bytes come out of the memory."""
        return self.reads_first or not self.writes


class Charge(NamedTuple):
    """Picoseconds that one access took."""

    link_ps: int
    memory_ps: int
    total_ps: int
    """Less than the sum of both where link and memory work at once."""


def rows_of(pieces: Pieces) -> npt.NDArray[Any]:
    """The pieces as an array, a row with address and size for each."""
    return np.asarray(pieces, np.int64).reshape(-1, 2)


def total_bytes(pieces: Pieces) -> int:
    """Bytes of all pieces together."""
    return int(rows_of(pieces)[:, 1].sum())
