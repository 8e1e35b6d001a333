"""Events as columns, and begins and ends as slices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.formats.chrome.events import ChromeEvents, pair_events, read_events
from lanescope.trace import MISSING

LATE_US = "2305843009213693.952"
"""2^61 ns."""


def events(folder: Path, *rows: dict[str, Any] | str) -> ChromeEvents:
    """A file of these rows; a text is a row as it stands in the file."""
    path = folder / "a.json"
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("[" + ",".join(texts) + "]")
    return read_events(path)


def test_a_process_or_thread_is_the_same_as_number_and_as_text(tmp_path: Path) -> None:
    pairs = [
        *((3, 4), ("3", "4"), ("-3", 4), (-3, "4"), ("x", 4), (3, "1" * 18), (3, "1" * 19)),
        *((None, 4), (0, 4), (True, 4), ("--3", 4)),
    ]
    found = events(tmp_path, *({"ph": "i", "ts": 0, "pid": p, "tid": t} for p, t in pairs))
    assert [found.lanes[k] for k in found.lane.tolist()] == [
        *((3, 4), (3, 4), (-3, 4), (-3, 4), ("x", 4), (3, int("1" * 18)), (3, "1" * 19)),
        *((0, 4), (0, 4), ("True", 4), ("--3", 4)),
    ]
    [alone] = events(tmp_path, {"ph": "i", "ts": 0}).lanes
    assert alone == (0, 0)


def test_start_and_end_are_each_rounded_once(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        '{"ph": "X", "ts": 0.0004, "dur": 0.0004}',
        '{"ph": "X", "ts": 0.0005, "dur": 0.001}',
        '{"ph": "i", "ts": 7}',
        '{"ph": "M"}',
    )
    assert found.time.tolist() == [0, 0, 7000, MISSING]
    assert found.end.tolist() == [1, 2, 7000, MISSING]


def test_what_an_event_lacks_is_so(tmp_path: Path) -> None:
    row = {"ph": "s", "ts": 1, "name": 5, "cat": "c", "id": "0x1", "bp": "e", "bind_id": 9}
    more = {"flow_in": "true", "flow_out": 1, "args": {"a": [1]}}
    found = events(tmp_path, {"ph": "i", "ts": 0}, {**row, **more}, {"ph": "i", "ts": 0, "bp": "x"})
    assert [found.names[k] for k in found.name.tolist()] == ["(no name)", "5", "(no name)"]
    assert found.category.tolist() == [MISSING, 0, MISSING]
    assert (found.id.tolist(), found.bind.tolist()) == ([-1, 0, -1], [-1, 0, -1])
    assert found.encloses.tolist() == [False, True, False]
    assert found.binds_in.tolist() == found.binds_out.tolist() == [False, True, False]
    assert [found.arguments(row) for row in range(3)] == [{}, {"a": [1]}, {}]
    assert found.size == (tmp_path / "a.json").stat().st_size


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ('{"ph": "i"}', "event 1 ('i') has no 'ts'"),
        (
            f'{{"ph": "i", "ts": {LATE_US}}}',
            "event 1, 'ts': 2305843009213693 µs is more than 73 years",
        ),
        (
            f'{{"ph": "X", "ts": 0, "dur": {LATE_US}}}',
            "event 1, 'dur': 2305843009213693 µs is more than 73 years",
        ),
        (
            f'{{"ph": "{"p" * 41}", "ts": 0}}',
            f"event 1, 'ph': one letter was expected, found '{'p' * 39}…'",
        ),
        ('{"ph": "", "ts": 0}', "event 1, 'ph': one letter was expected, found ''"),
    ],
)
def test_a_row_that_says_nothing_sure_is_refused(tmp_path: Path, row: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        events(tmp_path, {"ph": "X", "ts": 1}, row, row)
    assert str(refused.value) == f"{tmp_path / 'a.json'}: {sentence}"


def test_the_latest_time_is_below_73_years(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        '{"ph": "X", "ts": 2305843009213693.951}',
        '{"ph": "X", "ts": 0, "dur": 2305843009213693.951}',
    )
    assert found.end.tolist() == [(1 << 61) - 1] * 2


def test_arguments_that_are_no_text_are_refused(tmp_path: Path) -> None:
    found = events(tmp_path, {"ph": "i", "ts": 0}, '{"ph": "i", "ts": 0, "args": {"a": "\\ud800"}}')
    with pytest.raises(InputError) as refused:
        found.arguments(1)
    assert str(refused.value).startswith(f"{tmp_path / 'a.json'}: event 1, 'args': ")


def pairs(folder: Path, *rows: dict[str, Any]) -> tuple[list[tuple[int, int]], int]:
    found = pair_events(events(folder, *({"pid": 1, "tid": 1, **row} for row in rows)))
    return sorted(zip(found.row.tolist(), found.end.tolist(), strict=True)), found.unmatched


def test_begins_and_ends_pair_within_their_thread_by_time(tmp_path: Path) -> None:
    found = pairs(
        tmp_path,
        {"ph": "E", "ts": 9},
        {"ph": "B", "ts": 1},
        {"ph": "B", "ts": 2, "tid": 2},
        {"ph": "E", "ts": 3, "pid": 2},
        {"ph": "X", "ts": 4, "dur": 2},
        {"ph": "B", "ts": 5},
        {"ph": "E", "ts": 6, "tid": 2},
        {"ph": "E", "ts": 5},
    )
    assert found == ([(1, 9000), (2, 6000), (4, 6000), (5, 5000)], 1)


def test_asynchronous_begins_and_ends_pair_by_process_category_and_id(tmp_path: Path) -> None:
    one: dict[str, Any] = {"cat": "c", "id": 1, "name": "a"}
    found = pairs(
        tmp_path,
        {"ph": "b", "ts": 1, **one},
        {"ph": "e", "ts": 2, **one, "pid": 2},
        {"ph": "e", "ts": 3, **one, "cat": "d"},
        {"ph": "e", "ts": 4, **one, "id": 2},
        {"ph": "E", "ts": 5, **one},
        {"ph": "e", "ts": 6, **one, "tid": 9, "name": "b"},
    )
    assert found == ([(0, 6000)], 4)
    assert pairs(tmp_path) == ([], 0)
    assert np.issubdtype(pair_events(events(tmp_path)).row.dtype, np.integer)
