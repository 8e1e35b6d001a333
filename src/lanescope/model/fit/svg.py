"""The plane of a fit as an SVG picture: a cell per capacity and link, coloured by its regime."""

from __future__ import annotations

from lanescope.model.fit.plane import MEANING, Plane
from lanescope.render.cells import bytes_text
from lanescope.render.svg import Drawing

_LEFT, _TOP, _CELL_WIDTH, _CELL_HEIGHT = 104, 56, 13, 20
_LABELS = 4
_STYLE = """
.R { fill: #7fc97f; } .k { fill: #fdc086; } .K { fill: #beaed4; }
.s { fill: #f4a0a0; } .S { fill: #a6cee3; }
.ring { fill: none; stroke: #1c2430; stroke-width: 3; } .board { fill: #1c2430; }
@media (prefers-color-scheme: dark) {
.R { fill: #3f8a4b; } .k { fill: #b0742f; } .K { fill: #77649c; }
.s { fill: #a8504e; } .S { fill: #3f7596; }
.ring { stroke: #ffffff; } .board { fill: #ffffff; }
}
"""


def plane_svg(plane: Plane, *, title: str) -> str:
    """Draw the plane: cells, both axes, what the colours mean, and the board as a ring.

    A cell tells its capacity, link and tokens per second when it is pointed at.
    """
    width, height = len(plane.capacities) * _CELL_WIDTH, len(plane.links) * _CELL_HEIGHT
    legend = [letter for letter in MEANING if letter in plane.used]
    drawing = Drawing(
        _LEFT + width + 40, _TOP + height + 60 + 18 * len(legend), title, style=_STYLE
    )
    for row, letters in enumerate(plane.letters):
        _draw_row(drawing, plane, row, letters=letters)
    _draw_axes(drawing, plane, width, height=height)
    if plane.mark is not None:
        column, row = plane.mark
        x, y = _LEFT + (column + 0.5) * _CELL_WIDTH, _TOP + (row + 0.5) * _CELL_HEIGHT
        drawing.circle(x, y, 8, "ring")
        drawing.text(x + 12, y + 4, "this board", "board")
    for place, letter in enumerate(legend):
        y = _TOP + height + 50 + 18 * place
        drawing.rect(_LEFT, y - 11, 14, 14, style=letter)
        drawing.text(_LEFT + 22, y, MEANING[letter], "text")
    return drawing.svg()


def _draw_row(drawing: Drawing, plane: Plane, row: int, *, letters: str) -> None:
    link = f"{bytes_text(plane.links[row])}/s"
    for column, letter in enumerate(letters):
        where = f"{bytes_text(plane.capacities[column])}, {link}"
        drawing.cell(
            _LEFT + column * _CELL_WIDTH,
            _TOP + row * _CELL_HEIGHT,
            _CELL_WIDTH,
            _CELL_HEIGHT,
            style=letter,
            tip=f"{where}: {plane.rates[row][column]:.3g} tokens/s",
        )


def _draw_axes(drawing: Drawing, plane: Plane, width: int, *, height: int) -> None:
    for n in range(_LABELS):
        column = n * (len(plane.capacities) - 1) // (_LABELS - 1)
        x = _LEFT + (column + 0.5) * _CELL_WIDTH
        label = bytes_text(plane.capacities[column])
        drawing.text(x, _TOP + height + 16, label, "text", anchor="middle")
        row = n * (len(plane.links) - 1) // (_LABELS - 1)
        y = _TOP + (row + 0.7) * _CELL_HEIGHT
        drawing.text(_LEFT - 8, y, f"{bytes_text(plane.links[row])}/s", "text", anchor="end")
    below = _TOP + height + 32
    drawing.text(_LEFT + width / 2, below, "memory capacity", "soft", anchor="middle")
    drawing.text(16, _TOP - 8, "link to the host", "soft")
