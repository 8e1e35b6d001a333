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


def test_a_column_that_is_kept_is_shown_without_values() -> None:
    columns = (
        PageColumn("kept", "count", (None,), kept=True),
        PageColumn("left out", "count", (None,)),
    )
    assert strips(columns) == [Strip("kept", ("-",), False, False)]


def test_columns_of_one_scale_have_the_unit_of_the_largest_that_is_shown() -> None:
    columns = (
        PageColumn("a", "time", (5,), scale="s"),
        PageColumn("b", "time", (20_000,), scale="s"),
        PageColumn("c", "time", (5,)),
        PageColumn("d", "time", (5,), scale="other"),
        PageColumn("e", "time", (20_000,)),
    )
    assert [(strip.title, strip.cells) for strip in strips(columns)] == [
        *[("a µs", ("0.01",)), ("b µs", ("20.00",))],
        *[("c ns", ("5",)), ("d ns", ("5",)), ("e µs", ("20.00",))],
    ]


def test_a_piece_is_as_wide_as_its_columns_and_the_gaps_between_them() -> None:
    columns = [Strip(title, (), False, title == "k") for title in ("k", "aa", "bb")]
    titles = [[[s.title for s in piece] for piece in pieces(columns, width)] for width in (9, 8)]
    assert titles == [[["k", "aa", "bb"]], [["k", "aa"], ["k", "bb"]]]
    assert [len(piece) for piece in pieces(columns, 11, gap=3)] == [3]
    assert [len(piece) for piece in pieces(columns, 10, gap=3)] == [2, 2]


def test_a_table_of_keys_alone_is_one_piece() -> None:
    keys = [Strip("k", ("a",), True, True)]
    assert pieces(keys, 80) == [keys]


def test_the_first_column_opens_a_piece_even_if_it_is_empty() -> None:
    empty = Strip("", ("",), False, False)
    assert pieces([empty], 80) == [[empty]]
