"""What rows, cores and lists of them are called."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import make_trace

from lanescope.checks.naming import (
    are,
    core_name,
    have,
    listed,
    per_core_text,
    row_name,
    rows_text,
    tasks_text,
)


def test_a_core_of_several_ranks_is_called_as_the_trace_calls_it() -> None:
    cores = [
        {"core": 4, "name": "rank 0 core 4", "rank": 0},
        {"core": 5, "name": "rank 1 core 5", "rank": 1},
    ]
    trace = make_trace(cores=cores)
    assert (core_name(trace, 5), core_name(trace, 6)) == ("rank 1 core 5", "core 6")
    half = make_trace(cores=[cores[0], {"core": 5, "name": "other"}])
    assert core_name(half, 5) == "other"
    alone = make_trace(cores=[{"core": 5, "name": "other"}])
    assert core_name(alone, 5) == "core 5"


ROWS = [{"core": core, "token": core + 10, "task": core + 20} for core in range(6)]


def test_a_row_is_called_by_what_is_known_of_it() -> None:
    trace = make_trace(tasks=[{"core": 1}, {"core": 1, "token": 0}, {"core": 1, "task": 0}])
    names = [row_name(trace, row) for row in range(3)]
    assert names == ["core 1", "core 1 token 0", "core 1 task 0"]


def test_four_of_a_list_are_named_and_the_others_counted() -> None:
    trace = make_trace(tasks=ROWS)
    named = "core 0 token 10 task 20, core 1 token 11 task 21, core 2 token 12 task 22, core 3 "
    assert rows_text(trace, np.arange(6)) == f"{named}token 13 task 23 and 2 more"
    assert rows_text(trace, np.arange(4)) == f"{named}token 13 task 23"
    assert tasks_text(trace, range(5)) == "0, 1, 2, 3 and 1 more"
    assert tasks_text(trace, range(3)) == "0, 1, 2"


@pytest.mark.parametrize(
    ("names", "number", "text"),
    [
        ("", None, ""),
        ("abcd", None, "a, b, c, d"),
        ("abcde", None, "a, b, c, d and 1 more"),
        ("abcde", 6, "a, b, c, d and 2 more"),
        ("ab", 1_234, "a, b and 1,232 more"),
        ("ab", 0, "a, b"),
    ],
)
def test_a_list_may_be_given_with_the_number_of_all(
    names: str, number: int | None, text: str
) -> None:
    assert listed(names, number) == text


def test_cores_with_the_most_rows_come_first() -> None:
    cores = np.array([3, 1, 2, 2, 1, 5, *[0] * 1_000, 4])
    assert per_core_text(make_trace(), cores) == (
        "core 0: 1,000, core 1: 2, core 2: 2, core 3: 1 and 2 more"
    )


def test_one_is_and_several_are() -> None:
    texts = [(are(number, "task"), have(number, "task")) for number in (0, 1, 2)]
    assert texts == [
        ("0 tasks are", "0 tasks have"),
        ("1 task is", "1 task has"),
        ("2 tasks are", "2 tasks have"),
    ]
