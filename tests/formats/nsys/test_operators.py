"""Which operator a row of a host thread belongs to: the nearest one around it."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.formats.nsys.operators import inherited
from lanescope.trace import MISSING


def test_a_row_has_its_own_operator_or_that_of_the_row_around_it() -> None:
    # thread 0   [A-------------------------]100   120[--]
    #               10[------]50  60[B----]90
    #                  20[--]30     70[-]80        thread 1  0[--]40
    rows = {
        # (thread, start, end): operator, and what it comes to
        (0, 70, 80): (MISSING, 2),
        (0, 0, 100): (1, 1),
        (0, 10, 50): (MISSING, 1),
        (0, 20, 30): (MISSING, 1),
        (0, 60, 90): (2, 2),
        (0, 120, 130): (MISSING, MISSING),
        (1, 0, 40): (MISSING, MISSING),
        (1, 10, 20): (MISSING, MISSING),
    }
    thread, start, end = (np.array(column) for column in zip(*rows, strict=True))
    given, found = (np.array(column) for column in zip(*rows.values(), strict=True))
    assert inherited(thread, start, end, given).tolist() == found.tolist()
    assert given.tolist() == [own for own, _ in rows.values()]


@pytest.mark.parametrize(("begins", "op"), [(5, 4), (10, MISSING)])
def test_a_row_that_begins_where_another_ends_has_not_its_operator(begins: int, op: int) -> None:
    thread, start, end = np.array([0, 0]), np.array([0, begins]), np.array([10, 20])
    assert inherited(thread, start, end, np.array([4, MISSING])).tolist() == [4, op]


def test_a_row_that_ended_is_around_none_though_another_reaches_over_its_end() -> None:
    thread, start, end = np.zeros(3, int), np.array([0, 5, 12]), np.array([12, 20, 15])
    op = np.array([4, 5, MISSING])
    assert inherited(thread, start, end, op).tolist() == [4, 5, MISSING]


def test_no_rows_have_no_operators() -> None:
    none = np.empty(0, np.int64)
    assert inherited(none, none, none, none).tolist() == []
