"""What cores waited for, by row: only reasons for which somebody waited have a column."""

from __future__ import annotations

from typing import Any

from tests.analyze.hand import make_trace, task

from lanescope.viewer.answers import page_basis
from lanescope.viewer.waits import waits_of


def columns(*tasks: dict[str, Any]) -> dict[str, list[int]]:
    waits = waits_of(page_basis(make_trace(tasks=tasks, cores=[{"core": 0}])))
    return {name: values.tolist() for name, values in waits.columns.items()}


def test_a_core_that_never_waits_has_no_columns() -> None:
    assert columns() == {}
    assert columns(task(0, None, None, 0, 5, None)) == {}
    pair = [task(0, None, None, 5 * k, 5 * k + 5, None, task=k) for k in (0, 1)]
    assert columns(*pair) == {}


def test_a_wait_of_a_nanosecond_is_told_in_the_row_of_the_task_behind_it() -> None:
    """The rows stand in another order than the times."""
    later = task(0, None, None, 6, 9, None, task=1)
    found = columns(later, task(0, None, None, 0, 5, None, task=0))
    assert list(found.values()) == [[1, 0]]


def test_a_wait_of_more_than_31_bits_fits() -> None:
    gap = 1 << 31
    found = columns(task(0, None, None, 0, 5, None), task(0, None, None, 5 + gap, 9 + gap, None))
    assert list(found.values()) == [[0, gap]]
