"""Tables cut to a width."""

from __future__ import annotations

from lanescope.render.layout import Strip, display_width, pad, pieces, strips
from lanescope.render.page import PageColumn


def test_a_wide_table_is_cut_and_repeats_its_keys() -> None:
    columns = (
        PageColumn("key", "text", ("k",), key=True),
        *(PageColumn(f"col{n}", "count", (1,)) for n in range(4)),
    )
    cut = [[strip.title for strip in piece] for piece in pieces(strips(columns), 15)]
    assert cut == [["key", "col0", "col1"], ["key", "col2", "col3"]]


def test_a_column_wider_than_the_page_still_comes_out() -> None:
    columns = strips(
        (PageColumn("k", "text", ("k",), key=True), PageColumn("x" * 39, "count", (1,)))
    )
    assert [len(piece) for piece in pieces(columns, 10)] == [2]


def test_columns_without_any_value_are_left_out() -> None:
    columns = (
        PageColumn("k", "text", (None, None), key=True),
        PageColumn("a", "count", (None, None)),
        PageColumn("b", "count", (None, 0)),
    )
    assert [strip.title for strip in strips(columns)] == ["k", "b"]


def test_wide_letters_take_two_columns() -> None:
    assert [display_width(text) for text in ("abc", "矩阵", "e\u0301", "µs…")] == [3, 4, 1, 3]
    assert pad("矩阵", 6, is_left=True) == "矩阵  "
    assert pad("矩阵", 6, is_left=False) == "  矩阵"


def test_a_figure_is_text_at_the_right_that_is_never_cut() -> None:
    figure = PageColumn("mean ± sd", "figure", ("1.0 ± 0.2", None, "9" * 60))
    [strip] = strips((figure,))
    assert strip == Strip("mean ± sd", ("1.0 ± 0.2", "-", "9" * 60), False, False)
