"""Sections on a terminal of a known width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from lanescope.render.page import PageColumn, Section
from lanescope.render.terminal import render_terminal


def shown(*page: Section, width: int = 60, colour: bool = False) -> str:
    """What the console got, without spaces at the ends of lines."""
    stream = io.StringIO()
    system = "standard" if colour else None
    console = Console(file=stream, width=width, color_system=system, force_terminal=True)  # type: ignore[arg-type]
    render_terminal(page, console)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


def test_a_section_with_everything() -> None:
    section = Section(
        title="Functions",
        facts=(("level", "3"), ("cores", "2 of 2")),
        lines=("A sentence.",),
        columns=(
            PageColumn("function", "text", ("QK", "softmax"), key=True),
            PageColumn("runs", "count", (1200, 3)),
        ),
        notes=("A note.",),
    )
    assert shown(section) == (
        "Functions\n"
        "  level  3\n"
        "  cores  2 of 2\n"
        "  A sentence.\n"
        "\n"
        "  function    runs\n"
        " ──────────────────\n"
        "  QK         1,200\n"
        "  softmax        3\n"
        "\n"
        "  A note.\n"
        "\n"
    )


def test_markup_in_a_name_is_text() -> None:
    name = "[red]x[/red]"
    section = Section(
        title=name,
        facts=((name, name),),
        lines=(name,),
        columns=(PageColumn(name, "text", (name,), key=True),),
        notes=(name,),
    )
    assert shown(section).count(name) == 7


@pytest.mark.parametrize(("is_warning", "style"), [(True, "\x1b[1;31m"), (False, "\x1b[1m")])
def test_a_warning_is_red(is_warning: bool, style: str) -> None:
    assert shown(Section(title="T", is_warning=is_warning), colour=True).startswith(f"{style}T")


def test_a_wide_table_comes_in_pieces() -> None:
    columns = [PageColumn(letter * 15, "count", (1,)) for letter in "xyz"]
    key = PageColumn("name", "text", ("a",), key=True)
    text = shown(Section(title="T", columns=(key, *columns)), width=40)
    assert text.count("name") == 3 and "…" not in text


@pytest.mark.parametrize(("width", "pieces"), [(29, 1), (28, 2)])
def test_a_table_is_cut_only_where_it_does_not_fit(width: int, pieces: int) -> None:
    columns = [PageColumn(letter * 9, "count", (1,)) for letter in "xy"]
    key = PageColumn("k", "text", ("a",), key=True)
    text = shown(Section(title="T", columns=(key, *columns)), width=width)
    assert text.count("k") == pieces and "…" not in text


def test_no_sections_print_nothing() -> None:
    assert shown() == ""


@pytest.mark.parametrize(
    ("section", "style"),
    [
        (Section(title="Lost", lines=("Much.",), is_warning=True), "\x1b[31m  Much.\x1b[0m"),
        (Section(title="Verdict", lines=("Much.",)), "\x1b[36m  Much.\x1b[0m"),
        (Section(title="Lost", lines=("Nothing lost.",)), "\x1b[32m  Nothing lost.\x1b[0m"),
        (Section(title="Lost", lines=("Much.",)), "  Much."),
        (Section(title="Lost", notes=("Much.",)), "\x1b[2m  Much.\x1b[0m"),
    ],
)
def test_a_sentence_has_the_colour_of_what_it_says(section: Section, style: str) -> None:
    assert shown(section, colour=True).split("\n")[1] == style


def test_a_label_and_the_titles_of_a_table_stand_out() -> None:
    section = Section(title="T", facts=(("a", "b"),), columns=(PageColumn("n", "count", (1,)),))
    assert shown(section, colour=True).split("\n")[1:5] == [
        "\x1b[2m  a\x1b[0m  b",
        "",
        " \x1b[1m \x1b[0m\x1b[1mn\x1b[0m\x1b[1m \x1b[0m",
        " ───",
    ]


def test_a_long_fact_is_folded_under_its_start() -> None:
    section = Section(title="T", facts=(("label", "x" * 20), ("b", "c")), columns=())
    assert shown(section, width=20) == f"T\n  label  {'x' * 11}\n         {'x' * 9}\n  b      c\n\n"
