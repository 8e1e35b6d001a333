"""Values that tasks without records take from others."""

from __future__ import annotations

import numpy as np

from lanescope.replay.calibration.drawn import sources


def test_a_row_of_tasks_takes_the_values_of_another_row() -> None:
    source = sources(np.arange(10) < 6, np.arange(10), seed=2)
    assert source[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert ((np.diff(source[6:]) % 6).tolist(), source[6] < 6) == ([1, 1, 1], True)


def test_the_row_is_in_the_order_of_time() -> None:
    """Later tasks have lower numbers."""
    source = sources(np.arange(10) < 5, np.arange(9, -1, -1), seed=0)
    assert (np.diff(source[9:4:-1]) % 5).tolist() == [4, 4, 4, 4]


def test_where_nothing_is_known_nothing_changes() -> None:
    assert sources(np.zeros(3, bool), np.arange(3), seed=0).tolist() == [0, 1, 2]
