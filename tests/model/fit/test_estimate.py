"""Rates of a model on a board, with and without prefetch, and where it cannot run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.model.fit.small import LOAD, board

from lanescope.model.fit.board import BoardValue, FitBoard
from lanescope.model.fit.estimate import IntervalSource, best, estimate, tokens_per_s, worst
from lanescope.model.fit.step import Rates


@given(st.integers(11, 1400))
def test_one_byte_of_memory_changes_a_rate_by_less_than_a_percent(capacity: int) -> None:
    less = tokens_per_s(LOAD, board(capacity))
    more = tokens_per_s(LOAD, board(capacity + 1))
    assert abs(more / less - 1) < 0.2 * 200 / 1000 + 0.011 or capacity >= 1199


@given(st.integers(11, 1150), st.floats(1, 40))
def test_more_link_is_never_slower(capacity: int, link: float) -> None:
    slow = tokens_per_s(LOAD, board(capacity, link))
    assert tokens_per_s(LOAD, board(capacity, link * 1.5)) >= slow


def test_rates_with_and_without_prefetch_by_hand() -> None:
    rates = estimate(LOAD, board(500))
    assert rates.decode.overlapped_s == pytest.approx(71.0)
    assert rates.decode.serial_s == pytest.approx(71.0 + 5.0)
    assert rates.tokens_per_s is not None
    assert rates.tokens_per_s.estimate == pytest.approx(1 / 71.0)
    assert rates.serial_tokens_per_s == pytest.approx(1 / 76.0)
    assert rates.tokens_per_s.low <= 1 / 76.0


def test_without_a_link_nothing_that_does_not_fit_runs() -> None:
    assert estimate(LOAD, board(500, link=None)).tokens_per_s is None
    resident = estimate(LOAD, board(1210, link=None)).tokens_per_s
    assert resident is not None
    assert resident.estimate == pytest.approx(100 / 1210, rel=0.01)


def test_the_interval_names_the_points_it_comes_from() -> None:
    assert estimate(LOAD, board(500)).interval_from.pool == "streaming"
    resident = estimate(LOAD, board(1210)).interval_from
    assert isinstance(resident, IntervalSource)
    assert (resident.pool, resident.points >= 5) == ("resident", True)


def test_the_worst_board_has_low_rates_and_long_starts() -> None:
    values = {
        "link_bytes_per_s": BoardValue("link_bytes_per_s", 5, 4, 6, "measured"),
        "operation_overhead_ns": BoardValue("operation_overhead_ns", 200, 100, 300, "measured"),
    }
    given = FitBoard("test", values)
    assert worst(given).rates() == Rates(4, None, operation_s=300 * 1e-9)
    assert best(given).rates() == Rates(6, None, operation_s=100 * 1e-9)
