"""Comparing two clocks: which questions are asked, and how long an answer may take."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from tests.cuda.stand_in import StandIn
from tests.cuda.test_stand_in import gpu

from lanescope.cuda import clock
from lanescope.cuda.clock import ROUNDS, ClockAnchor, fit_clock
from lanescope.errors import LanescopeError

__all__ = ["gpu"]


def ask(
    monkeypatch: pytest.MonkeyPatch,
    *,
    answered: int,
    clocks: tuple[int, int] = (1000, 1007),
    looks: tuple[float, ...] = (10.0, 10.1),
) -> ClockAnchor:
    """The answer to question 3; `looks` are readings of the clock that gives up."""
    readings: Iterator[int] = iter(clocks)
    seconds: Iterator[float] = iter(looks)
    own = SimpleNamespace(time_ns=lambda: next(readings), monotonic=lambda: next(seconds))
    monkeypatch.setattr(clock, "time", own)
    return clock._ask(np.array([0, 555, answered], np.uint64), 3)


@pytest.mark.parametrize(
    ("clocks", "unix_ns", "error_ns"),
    [((1000, 1007), 1003, 4), ((1000, 1008), 1004, 4), ((5, 5), 5, 0), ((5, 6), 5, 1)],
)
def test_the_answer_is_in_the_middle_and_half_the_time_is_its_error(
    clocks: tuple[int, int], unix_ns: int, error_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ask(monkeypatch, answered=3, clocks=clocks)
    assert found == ClockAnchor(555, unix_ns, error_ns)


def test_a_later_answer_is_one_and_an_earlier_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, answered=4).device_ns == 555
    with pytest.raises(LanescopeError) as found:
        ask(monkeypatch, answered=2, looks=(10.0, 11.9, 12.0, 12.001))
    assert str(found.value) == "the GPU did not answer within 2 s, so its clock is not known"


def test_an_answer_is_waited_for_two_seconds_and_no_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """At just 2 s it may still come: then there is no further reading."""
    with pytest.raises(StopIteration):
        ask(monkeypatch, answered=2, looks=(10.0, 11.9, 12.0))


def test_every_question_is_asked_once_and_the_smallest_error_is_taken(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def answer(words: object, number: int) -> ClockAnchor:
        asked.append(number)
        return ClockAnchor(number, 0, abs(number - 40))

    monkeypatch.setattr(clock, "_ask", answer)
    monkeypatch.setattr(StandIn, "_cuLaunchKernel", lambda own, *given: None)
    assert fit_clock() == ClockAnchor(40, 0, 0)
    assert asked == list(range(1, 65))
    assert ROUNDS == 64
    assert gpu.given("cuMemHostRegister_v2") == [
        (gpu.given("cuMemHostUnregister")[0][0], mmap.PAGESIZE, 3)
    ]
