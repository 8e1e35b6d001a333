"""Formulas of data files."""

from __future__ import annotations

import pytest

from lanescope.model.expression import FormulaError, MissingName, evaluate


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (7, 7),
        ("MLEN + 8", 72),
        ("2*BLEN*BLEN*MLEN", 2048),
        ("5 + 7*log2(MLEN)", 47),
        ("ceil_div(MLEN*9, 512)", 2),
        ("(MLEN//BLEN - 1)*2", 30),
        ("max(BLEN, 3) + min(BLEN, 3)", 7),
    ],
)
def test_a_formula_has_a_whole_value(formula: str | int, value: int) -> None:
    assert evaluate(formula, {"MLEN": 64, "BLEN": 4}) == value


def test_a_name_without_a_value_is_named() -> None:
    with pytest.raises(MissingName, match="needs overhead") as found:
        evaluate("MLEN + overhead", {"MLEN": 64})
    assert found.value.name == "overhead"


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os')",
        "MLEN.real",
        "1.5",
        "True",
        "MLEN / 2",
        "MLEN ** 9",
        "open(1)",
        "log2(MLEN, 2)",
        "log2(6)",
        "1 // 0",
        "1 +",
        "x" * 500,
        "[1][0]",
    ],
)
def test_anything_else_is_refused(formula: str) -> None:
    with pytest.raises(FormulaError):
        evaluate(formula, {"MLEN": 64})


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("7 - 9", -2),
        ("(0 - 7) // 2", -4),
        ("ceil_div(8, 4)", 2),
        ("ceil_div(9, 4)", 3),
        ("log2(1)", 0),
        ("log2(1024)", 10),
        ("min(3)", 3),
        ("max(1, 5, 2)", 5),
        ("min(4, 1, 2)", 1),
        ("bits(0b110100, 4, 2)", 0b101),
        ("bits(0 - 1, 63, 63)", 1),
        ("bits(5, 0, 0)", 1),
    ],
)
def test_every_word_of_a_formula(formula: str, value: int) -> None:
    assert evaluate(formula, {}) == value


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("log2(0)", "'log2(0)': log2 of 0, which is no power of two"),
        ("log2(12)", "'log2(12)': log2 of 12, which is no power of two"),
        ("1 // 0", "'1 // 0' divides by zero"),
        ("(", "expected a formula, found '('"),
        ("1 / 2", "expected names, whole numbers and + - * //, found '1 / 2'"),
        ("max(1, key=2)", "expected names, whole numbers and + - * //, found 'max(1, key=2)'"),
        ("size", "'size' needs size, which is not known"),
        *(
            (
                text,
                "expected log2, ceil_div, min, max or bits, found "
                f"{text.partition('(')[0]!r} in {text!r}",
            )
            for text in (
                *("min()", "max()", "ceil_div(1)", "ceil_div(1, 2, 3)", "log2()", "abs(1)"),
                *("bits(1, 2)", "bits(1, 2, 3)", "bits(1, 64, 0)", "bits(1, 2, 3, 4)"),
                "bits(1, 2, 0 - 1)",
            )
        ),
    ],
)
def test_a_formula_without_a_value_says_why(formula: str, sentence: str) -> None:
    with pytest.raises(FormulaError) as refused:
        evaluate(formula, {})
    assert str(refused.value) == sentence


def test_a_formula_has_at_most_200_characters() -> None:
    assert evaluate("11" + "+0" * 99, {}) == 11
    with pytest.raises(FormulaError) as refused:
        evaluate("111" + "+0" * 99, {})
    assert str(refused.value) == "expected a formula of at most 200 characters"
