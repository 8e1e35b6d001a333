"""An SVG picture of a few shapes and texts, light or dark as the reader's system asks."""

from __future__ import annotations

from html import escape

from lanescope.render.names import printable

WIDTH = 760
"""Width of every picture, in pixels."""
FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
COLOURS = 10
"""Number of colours for things side by side: styles c0, c1, …"""

_STYLE = f"""
.back {{ fill: #ffffff; }} .text {{ fill: #1c2430; }} .soft {{ fill: #5c6775; }}
.line {{ stroke: #dfe3e8; }} text {{ font: 12px {FONT}; }} .title {{ font: 600 14px {FONT}; }}
.c0 {{ fill: #4a7ab5; }} .c1 {{ fill: #d99a2b; }} .c2 {{ fill: #c8504b; }}
.c3 {{ fill: #8873b8; }} .c4 {{ fill: #4f9d8b; }} .c5 {{ fill: #7f9f48; }}
.c6 {{ fill: #d0366f; }} .c7 {{ fill: #3f4a58; }} .c8 {{ fill: #9aa3ad; }} .c9 {{ fill: #dfe3e8; }}
polyline {{ fill: none; stroke-width: 1.6; }}
.s0 {{ stroke: #4a7ab5; }} .s1 {{ stroke: #d99a2b; }}
.s2 {{ stroke: #c8504b; }} .s3 {{ stroke: #8873b8; }}
@media (prefers-color-scheme: dark) {{
.back {{ fill: #12161c; }} .text {{ fill: #dde3ea; }} .soft {{ fill: #98a3b1; }}
.line {{ stroke: #29313d; }}
.c0 {{ fill: #6a9bd8; }} .c1 {{ fill: #e3ab49; }} .c2 {{ fill: #dd6e68; }}
.c3 {{ fill: #a28ed3; }} .c4 {{ fill: #63b5a2; }} .c5 {{ fill: #9dbd68; }}
.c6 {{ fill: #ff6fa5; }} .c7 {{ fill: #c3ccd6; }} .c8 {{ fill: #767f8a; }} .c9 {{ fill: #29313d; }}
.s0 {{ stroke: #6a9bd8; }} .s1 {{ stroke: #e3ab49; }}
.s2 {{ stroke: #dd6e68; }} .s3 {{ stroke: #a28ed3; }}
}}
"""


class Drawing:
    """A picture that is drawn shape by shape; later shapes cover earlier ones.

    Places and lengths are in pixels, y grows downwards. Text is escaped here.
    """

    def __init__(self, width: int, height: int, title: str, *, style: str = "") -> None:
        """`style` is CSS of this picture alone, behind the rules that every picture has."""
        self._width, self._height, self._title = width, height, title
        self._style = _STYLE + style
        self._shapes: list[str] = []
        self.text(16, 26, title, "text title")

    def rect(self, x: float, y: float, width: float, height: float, *, style: str) -> None:
        """Draws a filled rectangle with its upper left corner at (x, y)."""
        self._shapes.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
            f'class="{style}"/>'
        )

    def cell(
        self, x: float, y: float, width: float, height: float, *, style: str, tip: str
    ) -> None:
        """A rectangle that shows the text `tip` when it is pointed at."""
        self._shapes.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
            f'class="{style}"><title>{escape(printable(tip))}</title></rect>'
        )

    def path(self, points: list[tuple[float, float]], style: str) -> None:
        """Draws a filled area with its corners at the points."""
        line = " L".join(f"{x:.2f} {y:.2f}" for x, y in points)
        self._shapes.append(f'<path d="M{line} Z" class="{style}"/>')

    def circle(self, x: float, y: float, radius: float, style: str) -> None:
        """Draws a filled circle with its centre at (x, y)."""
        self._shapes.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" class="{style}"/>')

    def polyline(self, points: list[tuple[float, float]], style: str) -> None:
        """Draws a line through the points; styles s0, s1, … have the colours of c0, c1, …"""
        line = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        self._shapes.append(f'<polyline points="{line}" class="{style}"/>')

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draws a thin grey line from (x0, y0) to (x1, y1)."""
        self._shapes.append(
            f'<line x1="{x0:.2f}" y1="{y0:.2f}" x2="{x1:.2f}" y2="{y1:.2f}" class="line"/>'
        )

    def text(self, x: float, y: float, text: str, style: str, *, anchor: str = "start") -> None:
        """Writes a text; (x, y) is its start, middle or end on the base line, as `anchor` says."""
        self._shapes.append(
            f'<text x="{x:.2f}" y="{y:.2f}" class="{style}" text-anchor="{anchor}">'
            f"{escape(printable(text))}</text>"
        )

    def svg(self) -> str:
        """The picture as an SVG document."""
        size = f'width="{self._width}" height="{self._height}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
            f'viewBox="0 0 {self._width} {self._height}">\n'
            f"<title>{escape(printable(self._title))}</title><style>{self._style}</style>\n"
            f'<rect {size} class="back"/>\n' + "\n".join(self._shapes) + "\n</svg>\n"
        )


def shortened(text: str, length: int) -> str:
    """The text cut to `length` characters; … marks the cut."""
    return text if len(text) <= length else text[: length - 1] + "…"
