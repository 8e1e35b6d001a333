"""Runs and ranks as a page, whole."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.analyze.runs.rounds import RankOrder, RoundSpread, RunLength, RunRounds
from lanescope.analyze.runs.rounds_section import ROUNDS, rounds_sections
from lanescope.render.plain import render_sections
from lanescope.trace.run_parts import COMPLETE

ANSWERS: Any = SimpleNamespace()


def run(number: int, length: int | None, rank: int | None = None, **more: Any) -> RunLength:
    known = {"name": f"run {number}", "epoch": None, "completeness": "", "tasks": 5, "slack_ns": 0}
    start = None if length is None else 1_000 * number
    return RunLength(run=number, rank=rank, start_ns=start, length_ns=length, **{**known, **more})


FOUR = RunRounds(
    runs=(run(0, 400), run(1, 100), run(2, 300, completeness="partial"), run(3, None, tasks=0)),
    first=RoundSpread(1, 400.0, None, 400, 400),
    others=RoundSpread(2, 200.0, 141.4, 100, 300),
    between_ns=1_200,
    ranks=(),
    uncertainty_ns=None,
)
RUNS = """\
Runs
  4 runs: the first took 400 ns; the 2 after it 200.0 ns ± 141.4 ns (100 ns to 300 ns); 1 without
  any task times.
  Between runs lie 1.20 µs in which none was open.

  run    tasks  start ns  length ns  of the mean  completeness
  -----  -----  --------  ---------  -----------  ------------
  run 0      5         0        400       200.0%  -
  run 1      5     1,000        100        50.0%  -
  run 2      5     2,000        300       150.0%  partial
  run 3      0         -          -            -  -
"""


def test_the_first_run_stands_apart() -> None:
    assert render_sections(rounds_sections(FOUR)) == RUNS


RANKS = RunRounds(
    runs=(run(0, 400, 0, slack_ns=20), run(1, 500, 1, slack_ns=30)),
    first=RoundSpread(2, 450.0, 70.7, 400, 500),
    others=None,
    between_ns=0,
    ranks=(RankOrder(0, 0, 0, False), RankOrder(1, 40, 140, False), RankOrder(2, 90, 10, True)),
    uncertainty_ns=50,
)
PAGE = """\
Runs
  2 runs: the first of each rank took 450.0 ns ± 70.7 ns (400 ns to 500 ns).

  run    tasks  start ns  length ns  of the mean
  -----  -----  --------  ---------  -----------
  run 0      5         0        400        88.9%
  run 1      5     1,000        500       111.1%

Ranks
  The ranks' clocks leave 50 ns open: a gap within that is undecided.

  rank  first start after ns  last end after ns  slack ns  order known
  ----  --------------------  -----------------  --------  -----------
  0                        0                  0        20  yes
  1                       40                140        30  undecided
  2                       90                 10         -  yes
  After the rank that is first, on the common axis.
"""


def test_ranks_have_an_order_where_it_is_known() -> None:
    assert render_sections(rounds_sections(RANKS)) == PAGE


def test_ranks_on_one_clock_need_no_sentence_about_it() -> None:
    exact = rounds_sections(replace(RANKS, uncertainty_ns=0))[1]
    assert exact.lines == ()
    unplaced = rounds_sections(replace(RANKS, uncertainty_ns=None))[1]
    assert unplaced.lines == (
        "A rank could not be placed on the common axis: no order between ranks is known.",
    )


def many(count: int) -> RunRounds:
    runs = tuple(run(k, 100 + k) for k in range(count))
    return RunRounds(runs, None, None, 0, (), None)


def test_of_more_than_16_runs_four_and_the_twelve_longest_are_shown() -> None:
    (section,) = rounds_sections(many(20))
    assert section.columns[0].cells == tuple(f"run {k}" for k in (*range(4), *range(8, 20)))
    assert section.notes == ("4 shorter runs of 20 not shown.",)
    (section,) = rounds_sections(many(16))
    assert len(section.columns[0].cells) == 16 and section.notes == ()


def test_one_run_has_no_table_and_no_sentence() -> None:
    assert rounds_sections(many(1)) == []
    assert ROUNDS.brief is not None
    assert ROUNDS.brief(many(1), ANSWERS) == []
    (brief,) = ROUNDS.brief(FOUR, ANSWERS)
    assert brief.lines == rounds_sections(FOUR)[0].lines[:1]


def test_a_collector_that_says_records_are_missing_is_believed_first() -> None:
    assert ROUNDS.opening is not None
    runs = tuple(run(k, 1, completeness="partial") for k in range(10))
    doubted = RunRounds(
        (run(10, 1), run(11, 1, completeness=COMPLETE), *runs), None, None, 0, (), None
    )
    (warning,) = ROUNDS.opening(doubted, ANSWERS)
    assert warning.is_warning
    assert warning.lines[0].startswith(
        "The collector did not deliver all records (run 0: partial, "
    )
    assert warning.lines[0].endswith("run 7: partial and 2 more).")
    assert ROUNDS.opening(many(3), ANSWERS) == []


def test_a_run_without_times_is_the_shortest_of_many() -> None:
    runs = tuple(run(k, None if k == 5 else 100 + k) for k in range(17))
    (section,) = rounds_sections(RunRounds(runs, None, None, 0, (), None))
    assert section.columns[0].cells == tuple(f"run {k}" for k in range(17) if k != 5)
    assert section.notes == ("1 shorter run of 17 not shown.",)


def test_shares_are_of_the_mean_of_the_others_or_else_of_the_first() -> None:
    first, others = RoundSpread(1, 50.0, None, 50, 50), RoundSpread(1, 200.0, None, 200, 200)
    runs = (run(0, 100), run(1, None))

    def shares(*spreads: RoundSpread | None) -> tuple[Any, ...]:
        (section,) = rounds_sections(RunRounds(runs, *spreads, 0, (), None))
        column = next(one for one in section.columns if one.title == "of the mean")
        return column.cells

    assert shares(first, others) == (0.5, None)
    assert shares(first, None) == (2.0, None)
    assert shares(None, None) == (None, None)
    assert shares(RoundSpread(1, 0.0, None, 0, 0), None) == (None, None)


@pytest.mark.parametrize(("count", "more"), [(8, ""), (9, " and 1 more")])
def test_eight_runs_that_miss_records_are_named(count: int, more: str) -> None:
    assert ROUNDS.opening is not None
    runs = tuple(run(k, 1, completeness="partial") for k in range(count))
    (warning,) = ROUNDS.opening(RunRounds(runs, None, None, 0, (), None), ANSWERS)
    named = ", ".join(f"run {k}: partial" for k in range(8))
    assert warning.title == "Warning"
    assert warning.lines == (f"The collector did not deliver all records ({named}{more}).",)
