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
