"""Work in other threads: in order, and never far ahead of who asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Barrier

import pytest

from lanescope.formats.ahead import ahead


def test_results_come_in_order_and_at_most_two_ahead() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(6):
            taken.append(number)
            yield number

    seen = [(result, len(taken)) for result in ahead(lambda number: number * 10, items())]
    assert seen == [(0, 3), (10, 4), (20, 5), (30, 6), (40, 6), (50, 6)]


def test_two_are_made_at_the_same_time() -> None:
    both = Barrier(2, timeout=60)
    assert sorted(ahead(lambda _: both.wait(), (1, 2))) == [0, 1]


def test_an_error_comes_in_the_place_of_its_result() -> None:
    results = ahead(lambda number: 6 // number, (2, 0))
    assert next(results) == 3
    with pytest.raises(ZeroDivisionError):
        next(results)
