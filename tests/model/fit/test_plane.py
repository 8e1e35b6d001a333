"""The plane of capacity × link bandwidth."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.model.fit.small import LOAD, board

from lanescope.model.fit.plane import MEANING, ROWS, make_plane


def test_the_plane_marks_the_board_and_knows_the_borders() -> None:
    plane = make_plane(LOAD, board(500))
    assert plane.mark is not None
    column, row = plane.mark
    assert plane.links[row] == pytest.approx(10.0)
    assert plane.letters[row][column] == "s"
    assert set("".join(plane.letters)) <= set(MEANING)
    for line in plane.letters:
        # Left to right: stream, then kv-swap, then resident.
        assert line == "".join(sorted(line, key=lambda letter: "sSkKR".index(letter)))
        for letter, capacity in zip(line, plane.capacities, strict=True):
            assert (letter == "R") == (capacity >= 1210)


def test_a_board_without_a_link_is_not_marked() -> None:
    assert make_plane(LOAD, board(500, link=None)).mark is None


def test_its_dict_says_what_every_letter_means() -> None:
    plane = make_plane(LOAD, board(500))
    figures = plane.to_dict()
    assert list(figures) == ["capacities", "links", "letters", "rates", "mark", "meaning"]
    assert figures["meaning"] == MEANING
    assert set(plane.used) == set("".join(plane.letters))


def test_the_axes_hold_the_footprint_and_the_board() -> None:
    """A quarter of the smaller of 1210 bytes and the memory to twice the larger; 64 times the link
    either way."""
    ends = [make_plane(LOAD, board(capacity)).capacities for capacity in (500, 4000)]
    assert [(one[0], one[-1]) for one in ends] == [(125, 2420), (302, 8000)]
    links = make_plane(LOAD, board(500)).links
    assert (links[0], links[-1]) == pytest.approx((640, 10 / 64))
    assert [after / before for before, after in pairwise(links)] == pytest.approx(
        [4096 ** (-1 / (ROWS - 1))] * (ROWS - 1)
    )
