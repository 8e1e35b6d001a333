"""The plane as a picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tests.model.fit.small import LOAD, board

from lanescope.model.fit.plane import COLUMNS, MEANING, ROWS, make_plane
from lanescope.model.fit.svg import plane_svg
from lanescope.render.cells import bytes_text

PLANE = make_plane(LOAD, board(500))


def shapes(picture: str, tag: str) -> list[ElementTree.Element]:
    return [one for one in ElementTree.fromstring(picture).iter() if one.tag.endswith("}" + tag)]


def test_every_cell_has_the_colour_of_its_letter_and_tells_its_rate() -> None:
    cells = [one for one in shapes(plane_svg(PLANE, title="t"), "rect") if len(one)]
    assert len(cells) == COLUMNS * ROWS
    assert "".join(one.get("class", "") for one in cells) == "".join(PLANE.letters)
    tip = cells[0][0].text or ""
    assert tip == f"125 B, 640 B/s: {PLANE.rates[0][0]:.3g} tokens/s"


def test_the_board_is_a_ring_and_the_legend_names_the_letters_that_occur() -> None:
    picture = plane_svg(PLANE, title="t")
    assert [one.get("class") for one in shapes(picture, "circle")] == ["ring"]
    texts = [one.text for one in shapes(picture, "text")]
    assert [text for text in texts if text in MEANING.values()] == list(PLANE.used.values())
    assert "this board" in texts


def test_without_a_link_there_is_no_ring() -> None:
    picture = plane_svg(make_plane(LOAD, board(500, link=None)), title="t")
    assert shapes(picture, "circle") == []


def test_names_are_escaped() -> None:
    assert "&lt;model&gt; &amp; board" in plane_svg(PLANE, title="<model> & board")


def test_labels_stand_at_their_columns_and_rows() -> None:
    """Four of each axis; cells are 13 wide and 20 high, the first one at (104, 56)."""
    picture = plane_svg(PLANE, title="t")
    at = {
        one.text: (float(one.get("x", 0)), float(one.get("y", 0)))
        for one in shapes(picture, "text")
    }
    below = 56 + 20 * ROWS
    for column in (0, 15, 31, 47):
        label = bytes_text(PLANE.capacities[column])
        assert at[label] == (104 + 13 * (column + 0.5), below + 16)
    for row in (0, 5, 10, 16):
        label = f"{bytes_text(PLANE.links[row])}/s"
        assert at[label] == pytest.approx((104 - 8, 56 + 20 * (row + 0.7)))
    assert at["memory capacity"] == (104 + 13 * COLUMNS / 2, below + 32)
    assert at["link to the host"] == (16, 48)
    for place, meaning in enumerate(PLANE.used.values()):
        assert at[meaning] == (104 + 22, below + 50 + 18 * place)


def test_the_ring_is_around_the_cell_of_the_board() -> None:
    (ring,) = shapes(plane_svg(PLANE, title="t"), "circle")
    assert PLANE.mark is not None
    column, row = PLANE.mark
    centre = float(ring.get("cx", 0)), float(ring.get("cy", 0))
    assert centre == (104 + 13 * (column + 0.5), 56 + 20 * (row + 0.5))


def test_the_picture_is_as_large_as_what_is_drawn() -> None:
    """A line of the legend is 18 high; the board's name stands 12 beside the ring and 4 below."""
    picture = plane_svg(PLANE, title="t")
    root = ElementTree.fromstring(picture)
    below = 56 + 20 * ROWS
    size = str(104 + 13 * COLUMNS + 40), str(below + 60 + 18 * len(PLANE.used))
    assert (root.get("width"), root.get("height")) == size
    keys = [one for one in shapes(picture, "rect") if one.get("height") == "14.00"]
    assert [(one.get("class"), one.get("x"), one.get("y"), one.get("width")) for one in keys] == [
        (letter, "104.00", f"{below + 39 + 18 * place}.00", "14.00")
        for place, letter in enumerate(PLANE.used)
    ]
    (ring,) = shapes(picture, "circle")
    (name,) = [one for one in shapes(picture, "text") if one.text == "this board"]
    assert ring.get("r") == "8"
    assert float(name.get("x", 0)) == float(ring.get("cx", 0)) + 12
    assert float(name.get("y", 0)) == float(ring.get("cy", 0)) + 4
