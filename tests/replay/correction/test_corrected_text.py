"""Corrected figures as they are printed, the whole page."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from lanescope.replay.correction.corrected import Corrected, Removed
from lanescope.replay.correction.corrected_text import corrected_text
from lanescope.replay.correction.figure import Figure
from lanescope.replay.correction.record_costs import Cost, RecordCosts

COST = Cost(4.0, 3.0, 5.0)
COSTS = RecordCosts(
    platform="a5", protocol="staging", basis="fitted", costs={"core_task": COST}, note="five rounds"
)
ANSWER = Corrected(
    costs=COSTS,
    removed=(Removed("core_task", 1000, COST, 4000.0, "the core, behind the task"),),
    figures=(
        Figure("makespan", "", 1_000_000.0, 900_000.0, 880_000.0, 910_000.0),
        Figure("utilisation", "aic", 0.5, 0.6, 0.55, 0.65, is_share=True),
        Figure("idle core time", "aic", 0.0, 0.0, 0.0, 1.0),
    ),
    honesty=0.1,
    notes=("a note",),
)
PAGE = """\
What recording cost in run
  costs     fitted: five rounds
  protocol  staging

  record     records  ns each  from    to  in all ns  paid by
  ---------  -------  -------  ----  ----  ---------  -------------------------
  core_task    1,000     4.00  3.00  5.00    4,000.0  the core, behind the task

Without the profiler
  Note: a note.
  The unchanged replay is more than 5 % off, so it leaves out what decided this run; the intervals
  are wide for that reason.

  figure          of   recorded  corrected  from       to         change
  --------------  ---  --------  ---------  ---------  ---------  -------
  makespan             1.000 ms  900.00 µs  880.00 µs  910.00 µs  -10.00%
  utilisation     aic  50.0%     60.0%      55.0%      65.0%      +20.00%
  idle core time  aic  0.0 ns    0.0 ns     0.0 ns     1.0 ns
  From and to hold every replay over what the records and the costs leave open, and the distance of
  the unchanged replay (+10.00%).
  Tasks, start to end, are as recorded: their records lie behind them. Time in phases is that of the
  recorded run; an unrecorded one would find other batches.
"""


def test_the_costs_come_first_then_the_timeline() -> None:
    assert corrected_text("run", ANSWER) == PAGE


def test_known_costs_have_no_interval() -> None:
    known = msgspec.structs.replace(COSTS, basis="known", protocol="", note="parameters")
    page = corrected_text("run", replace(ANSWER, costs=known, honesty=0.0))
    assert page.splitlines()[1:7] == [
        "  costs     known: parameters",
        "  protocol  not known",
        "",
        "  record     records  ns each  in all ns  paid by",
        "  ---------  -------  -------  ---------  -------------------------",
        "  core_task    1,000     4.00    4,000.0  the core, behind the task",
    ]
    assert "more than 5 % off" not in page


def test_more_than_40_figures_are_in_the_json() -> None:
    many = tuple(Figure("start to end", f"f{n}", 1.0, 1.0, 1.0, 1.0) for n in range(43))
    page = corrected_text("run", replace(ANSWER, figures=many))
    assert "f39" in page and "f40" not in page
    assert page.endswith("3 more functions are in the JSON.\n")
