"""The words and tables about the critical paths."""

from __future__ import annotations

from dataclasses import replace

from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.graph.critical import Critical, PathCause, PathFunction
from lanescope.analyze.graph.critical_section import (
    SEGMENT_LABELS,
    brief_section,
    critical_sections,
    critical_sentence,
)
from lanescope.analyze.graph.paths import SEGMENTS
from lanescope.render.plain import render_sections

CRITICAL = Critical(
    window=Span(0, 1000),
    static_ns=500,
    static_tasks=2,
    static_share=0.5,
    static_functions=(PathFunction(0, "QK", 1, 400, 0, 0.4),),
    edges=3,
    implied=1,
    path_runs=4,
    segments={**dict.fromkeys(SEGMENTS, 0), "run": 600, "switch": 300, "finish": 100},
    functions=(
        PathFunction(0, "QK", 3, 500, 200, 0.5),
        PathFunction(1, "SF", 1, 100, 100, 0.1),
    ),
    causes=(PathCause("data", "creator", 3, 250), PathCause("core", "", 1, 50)),
    without_slack=2,
)

TEXT = """\
Critical path
  observed  4 runs, 1.00 µs
  static    500 ns (50.0% of the window) in 2 tasks, each with all cores to itself
  no slack  2 tasks; longer ones lengthen it
  edges     3 pairs, 1 of them implied

  on the path                         time ns   share
  ----------------------------------  -------  ------
  running                                 600   60.0%
  dispatched, not picked up (switch)      300   30.0%
  end to finish of the last               100   10.0%
  in all                                1,000  100.0%

Critical path: functions
  function  runs  running ns  share  wait before ns  static runs  static ns
  --------  ----  ----------  -----  --------------  -----------  ---------
  QK           3         500  50.0%             200            1        400
  SF           1         100  10.0%             100            0          0

Critical path: what runs waited for
  waited for                     edge     runs  until start ns
  -----------------------------  -------  ----  --------------
  data                           creator     3             250
  the run before it on its core  -           1              50
"""


def test_the_three_tables() -> None:
    assert render_sections(critical_sections(CRITICAL)) == TEXT


def test_without_edges_there_is_no_static_path() -> None:
    (tiles, *_) = critical_sections(replace(CRITICAL, edges=0))
    assert tiles.facts == (("observed", "4 runs, 1.00 µs"),)


def test_edges_that_were_not_reduced_say_nothing_of_implied_ones() -> None:
    (tiles, *_) = critical_sections(replace(CRITICAL, implied=None))
    assert tiles.facts[-1] == ("edges", "3 pairs")


def test_many_functions_are_cut() -> None:
    many = tuple(PathFunction(n, f"f{n}", 1, 1, 1, 0.1) for n in range(15))
    functions = critical_sections(replace(CRITICAL, functions=many))[1]
    assert len(functions.columns[0].cells) == 12
    assert functions.notes == ("3 more are not shown; --json has all.",)


def test_the_sentence_names_the_largest_function_and_wait() -> None:
    assert critical_sentence(CRITICAL) == (
        "On the critical path cores run for 60.0% of the time, most of it QK (50.0%); its longest "
        "wait is dispatched, not picked up (switch), 30.0%."
    )


def test_a_path_that_only_runs_has_no_wait_to_name() -> None:
    running = replace(CRITICAL, segments={**dict.fromkeys(SEGMENTS, 0), "run": 1000})
    assert critical_sentence(running) == (
        "On the critical path cores run for 100.0% of the time, most of it QK (50.0%)."
    )


def test_without_times_there_is_nothing_to_say() -> None:
    empty = replace(CRITICAL, window=None, path_runs=0, functions=())
    assert (critical_sections(empty), critical_sentence(empty)) == ([], "")
    assert repr(empty) == "<Critical: no task has times>"


def test_the_repr_is_one_line() -> None:
    assert repr(CRITICAL) == "<Critical: observed 4 runs in 1.00 µs, static 2 tasks in 500 ns>"


BRIEF = """\
Critical path
  running   60.0%: QK 50.0%, SF 10.0%
  waiting   dispatched, not picked up (switch) 30.0%; end to finish of the last 10.0%
  at least  500 ns (50.0%): its longest chain of tasks
"""


def test_the_short_page_has_three_lines() -> None:
    section = brief_section(CRITICAL)
    assert section is not None and render_sections([section]) == BRIEF


def test_the_short_page_names_three_functions_and_two_waits() -> None:
    functions = tuple(PathFunction(n, f"f{n}", 1, 10 * n, 0, 0.01 * n) for n in range(5))
    segments = dict.fromkeys(SEGMENTS, 0) | {"run": 100, "switch": 200, "scheduler": 400}
    segments["orchestrator"] = 300
    section = brief_section(replace(CRITICAL, functions=functions, segments=segments, edges=0))
    assert section is not None
    assert section.facts == (
        ("running", "10.0%: f4 4.0%, f3 3.0%, f2 2.0%"),
        ("waiting", f"{SEGMENT_LABELS['scheduler']} 40.0%; {SEGMENT_LABELS['orchestrator']} 30.0%"),
    )


def test_a_path_without_length_or_runs_is_not_on_the_short_page() -> None:
    assert brief_section(replace(CRITICAL, window=None)) is None
    assert brief_section(replace(CRITICAL, window=Span(5, 5))) is None
    assert brief_section(replace(CRITICAL, path_runs=0)) is None
    running = replace(CRITICAL, segments={**dict.fromkeys(SEGMENTS, 0), "run": 1000}, edges=0)
    section = brief_section(running)
    assert section is not None and section.facts == (("running", "100.0%: QK 50.0%, SF 10.0%"),)
