"""Lines of the protocol of a probe agent: numbers, bytes, answers, how foreign text is shown."""

from __future__ import annotations

import pytest

from lanescope.probe.lines import WrongLine, maybe_number, number, octets, read_answer, shown


@pytest.mark.parametrize(
    ("word", "value"), [("0", 0), ("0x0", 0), ("15", 15), ("0xf", 15), ("00000000000000000012", 12)]
)
def test_a_number_is_decimal_or_hexadecimal(word: str, value: int) -> None:
    assert number(word, 16) == value
    assert maybe_number(word, 16) == value


@pytest.mark.parametrize(
    "word", ["16", "0x10", "-1", "+1", " 1", "1_0", "f", "0xF", "0x", "", "0" * 21, "none"]
)
def test_what_is_no_number_below_the_limit_is_refused(word: str) -> None:
    with pytest.raises(WrongLine) as caught:
        number(word, 16)
    assert str(caught.value) == f"expected a number below 0x10, found {word!r}"


def test_no_value_is_the_word_none() -> None:
    assert maybe_number("none", 16) is None


def test_bytes_are_pairs_of_small_digits() -> None:
    assert (octets("00ff1a", 3), octets("", 0)) == (b"\x00\xff\x1a", b"")


@pytest.mark.parametrize("word", ["00ff", "00ff1a2b", "00FF1A", "00ff1", "00ff1g"])
def test_other_bytes_than_asked_for_are_refused(word: str) -> None:
    with pytest.raises(WrongLine) as caught:
        octets(word, 3)
    assert str(caught.value) == f"expected 3 bytes as 6 digits 0-9a-f, found {word!r}"


def test_an_answer_is_its_number_ok_and_values() -> None:
    assert read_answer("7 ok", 7) == []
    assert read_answer("7 ok a b", 7) == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("7", "expected '7 ok …' or '7 error …', found '7'"),
        ("x ok", "expected '7 ok …' or '7 error …', found 'x ok'"),
        ("7 fine", "expected '7 ok …' or '7 error …', found '7 fine'"),
        ("8 ok", "expected the answer number 7, found number '8'"),
        ("8 error no", "expected the answer number 7, found number '8'"),
        ("7 error the bus is gone", "it refuses: 'the bus is gone'"),
        ("7 error", "it refuses: ''"),
    ],
)
def test_any_other_line_is_refused(line: str, problem: str) -> None:
    with pytest.raises(WrongLine) as caught:
        read_answer(line, 7)
    assert str(caught.value) == problem


def test_sixty_characters_are_shown() -> None:
    assert shown("x" * 60) == repr("x" * 60)
    assert shown("x" * 61) == repr("x" * 60 + "…")
