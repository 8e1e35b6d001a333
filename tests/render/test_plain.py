"""Sections as plain text, whole."""

from __future__ import annotations

import pytest

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
    section = Section(title="T", lines=("a" * 18 + " " + "b" * 19 + " c",))
    assert render_sections([section], 1) == f"T\n  {'a' * 18} {'b' * 19}\n  c\n"


def test_no_sections_are_one_newline() -> None:
    assert render_sections([]) == "\n"


@pytest.mark.parametrize(
    ("facts", "lines", "between"),
    [((), (), ""), ((("a", "b"),), (), "  a  b\n\n"), ((), ("A sentence.",), "  A sentence.\n\n")],
)
def test_a_table_is_apart_from_what_stands_above_it(
    facts: tuple[tuple[str, str], ...], lines: tuple[str, ...], between: str
) -> None:
    section = Section(title="T", facts=facts, lines=lines, columns=TABLE[1:2])
    assert render_sections([section]) == f"T\n{between}   runs\n  -----\n  1,200\n      3\n"


@pytest.mark.parametrize(("width", "pieces"), [(43, 1), (42, 2)])
def test_a_table_is_cut_only_where_it_does_not_fit(width: int, pieces: int) -> None:
    columns = [PageColumn(letter * 18, "count", (1,)) for letter in "xy"]
    text = render_sections(
        [Section(title="T", columns=(PageColumn("k", "text", ("a",), key=True), *columns))], width
    )
    assert text.count("k") == pieces


def test_lines_are_not_cut_at_hyphens() -> None:
    """Seven words fit behind the label and eight on a line; half a word more would, too."""
    words = ["ab-cd"] * 12
    section = Section(title="T", facts=(("label", " ".join(words)),), lines=(" ".join(words),))
    assert render_sections([section], 54) == (
        f"T\n  label  {' '.join(words[:7])}\n         {' '.join(words[7:])}\n"
        f"  {' '.join(words[:8])}\n  {' '.join(words[8:])}\n"
    )


def test_a_page_is_100_letters_wide() -> None:
    words = "w" * 48 + " " + "w" * 49
    section = Section(title="T", lines=(words, words + "w"))
    assert render_sections([section]) == (f"T\n  {words}\n  {'w' * 48}\n  {'w' * 50}\n")
