"""A job beside its ideal as a page, whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lanescope.jobs.ideal import FunctionSlowdown, Ideal, RankSlowdown, RanksSlowdown, StepLength
from lanescope.jobs.ideal_section import ideal_sections
from lanescope.jobs.replays import Explained
from lanescope.render.plain import render_sections

IDEAL = Ideal(
    against="peers",
    slowdown=1.25,
    launch_slowdown=1.0,
    cause="ranks",
    blamed=(3, 5),
    worst_ranks=Explained((3, 5), 1.0, 1.0, 0.8, 0.7),
    slowest_role=Explained((0, 1), 1.0, 1.0, 0.6, 0.6),
    last_role=None,
    functions=(FunctionSlowdown("gemm", 1.2), FunctionSlowdown("all_reduce", 1.0)),
    roles=(RanksSlowdown(1, (0, 1), 1.2), RanksSlowdown(0, tuple(range(2, 10)), 1.1)),
    pipelines=(),
    ranks=(RankSlowdown(3, "r3", 0, 1, 1.21), RankSlowdown(5, "r5", 1, 0, None)),
    steps=(
        StepLength(0, 2_000_000, 1_800_000, 1_500_000),
        StepLength(1, 4_000_000, 3_600_000, 2_500_000),
    ),
    notes=("One note.",),
)
PAGE = """\
Slowdown
  a step takes  3.000 ms, mean of 2
  replayed      2.700 ms
  ideal         2.000 ms
  Steps take 1.250 times as long as if every task took as long as on the ranks that do the same
  work.
  Ranks 3 (r3), 5 (r5): with ideal lengths there alone, 80.0% of the slowdown goes away.
  One note.

Slowdown by rank
  rank  name  role  pipeline  slowdown
  ----  ----  ----  --------  --------
     3  r3       0         1    1.2100
     5  r5       1         0         -
  The smaller one of two: if only its role, or only its pipeline, is as recorded.

Slowdown by role
  role  ranks                        slowdown
  ----  ---------------------------  --------
     1  0, 1                           1.2000
     0  2, 3, 4, 5, 6, 7 and 2 more    1.1000
  If only the ranks of this role are as recorded.

Slowdown by function
  function    slowdown
  ----------  --------
  gemm          1.2000
  all_reduce    1.0000
  If only this function is as recorded.
"""


def test_the_whole_page() -> None:
    assert render_sections(ideal_sections(IDEAL)) == PAGE


def cause(**more: object) -> str:
    return ideal_sections(replace(IDEAL, **more))[0].lines[1]  # type: ignore[arg-type]


def test_the_cause_is_one_sentence() -> None:
    assert cause(cause="none") == "That is too little to look for a cause."
    assert cause(cause="spread") == "No single rank and no single role explains half of it."
    assert cause(cause="role", blamed=(0, 1)) == (
        "No single rank, but role 1: with ideal lengths there alone, 60.0% of the slowdown goes "
        "away."
    )
    assert cause(blamed=(5,)) == (
        "Rank 5 (r5): with ideal lengths there alone, 80.0% of the slowdown goes away."
    )


@pytest.mark.parametrize(("removed", "told"), [(0.9995, "all"), (1.1, "all"), (0.9994, "99.9%")])
def test_all_of_it_is_said_where_nothing_is_left(removed: float, told: str) -> None:
    whole = Explained((5,), 1.0, 1.0, removed, 1.0)
    found = cause(blamed=(5,), worst_ranks=whole)
    assert found.endswith(f"alone, {told} of the slowdown goes away.")


def test_single_ranks_and_roles_have_no_table_and_no_step_no_page() -> None:
    alone = replace(IDEAL, ranks=IDEAL.ranks[:1], roles=IDEAL.roles[:1], cause="none")
    assert [one.title for one in ideal_sections(alone)] == ["Slowdown", "Slowdown by function"]
    assert ideal_sections(replace(IDEAL, steps=())) == []


def test_ten_rows_are_shown_and_the_rest_is_counted() -> None:
    functions = tuple(FunctionSlowdown(f"f{k}", 1.0) for k in range(12))
    last = ideal_sections(replace(IDEAL, functions=functions))[-1]
    assert len(last.columns[0].cells) == 10
    assert last.notes[-1] == "2 more are not shown."
    last = ideal_sections(replace(IDEAL, functions=functions[:11]))[-1]
    assert last.notes[-1] == "1 more is not shown."
    assert ideal_sections(replace(IDEAL, functions=functions[:10]))[-1].notes == (
        "If only this function is as recorded.",
    )


def test_the_job_is_held_against_what_was_asked() -> None:
    lines = ideal_sections(replace(IDEAL, against="job"))[0].lines
    assert lines[0].endswith("every task took what its function takes in the whole job.")
