"""The least and the most that a value of a board can be."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from lanescope.model.boards import board


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        (board.Text, ("x", "x" * 80), ("", "x" * 81)),
        (board.Amount, (1, 10**18), (0, 10**18 + 1)),
        (board.Share, (1e-9, 1.0), (0.0, 1.001)),
        (board.Size, (1, 1 << 24), (0, (1 << 24) + 1)),
        (board.Bits, (1, 256), (0, 257)),
        (board.ScaleBits, (0, 256), (-1, 257)),
        (board.Cycles, (0, 10**12), (-1, 10**12 + 1)),
    ],
)
def test_a_value_has_a_least_and_a_most(
    kind: Any, inside: tuple[Any, Any], outside: tuple[Any, Any]
) -> None:
    def read(value: Any) -> Any:
        given = {"value": value, "basis": "assumed", "source": "by hand"}
        return msgspec.convert(given, kind).value

    assert tuple(map(read, inside)) == inside
    for value in outside:
        with pytest.raises(msgspec.ValidationError):
            read(value)
