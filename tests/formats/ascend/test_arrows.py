"""Which bar of a lane is around a time: the innermost that has not ended."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lanescope.formats.ascend.arrows import TimelineBars, _around, arrows
from lanescope.formats.ascend.timeline import TimelineEvents
from lanescope.trace import MISSING

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


def timeline(*rows: tuple[str, str, int, int, int, int]) -> TimelineEvents:
    """Events of letter, category, lane, start, end and id; 0 is no id."""
    letters, categories, *numbers = zip(*rows, strict=True)
    lane, start, end, arrow = (np.array(column, np.int64) for column in numbers)
    names = list(dict.fromkeys(categories))
    return TimelineEvents(
        path=Path("trace_view.json"),
        phase=np.array(letters, "U1"),
        start=start,
        end=end,
        lane=lane,
        lanes=[],
        id=np.where(arrow == 0, MISSING, arrow),
        columns={"cat": np.array([names.index(one) for one in categories])},
        texts={"cat": list(names)},
    )


def test_bars_lie_by_lane_and_start_with_the_longest_first() -> None:
    bars = TimelineBars.of(
        timeline(
            ("X", "", 1, 5, 6, 0),
            ("X", "", 0, 10, 20, 0),
            ("s", "a", 0, 0, 0, 1),
            ("X", "", 0, 10, 30, 0),
            ("X", "", 0, 2, 3, 0),
        )
    )
    assert bars.row.tolist() == [4, 3, 1, 0]
    assert bars.lane.tolist() == [0, 0, 0, 1]
    assert (bars.start.tolist(), bars.end.tolist()) == ([2, 10, 10, 5], [3, 30, 20, 6])
    assert bars.around.tolist() == [-1, -1, 1, -1]


def test_an_arrow_joins_the_bars_at_its_two_ends() -> None:
    """Not where an end is missing or lies in no bar, or the category is another."""
    events = timeline(
        ("X", "", 0, 0, 10, 0),
        ("X", "", 1, 20, 30, 0),
        ("X", "", 1, 40, 50, 0),
        ("f", "a", 1, 20, 20, 8),
        ("s", "a", 0, 10, 10, 9),
        ("s", "a", 0, 5, 5, 8),
        ("f", "a", 1, 45, 45, 9),
        ("s", "a", 0, 11, 11, 7),
        ("f", "a", 1, 45, 45, 7),
        ("s", "a", 0, 1, 1, 6),
        ("f", "a", 1, 35, 35, 6),
        ("f", "a", 1, 45, 45, 5),
        ("s", "a", 0, 1, 1, 4),
        ("f", "b", 1, 45, 45, 4),
        ("s", "a", 0, 1, 1, 0),
        ("f", "a", 1, 45, 45, 0),
        ("s", "a", 0, MISSING, MISSING, 3),
        ("f", "a", 1, 45, 45, 3),
        ("f", "a", 1, 41, 41, 8),
    )
    found = arrows(events, TimelineBars.of(events), "a")
    assert [column.tolist() for column in found] == [[0, 0, 0], [1, 2, 2], [5, 4, 5]]
    assert [column.tolist() for column in arrows(events, TimelineBars.of(events), "c")] == [[]] * 3
