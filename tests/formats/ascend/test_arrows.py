"""Which bar of a lane is around a time: the innermost that has not ended."""

from __future__ import annotations

import numpy as np

from lanescope.formats.ascend.arrows import TimelineBars, _around

# By lane, start and the longest first:
#   lane 0   0[-----------------------)100      lane 1   0[----)10   40[----)50
#            10[--------)40  60[---)80
#               20[-)30
LANE = np.array([0, 0, 0, 0, 1, 1])
START = np.array([0, 10, 20, 60, 0, 40])
END = np.array([100, 40, 30, 80, 10, 50])


def test_every_bar_knows_the_bar_around_it() -> None:
    assert _around(LANE, START, END).tolist() == [-1, 0, 1, 0, -1, -1]
    assert _around(LANE[:0], START[:0], END[:0]).tolist() == []


def test_a_time_is_in_the_innermost_bar() -> None:
    """Rows of bars are their place times 10; an end still belongs to its bar."""
    row = np.arange(6) * 10
    bars = TimelineBars(row, LANE, START, END, _around(LANE, START, END))
    asked = {
        (0, 0): 0, (0, 10): 10, (0, 25): 20, (0, 30): 20, (0, 31): 10, (0, 40): 10, (0, 41): 0,
        (0, 60): 30, (0, 81): 0, (0, 100): 0, (0, 101): -1,
        (1, 5): 40, (1, 11): -1, (1, 45): 50, (1, 51): -1, (2, 5): -1,
    }  # fmt: skip
    lanes, times = (np.array(column) for column in zip(*asked, strict=True))
    assert bars.at(lanes, times).tolist() == list(asked.values())
    nothing = TimelineBars(row[:0], LANE[:0], START[:0], END[:0], row[:0])
    assert nothing.at(lanes[:2], times[:2]).tolist() == [-1, -1]
