"""The plane as a picture."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.model.fit.small import LOAD, board

from lanescope.model.fit.plane import COLUMNS, MEANING, ROWS, make_plane
from lanescope.model.fit.svg import plane_svg

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
