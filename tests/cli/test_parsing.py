"""The parser of the command line: its refusals word by word, and which options were given."""

from __future__ import annotations

import sys

import pytest

from lanescope.cli.parsing import CommandParser, complain

Output = pytest.CaptureFixture[str]


def parser_of(*, is_top: bool = False) -> CommandParser:
    parser = CommandParser(prog="x", is_top=is_top)
    parser.add_argument("place", metavar="PLACE")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--share", type=float)
    parser.add_argument("-o", "--output")
    parser.add_argument("--ddr", "--memory", action="store_true")
    parser.add_argument("--form", choices=("csv", "json"))
    return parser


def refused(words: list[str], capsys: Output, parser: CommandParser | None = None) -> str:
    with pytest.raises(SystemExit) as stop:
        (parser or parser_of()).parse_args(words)
    said = capsys.readouterr()
    assert (stop.value.code, said.out) == (2, "")
    return said.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "expected PLACE, found nothing; see 'x --help'"),
        (
            ["a", "--count", "x"],
            "argument --count: expected a whole number, found 'x'; see 'x --help'",
        ),
        (["a", "--count", "1.5"], "argument --count: expected a whole number, found '1.5'; see "),
        (["a", "--share", "x y"], "argument --share: expected a number, found 'x y'; see 'x "),
        (["a", "b"], "found 'b' after everything that 'x' expects; see 'x --help'"),
        (["a", "b", "--cont"], "there is no option --cont in 'x'; did you mean --count?\n"),
        (["a", "--cont=3"], "there is no option --cont in 'x'; did you mean --count?\n"),
        (["a", "--qqqq"], "there is no option --qqqq in 'x'; see 'x --help'\n"),
        (
            ["a", "--form", "cvs"],
            "argument --form: expected one of csv, json, found 'cvs'; did you mean csv?\n",
        ),
        (
            ["a", "--form", "zzz"],
            "argument --form: expected one of csv, json, found 'zzz'; see 'x --help'\n",
        ),
        (["a", "--cou", "3"], "there is no option --cou in 'x'; did you mean --count?\n"),
    ],
)
def test_a_wrong_word_is_a_sentence(words: list[str], sentence: str, capsys: Output) -> None:
    assert refused(words, capsys).startswith(f"lanescope: {sentence}")


def test_a_word_that_is_no_action_names_what_is_near(capsys: Output) -> None:
    parser = CommandParser(prog="x")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("trend")
    assert refused(["trned"], capsys, parser) == (
        "lanescope: there is no action 'trned' in 'x'; did you mean trend?\n"
    )
    assert refused(["qq"], capsys, parser) == (
        "lanescope: there is no action 'qq' in 'x'; see 'x --help'\n"
    )


def test_the_options_among_the_words_are_told_by_their_last_long_name() -> None:
    words = ["a", "-o", "b", "--count=3", "--ddr"]
    assert parser_of().parse_args(words).given == {"output", "count", "memory"}
    assert parser_of().parse_args(["a"]).given == frozenset()
    assert parser_of().parse_args(["a", "--output=--share"]).given == {"output"}


def test_what_a_command_leaves_over_is_its_own_and_not_that_of_the_top(capsys: Output) -> None:
    top = parser_of(is_top=True)
    found, rest = top.parse_known_args(["a", "b"])
    assert (rest, hasattr(found, "given")) == (["b"], False)
    with pytest.raises(SystemExit):
        parser_of().parse_known_args(["a", "b"])
    assert capsys.readouterr().err.startswith("lanescope: found 'b' after everything")


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_complaint_is_one_line_that_begins_in_red_on_a_terminal(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    complain("two\nlines \x1b[2J")
    name = "\x1b[1;31mlanescope:\x1b[0m" if is_terminal else "lanescope:"
    assert capsys.readouterr() == ("", f"{name} two lines �[2J\n")
