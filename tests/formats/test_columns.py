"""Columns of other tools' tables: what every row must have, and rows that are the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lanescope.errors import InputError
from lanescope.formats.columns import (
    Columns,
    different_rows,
    require,
    require_times,
    text_column,
    whole_id,
)
from lanescope.trace import MISSING


class Few:
    """Tables that have columns and no rows."""

    path = Path("x.db")

    def __init__(self, **tables: tuple[str, ...]) -> None:
        self.names = frozenset(tables)
        self._tables = tables

    def columns(self, table: str) -> frozenset[str]:
        return frozenset(self._tables.get(table, ()))

    def read(
        self,
        table: str,
        integers: Sequence[str] = (),
        *,
        reals: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Columns:
        return Columns(0, {}, {})


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_different_rows_come_in_rising_order_with_the_place_of_each_row() -> None:
    rows, place = different_rows(array(2, 1, 2, 1, 1), array(7, 9, 7, 8, 9))
    assert rows.tolist() == [[1, 8], [1, 9], [2, 7]]
    assert place.tolist() == [2, 1, 2, 0, 1]


def test_no_rows_are_no_different_rows() -> None:
    rows, place = different_rows(array(), array())
    assert (rows.tolist(), place.tolist()) == ([], [])
    assert rows.shape == (0, 2)


def test_texts_are_codes_and_a_missing_one_has_none() -> None:
    column = text_column([pa.array(["b", None]), pa.array(["a", "b"])])
    assert (column.codes.tolist(), column.texts) == ([0, -1, 1, 0], ["b", "a"])


def test_a_column_that_is_needed_is_there_in_every_row() -> None:
    tables = Few(t=tuple("abcdefghij"))
    require(tables, "t", Columns(2, {"a": array(1, 0)}, {}), ("a",))
    with pytest.raises(InputError) as caught:
        require(tables, "t", Columns(3, {"a": array(1, MISSING, MISSING)}, {}), ("a",))
    assert str(caught.value) == (
        "x.db: table t row 1, 'a': a whole number was expected, found none; export it again"
    )


def test_a_column_that_is_not_there_is_told_with_the_first_eight_that_are() -> None:
    with pytest.raises(InputError) as caught:
        require(Few(t=tuple("jihgfedcba")), "t", Columns(0, {}, {}), ("z",))
    assert str(caught.value) == (
        "x.db: table t has no column 'z'; it has a, b, c, d, e, f, g, h; export it again with a "
        "newer version"
    )


@pytest.mark.parametrize("far", [1 << 61, -(1 << 61), -(1 << 61) - 5])
def test_a_time_whose_differences_do_not_fit_is_refused(far: int) -> None:
    near = (1 << 61) - 1
    tables = Few(t=("ts",))
    require_times(tables, "t", array(0, near, -near, MISSING), "ts")
    with pytest.raises(InputError) as caught:
        require_times(tables, "t", array(near, far, far), "ts")
    assert str(caught.value) == (
        f"x.db: table t row 1, 'ts': the time is more than 73 years: {far} ns; export it again"
    )


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((7, 7), (-1, -1), ((1 << 62) - 1, (1 << 62) - 1), (1 << 62, None), (-(1 << 62), None)),
        *(("7", None), (7.0, None), (None, None)),
    ],
)
def test_a_process_or_thread_is_a_number_that_a_column_holds(
    value: object, number: int | None
) -> None:
    assert whole_id(value) == number
