"""Sections as plain text, whole."""

from __future__ import annotations

from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections

TABLE = (
    PageColumn("function", "text", ("QK", "softmax"), key=True),
    PageColumn("runs", "count", (1200, 3)),
    PageColumn("time", "time", (1500, None)),
)


def test_a_section_with_everything() -> None:
    section = Section(
        title="Functions",
        facts=(("level", "3"), ("cores", "2 of 2")),
        lines=("A sentence.",),
        columns=TABLE,
        notes=("A note.",),
    )
    assert render_sections([section]) == (
        "Functions\n"
        "  level  3\n"
        "  cores  2 of 2\n"
        "  A sentence.\n"
        "\n"
        "  function   runs  time ns\n"
        "  --------  -----  -------\n"
        "  QK        1,200    1,500\n"
        "  softmax       3        -\n"
        "  A note.\n"
    )


def test_sections_are_an_empty_line_apart_and_a_warning_is_marked() -> None:
    page = [Section(title="Lost", lines=("Much.",), is_warning=True), Section(title="Rest")]
    assert render_sections(page) == "! Lost\n  Much.\n\nRest\n"


def test_a_wide_table_comes_in_pieces_that_repeat_the_key() -> None:
    key = PageColumn("name", "text", ("a",), key=True)
    wide = [PageColumn(letter * 15, "count", (1,)) for letter in "xyz"]
    assert render_sections([Section(title="T", columns=(key, *wide))], 40) == (
        "T\n"
        "  name  xxxxxxxxxxxxxxx  yyyyyyyyyyyyyyy\n"
        "  ----  ---------------  ---------------\n"
        "  a                   1                1\n"
        "\n"
        "  name  zzzzzzzzzzzzzzz\n"
        "  ----  ---------------\n"
        "  a                   1\n"
    )


def test_sentences_and_facts_are_wrapped_under_their_start() -> None:
    section = Section(title="T", facts=(("label", "word " * 10),), lines=("word " * 10,))
    assert render_sections([section], 40) == (
        "T\n"
        "  label  word word word word word word\n"
        "         word word word word\n"
        "  word word word word word word word\n"
        "  word word word\n"
    )


def test_a_width_below_forty_is_forty() -> None:
    section = Section(title="T", lines=("word " * 30,))
    assert render_sections([section], 1) == render_sections([section], 40)


def test_no_sections_are_one_newline() -> None:
    assert render_sections([]) == "\n"
