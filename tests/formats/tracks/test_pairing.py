"""Begins and ends of slices: the last begin of a track is paired first."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.formats.tracks.pairing import pair_ends


@pytest.mark.parametrize(
    ("rows", "pairs"),
    [
        ("", []),
        ("0+", []),
        ("0-", []),
        ("0+ 0-", [(0, 1)]),
        ("0- 0+", []),
        ("0+ 0+ 0- 0-", [(1, 2), (0, 3)]),
        ("0+ 0- 0+ 0-", [(0, 1), (2, 3)]),
        ("0+ 1+ 0- 1-", [(0, 2), (1, 3)]),
        ("0+ 1-", []),
        ("1+ 0-", []),
        ("0- 0+ 0- 0- 0+ 0-", [(1, 2), (4, 5)]),
        ("0+ 0+ 0-", [(1, 2)]),
        ("3+ 0+ 3+ 3- 0- 3-", [(1, 4), (2, 3), (0, 5)]),
    ],
)
def test_an_end_belongs_to_the_last_begin_of_its_track_that_is_open(
    rows: str, pairs: list[tuple[int, int]]
) -> None:
    track = np.array([int(row[0]) for row in rows.split()], np.int64)
    begins = np.array([row[1] == "+" for row in rows.split()], bool)
    first, second = pair_ends(track, begins)
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == sorted(pairs)
