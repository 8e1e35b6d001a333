"""Which operator a row of a host thread belongs to: the nearest one around it."""

from __future__ import annotations

import numpy as np

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


def test_a_row_of_another_thread_is_around_none() -> None:
    """Thread 0 has a row of depth 1 at the end; that of thread 1 has nothing around it."""
    thread, start, end = np.array([0, 0, 1, 1]), np.array([0, 5, 0, 6]), np.array([50, 40, 9, 8])
    op = np.array([MISSING, 7, MISSING, MISSING])
    assert inherited(thread, start, end, op).tolist() == [MISSING, 7, MISSING, MISSING]


def test_a_row_that_reaches_over_the_end_of_another_is_still_its_own() -> None:
    thread, start, end = np.array([0, 0]), np.array([0, 10]), np.array([10, 20])
    assert inherited(thread, start, end, np.array([4, MISSING])).tolist() == [4, MISSING]


def test_no_rows_have_no_operators() -> None:
    none = np.empty(0, np.int64)
    assert inherited(none, none, none, none).tolist() == []
