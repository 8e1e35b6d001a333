"""The tables about functions, whole."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.analyze.tasks.functions import functions
from lanescope.analyze.tasks.functions_section import FUNCTIONS, function_sections
from lanescope.render.plain import render_sections
from lanescope.trace import Trace


def text(trace: Trace) -> str:
    return render_sections(function_sections(functions(trace)))


def test_both_tables() -> None:
    trace = make_trace(
        functions=[{"func": 3, "name": "QK"}, {"func": 9, "name": "unused"}],
        tasks=[
            task(0, 0, 4, 5, 15, 20, func=3),
            task(0, 20, 21, 25, 45, 50, func=3),
            task(0, None, None, 60, 70, None, func=3),
            task(0, None, None, None, None, None, func=3),
        ],
    )
    assert text(trace) == (
        "Functions: time on the core\n"
        "  id  function  count  total ns   share  mean ns  p50 ns  p99 ns  min ns  max ns\n"
        "  --  --------  -----  --------  ------  -------  ------  ------  ------  ------\n"
        "  3   QK            3        40  100.0%     13.3      10      20      10      20\n"
        "      TOTAL         3        40  100.0%     13.3      10      20      10      20\n"
        "  1 runs without times are left out.\n"
        "  1 declared functions did not run.\n"
        "\n"
        "Functions: from dispatch to finish\n"
        "  id  function  latency ns  p50 ns  p99 ns   exec  tail ns  head ns  propagation ns"
        "  setup ns\n"
        "  --  --------  ----------  ------  ------  -----  -------  -------  --------------"
        "  --------\n"
        "  3   QK              25.0      20      30  60.0%      5.0      5.0             2.5"
        "       2.5\n"
        "      TOTAL           25.0      20      30  60.0%      5.0      5.0             2.5"
        "       2.5\n"
        "  tail: end to finish; head: dispatch to start = propagation (to receive) + setup.\n"
        "  1 runs without dispatch or finish are in no latency.\n"
    )


def test_a_function_of_no_length_has_no_share() -> None:
    on_core = function_sections(functions(make_trace(tasks=[task(0, 0, 0, 0, 0, 0, func=1)])))[0]
    shares = next(column.cells for column in on_core.columns if column.title == "share")
    assert shares == (None, None)


def test_without_dispatch_the_note_says_so() -> None:
    trace = make_trace(tasks=[task(0, None, 8, 10, 20, None, func=3)])
    assert function_sections(functions(trace))[1].notes == (
        "No dispatch and no finish was recorded; setup: receive to start.",
    )


def test_many_functions_are_cut_and_the_total_stays() -> None:
    tasks = [task(0, None, None, 0, 1000 + n, None, func=n) for n in range(45)]
    on_core = function_sections(functions(make_trace(tasks=tasks)))[0]
    assert [len(column.cells) for column in on_core.columns] == [41] * len(on_core.columns)
    assert on_core.notes == ("5 functions with less total time are not shown.",)
    assert function_sections(functions(make_trace(tasks=tasks[:40])))[0].notes == ()


def test_nothing_ran_means_no_tables() -> None:
    assert function_sections(functions(make_trace())) == []


def test_the_short_page_has_the_four_functions_that_took_most() -> None:
    tasks = [task(0, None, None, 0, 10 * (n + 1), None, func=n) for n in range(5)]
    trace = make_trace(tasks=tasks, functions=[{"func": n, "name": f"f{n}"} for n in range(5)])
    assert brief(trace) == (
        "Functions, by time on the cores\n"
        "  function  runs  total ns  share  mean ns  p99 ns\n"
        "  --------  ----  --------  -----  -------  ------\n"
        "  f4           1        50  33.3%     50.0      50\n"
        "  f3           1        40  26.7%     40.0      40\n"
        "  f2           1        30  20.0%     30.0      30\n"
        "  f1           1        20  13.3%     20.0      20\n"
        "  1 more function.\n"
    )
    four = make_trace(tasks=tasks[:4])
    assert "more function" not in brief(four)


def brief(trace: Trace) -> str:
    return render_sections(FUNCTIONS.brief(functions(trace), {}))
