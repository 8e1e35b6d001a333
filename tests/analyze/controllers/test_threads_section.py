"""The tables about controller threads, whole."""

from __future__ import annotations

from tests.analyze.hand import make_trace, phase

from lanescope.analyze.controllers.threads import controllers
from lanescope.analyze.controllers.threads_section import controller_sections
from lanescope.render.plain import render_sections


def text(*rows: dict[str, object]) -> str:
    return render_sections(controller_sections(controllers(make_trace(phases=rows))), 200)


def test_a_lane_has_a_table_of_threads_and_one_of_phases() -> None:
    assert text(
        phase("dispatch", 0, 40, tasks=2),
        phase("resolve", 10, 20),
        phase("poll", 40, 90),
        phase("complete", 90, 100),
        phase("dispatch", 0, 10, controller=1, tasks=1),
    ) == (
        "Scheduler threads\n"
        "  thread  phases  span ns    busy   idle  dispatched\n"
        "  ------  ------  -------  ------  -----  ----------\n"
        "  0            4      100   50.0%  50.0%           2\n"
        "  1            1       10  100.0%   0.0%           1\n"
        "\n"
        "Scheduler phases\n"
        "  phase     role     count  total ns  share  thread 0  thread 1\n"
        "  --------  -------  -----  --------  -----  --------  --------\n"
        "  dispatch  outer        2        50  45.5%     40.0%    100.0%\n"
        "  complete  outer        1        10   9.1%     10.0%      0.0%\n"
        "  idle      idle         -        50  45.5%     50.0%      0.0%\n"
        "  poll      in idle      1        50  45.5%     50.0%      0.0%\n"
        "  resolve   inner        1        10   9.1%     10.0%      0.0%\n"
        "  The outer phases and idle add up to the span. Inner phases lie inside outer ones. The"
        " recorded idle phases are part of idle.\n"
    )


def test_overlapping_and_untimed_phases_are_said() -> None:
    shown = text(phase("dispatch", 0, 6), phase("complete", 4, 10), phase("drain", 9, 3))
    assert "1 phases without usable times are left out." in shown
    assert "Some outer phases overlap, so with idle they add up to more than the span." in shown


def test_many_threads_are_cut_and_have_no_columns_of_their_own() -> None:
    shown = text(*(phase("dispatch", 0, 10, controller=n) for n in range(45)))
    assert "5 more threads are not shown." in shown
    assert "thread 0" not in shown


def test_every_lane_has_its_own_tables() -> None:
    threads = controllers(
        make_trace(phases=[phase("submit", 0, 1, lane="orchestrator"), phase("dispatch", 0, 1)])
    )
    assert [section.title for section in controller_sections(threads)] == [
        "Scheduler threads",
        "Scheduler phases",
        "Orchestrator threads",
        "Orchestrator phases",
    ]


def test_no_threads_give_no_sections() -> None:
    assert controller_sections(()) == []
