"""The events of a timeline as columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.ascend.timelines import bar, events

from lanescope.errors import InputError
from lanescope.trace import MISSING


def test_events_are_columns_with_what_each_lacks(tmp_path: Path) -> None:
    given = events(
        tmp_path,
        {"ph": "X", "ts": "1.0005", "dur": 1, "args": {"connection_id": -2, "Task Id": 4}},
        {"ph": "X", "ts": "1.0015", "dur": "0.001", "pid": 3, "cat": "c", "name": "n" * 1025},
        {"ph": "f", "id": "9", "tid": "t", "pid": 3, "args": {"size(Byte)": 8, "labels": "CPU"}},
    )
    assert given.phase.tolist() == ["X", "X", "f"]
    assert given.start.tolist() == [1000, 1002, MISSING]
    assert given.end.tolist()[:2] == [2000, 1002]
    assert [given.lanes[k] for k in given.lane.tolist()] == [(0, 0), (3, 0), (3, "t")]
    assert given.id.tolist() == [MISSING, MISSING, 9]
    assert given.words("name") == ["n" * 1024]
    assert given.columns["name"].tolist() == [-1, 0, -1]
    assert given.columns["cat"].tolist() == [-1, 0, -1]
    assert given.columns["args.labels"].tolist() == [-1, -1, 0]
    assert given.columns["Task Id"].tolist() == [4, MISSING, MISSING]
    assert given.columns["size(Byte)"].tolist() == [MISSING, MISSING, 8]
    assert given.columns["connection_id"].tolist() == [MISSING] * 3
    assert (given.rows("X").tolist(), given.rows("f").tolist()) == ([0, 1], [2])


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"ph": "X", "dur": 1}, "event 1, 'ts': a slice needs this time, found none"),
        ({"ph": "X", "ts": "1"}, "event 1, 'dur': a slice needs this time, found none"),
        ({"ph": "XX", "ts": "1", "dur": 1}, "event 1, 'ph': one letter was expected, found 'XX'"),
        (
            {"ph": "p" * 41, "ts": "1", "dur": 1},
            f"event 1, 'ph': one letter was expected, found '{'p' * 39}…'",
        ),
        ({"ph": "", "ts": "1", "dur": 1}, "event 1, 'ph': one letter was expected, found ''"),
    ],
)
def test_a_slice_without_its_times_or_letter_is_refused(
    tmp_path: Path, row: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError) as refused:
        events(tmp_path, bar(1, 1), row, row)
    assert str(refused.value) == f"{tmp_path / 'trace_view.json'}: {sentence}"
