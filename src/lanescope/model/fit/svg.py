"""The plane as an SVG picture, written by hand: no plotting library, any browser opens it."""

from __future__ import annotations

from html import escape

from lanescope.model.fit.plane import MEANING, Plane
from lanescope.model.memory.sizes import shown_bytes

_COLOURS = {"R": "#7fc97f", "k": "#fdc086", "K": "#beaed4", "s": "#f4a0a0", "S": "#a6cee3"}
_LEFT, _TOP, _CELL_WIDTH, _CELL_HEIGHT = 90, 40, 13, 20
_LABELS = 4


def plane_svg(plane: Plane, *, title: str) -> str:
    """Cells in colours, both axes, what the colours mean, and the board as a ring."""
    columns, rows = len(plane.capacities), len(plane.links)
    width, height = columns * _CELL_WIDTH, rows * _CELL_HEIGHT
    parts = [_text(_LEFT, 22, title, size=14)]
    for row, letters in enumerate(plane.letters):
        parts += _cells(plane, row, letters)
    parts += _axes(plane, width, height)
    if plane.mark is not None:
        column, row = plane.mark
        x, y = _LEFT + (column + 0.5) * _CELL_WIDTH, _TOP + (row + 0.5) * _CELL_HEIGHT
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="none" stroke="black" stroke-width="3"/>'
        )
        parts.append(_text(x + 12, y + 4, "this board"))
    used = [letter for letter in MEANING if any(letter in line for line in plane.letters)]
    for place, letter in enumerate(used):
        y = _TOP + height + 50 + 18 * place
        parts.append(_box(_LEFT, y - 11, 14, 14, _COLOURS[letter]))
        parts.append(_text(_LEFT + 22, y, MEANING[letter]))
    total_height = _TOP + height + 60 + 18 * len(used)
    total_width = _LEFT + width + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_width}" height="{total_height}" '
        f'viewBox="0 0 {total_width} {total_height}" font-family="sans-serif">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _cells(plane: Plane, row: int, letters: str) -> list[str]:
    """One box per run of equal letters; every cell tells its rate when pointed at."""
    found = []
    for column, letter in enumerate(letters):
        x, y = _LEFT + column * _CELL_WIDTH, _TOP + row * _CELL_HEIGHT
        rate = plane.rates[row][column]
        where = f"{shown_bytes(plane.capacities[column])}, {shown_bytes(plane.links[row])}/s"
        tip = f"<title>{escape(f'{where}: {rate:.3g} tokens/s')}</title>"
        found.append(
            f'<rect x="{x}" y="{y}" width="{_CELL_WIDTH}" height="{_CELL_HEIGHT}" '
            f'fill="{_COLOURS[letter]}">{tip}</rect>'
        )
    return found


def _axes(plane: Plane, width: int, height: int) -> list[str]:
    found = []
    for n in range(_LABELS):
        column = n * (len(plane.capacities) - 1) // (_LABELS - 1)
        x = _LEFT + (column + 0.5) * _CELL_WIDTH
        label = shown_bytes(plane.capacities[column])
        found.append(_text(x, _TOP + height + 16, label, anchor="middle"))
        row = n * (len(plane.links) - 1) // (_LABELS - 1)
        y = _TOP + (row + 0.7) * _CELL_HEIGHT
        found.append(_text(_LEFT - 8, y, shown_bytes(plane.links[row]) + "/s", anchor="end"))
    found.append(_text(_LEFT + width / 2, _TOP + height + 32, "memory capacity", anchor="middle"))
    found.append(_text(_LEFT - 8, _TOP - 6, "link to the host", anchor="end"))
    return found


def _text(x: float, y: float, text: str, *, size: int = 11, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"/>'
