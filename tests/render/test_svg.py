"""Pictures: each shape as SVG, text escaped."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from lanescope.render.svg import COLOURS, WIDTH, Drawing, shortened

SIZE = {"width": "3.00", "height": "4.00"}
SPACE = "{http://www.w3.org/2000/svg}"


def shapes(drawing: Drawing) -> list[tuple[str, dict[str, str], str | None]]:
    """Tag, attributes and text of what was drawn behind the background and the title."""
    elements = list(ElementTree.fromstring(drawing.svg()))
    assert [one.tag.removeprefix(SPACE) for one in elements[:4]] == [
        *("title", "style", "rect", "text")
    ]
    return [(one.tag.removeprefix(SPACE), one.attrib, one.text) for one in elements[4:]]


def test_every_shape() -> None:
    drawing = Drawing(760, 100, "title")
    drawing.rect(1, 2, 3, 4, style="c0")
    drawing.path([(0, 1), (2, 3)], "c1")
    drawing.circle(5, 6, 4.5, "c2")
    drawing.polyline([(0, 1), (2, 3)], "s0")
    drawing.line(1, 2, 3, 4)
    drawing.text(7, 8, "words", "soft", anchor="end")
    assert shapes(drawing) == [
        (
            "rect",
            {"x": "1.00", "y": "2.00", "width": "3.00", "height": "4.00", "class": "c0"},
            None,
        ),
        ("path", {"d": "M0.00 1.00 L2.00 3.00 Z", "class": "c1"}, None),
        ("circle", {"cx": "5.00", "cy": "6.00", "r": "4.5", "class": "c2"}, None),
        ("polyline", {"points": "0.00,1.00 2.00,3.00", "class": "s0"}, None),
        ("line", {"x1": "1.00", "y1": "2.00", "x2": "3.00", "y2": "4.00", "class": "line"}, None),
        ("text", {"x": "7.00", "y": "8.00", "class": "soft", "text-anchor": "end"}, "words"),
    ]


def test_text_is_data_in_the_title_and_in_the_picture() -> None:
    drawing = Drawing(760, 100, "<a> & \x00b")
    drawing.text(0, 0, "<script>'\x1b", "text")
    picture = ElementTree.fromstring(drawing.svg())
    assert picture.findtext(f"{SPACE}title") == "<a> & \ufffdb"
    assert shapes(drawing)[0][2] == "<script>'\ufffd"


def test_the_title_stands_at_the_upper_left() -> None:
    title = ElementTree.fromstring(Drawing(300, 40, "t").svg())[3]
    assert (title.attrib, title.text) == (
        {"x": "16.00", "y": "26.00", "class": "text title", "text-anchor": "start"},
        "t",
    )


def test_the_picture_has_the_size_that_was_asked_for() -> None:
    """Pages of the documentation have room for pictures of 760 pixels."""
    assert WIDTH == 760
    root = ElementTree.fromstring(Drawing(300, 40, "t").svg())
    assert (root.attrib["width"], root.attrib["height"]) == ("300", "40")
    assert root.attrib["viewBox"] == "0 0 300 40"


def test_every_colour_has_a_light_and_a_dark_form() -> None:
    svg = Drawing(1, 1, "").svg()
    assert [svg.count(f".c{number} {{ fill:") for number in range(COLOURS + 1)] == [
        *[2] * COLOURS,
        0,
    ]


@pytest.mark.parametrize(("text", "shown"), [("abcd", "abcd"), ("abcde", "abc…"), ("", "")])
def test_a_long_text_is_cut(text: str, shown: str) -> None:
    assert shortened(text, 4) == shown
