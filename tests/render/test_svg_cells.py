"""Cells of an SVG picture, and rules of one picture alone."""

from __future__ import annotations

from lanescope.render.svg import Drawing


def test_a_cell_tells_its_tip_when_it_is_pointed_at() -> None:
    drawing = Drawing(10, 20, "title")
    drawing.cell(1, 2, 3, 4, style="c0", tip="a < b")
    place = 'x="1.00" y="2.00" width="3.00" height="4.00"'
    assert f'<rect {place} class="c0"><title>a &lt; b</title></rect>' in drawing.svg()


def test_a_picture_may_have_rules_of_its_own() -> None:
    plain, styled = (
        Drawing(10, 20, "t").svg(),
        Drawing(10, 20, "t", style=".own { fill: red; }").svg(),
    )
    assert styled == plain.replace("</style>", ".own { fill: red; }</style>")
