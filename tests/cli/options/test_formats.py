"""Formats in the help text, and their options on the command line."""

from __future__ import annotations

import argparse

import pytest

from lanescope.cli.options.formats import add_option, given, list_formats
from lanescope.errors import UsageError
from lanescope.formats import FormatOption


def even(text: str) -> int:
    if int(text) % 2:
        raise UsageError(f"expected an even number, found {text!r}")
    return int(text)


EVEN = FormatOption(name="toy_even", help="100 % even", parse=even)
WHOLE = FormatOption(name="toy_whole", help="whole", parse=int)


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="x",
        description="Do it.",
        exit_on_error=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option in (EVEN, WHOLE):
        add_option(parser, option, option.help)
    return parser


def test_formats_stand_below_the_description(parser: argparse.ArgumentParser) -> None:
    list_formats(parser, [("a", "word " * 19 + "last"), ("long", "short")])
    assert parser.description == (
        f"Do it.\n\nformats:\n  a     {'word ' * 17}word\n        word last\n  long  short"
    )
    assert "100 % even" in parser.format_help()


def test_options_that_were_given(parser: argparse.ArgumentParser) -> None:
    args = parser.parse_args(["--toy-even", "0"])
    assert given(args, [EVEN, WHOLE]) == {"toy_even": 0}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--toy-even", "3"], "argument --toy-even: expected an even number, found '3'"),
        (["--toy-whole", "x"], "argument --toy-whole: invalid int value: 'x'"),
    ],
)
def test_a_wrong_value_is_usage(
    parser: argparse.ArgumentParser, words: list[str], problem: str
) -> None:
    with pytest.raises(argparse.ArgumentError) as caught:
        parser.parse_args(words)
    assert str(caught.value) == problem
