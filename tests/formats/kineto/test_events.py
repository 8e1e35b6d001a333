"""Rows of a Kineto file as columns: times, and texts and numbers under their keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.kineto.files import events

from lanescope.errors import InputError
from lanescope.formats.kineto.events import as_number
from lanescope.trace import MISSING


def test_a_row_lasts_from_its_time_for_its_length(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"ph": "X", "ts": 5, "dur": 2},
        {"ph": "X", "ts": 7},
        {"ph": "i", "ts": 9, "dur": 4},
        {"ph": "M"},
        {"ph": "X", "ts": -3, "dur": -1},
    )
    assert found.phase.tolist() == ["X", "X", "i", "M", "X"]
    assert found.start.tolist() == [5000, 7000, 9000, 0, -3000]
    assert found.end.tolist() == [7000, 7000, 9000, 0, -4000]


def test_a_file_without_rows_has_empty_columns(tmp_path: Path) -> None:
    found = events(tmp_path)
    assert (len(found.phase), len(found.start), len(found.end)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ('{"ph": "X", "dur": 1}', "event 1 ('X') has no 'ts'"),
        (
            '{"ph": "X", "ts": 2305843009213693.952}',
            "event 1, 'ts': 2305843009213693 µs is more than 73 years",
        ),
        (
            '{"ph": "i", "ts": 2305843009213693.952}',
            "event 1, 'ts': 2305843009213693 µs is more than 73 years",
        ),
        (
            '{"ph": "X", "ts": 1, "dur": 2305843009213693.952}',
            "event 1, 'dur': 2305843009213693 µs is more than 73 years",
        ),
        (
            '{"ph": "X", "ts": 1, "dur": -2305843009213693.952}',
            "event 1, 'dur': -2305843009213694 µs is more than 73 years",
        ),
    ],
)
def test_a_row_without_a_time_that_a_clock_shows_is_refused(
    tmp_path: Path, row: str, sentence: str
) -> None:
    with pytest.raises(InputError) as refused:
        events(tmp_path, {"ph": "X", "ts": 1}, row, row)
    assert str(refused.value) == f"{tmp_path / 'a.json'}: {sentence}"


def test_the_latest_time_is_below_73_years(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        '{"ph": "X", "ts": 2305843009213693.951}',
        '{"ph": "X", "ts": 0, "dur": 2305843009213693.951}',
        '{"ph": "i", "ts": 2305843009213693.951}',
    )
    assert found.end.tolist() == [(1 << 61) - 1] * 3


def test_a_text_is_found_by_row_and_in_any_case(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"ph": "X", "ts": 1, "cat": "Kernel", "name": "a"},
        {"ph": "X", "ts": 1, "cat": 5},
        {"ph": "X", "ts": 1},
        {"ph": "X", "ts": 1, "cat": "kernel"},
    )
    assert [found.text("cat", row) for row in range(4)] == ["Kernel", "5", "", "kernel"]
    assert found.texts("cat") == ["Kernel", "5", "kernel"]
    assert found.is_one_of("cat", {"kernel"}).tolist() == [True, False, False, True]
    assert found.is_one_of("cat", {"5", "none"}).tolist() == [False, True, False, False]
    assert found.is_one_of("name", frozenset()).tolist() == [False] * 4


def test_the_number_of_an_operator_has_an_older_key(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"ph": "X", "ts": 1, "args": {"External id": 3}},
        {"ph": "X", "ts": 1, "args": {"external id": 4}},
        {"ph": "X", "ts": 1, "args": {"External id": 5, "external id": 6}},
        {"ph": "X", "ts": 1},
    )
    assert found.external_id().tolist() == [3, 4, 5, MISSING]


def test_what_is_no_number_of_its_key_is_not_known(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"ph": "X", "ts": 1, "args": {"correlation": 7, "grid": [1, 2, 3], "shared memory": 1.5}},
        {"ph": "X", "ts": 1, "args": {"correlation": "x", "grid": [1, 2], "shared memory": "a"}},
    )
    assert found.arg("correlation").tolist() == [7, MISSING]
    assert found.arg("grid").tolist() == [[1, 2, 3], [MISSING] * 3]
    assert np.array_equal(found.arg("shared memory"), [1.5, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *(("12", 12), (-3, -3), ("Spans", None), (None, None), ("", None)),
        *(((1 << 62) - 1, (1 << 62) - 1), (1 << 62, None), (-(1 << 62), None), ("9" * 30, None)),
        *((1e300, None), (float("inf"), None), (float("nan"), None)),
    ],
)
def test_a_process_may_be_no_number(value: Any, number: int | None) -> None:
    assert as_number(value) == number
