"""What an integer register holds after an instruction."""

from __future__ import annotations

import pytest

from lanescope.model.isa.isa import OPEN
from lanescope.model.isa.register_state import _value

WORD = 1 << 32


@pytest.mark.parametrize(
    ("rule", "left", "right", "value"),
    [
        ("add", WORD - 1, 2, 1),
        ("sub", 3, 5, WORD - 2),
        ("mul", 1 << 16, (1 << 16) + 3, 3 << 16),
        ("sll", 3, 31, 1 << 31),
        ("sll", 3, 0, 3),
        ("sll", 3, 32, None),
        ("sll", 3, -1, None),
        ("srl", WORD - 1, 31, 1),
        ("srl", 3, 0, 3),
        ("srl", 3, 32, None),
        ("srl", 3, -1, None),
        ("div", 7, 2, 3),
        ("rem", 7, 2, 1),
        ("div", 7, 0, None),
        ("rem", 7, 0, None),
        ("add", None, 2, None),
        ("add", 2, None, None),
        ("max", 7, 2, None),
        (None, 7, 2, None),
    ],
)
def test_two_registers_make_a_third(
    rule: str | None, left: int | None, right: int | None, value: int | None
) -> None:
    assert _value(rule, {"rs1": left, "rs2": right, OPEN: 1}) == value


@pytest.mark.parametrize(
    ("rule", "left", "number", "value"),
    [
        ("addi", WORD - 1, 2, 1),
        ("slli", 3, 31, 1 << 31),
        ("slli", 3, 32, None),
        ("srli", WORD - 1, 31, 1),
        ("srli", 3, 32, None),
        ("addi", 3, None, None),
        ("lui", None, 0x12345, 0x12345000),
        ("lui", None, WORD + 1, 1 << 12),
        ("lui", 3, None, None),
    ],
)
def test_a_number_goes_before_a_second_register(
    rule: str, left: int | None, number: int | None, value: int | None
) -> None:
    assert _value(rule, {"rs1": left, "rs2": 9, OPEN: number}) == value
