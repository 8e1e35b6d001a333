"""Spans and utilisation."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.analyze.cores.makespan import KindUse, Makespan, Span, makespan

CORES = [{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}, {"core": 2, "kind": "aiv"}]


def test_makespan_runs_from_dispatch_to_finish() -> None:
    trace = make_trace(
        cores=CORES,
        tasks=[task(0, 10, 12, 20, 60, 70), task(1, 5, 7, 30, 50, 110)],
    )
    assert makespan(trace) == Makespan(
        time_range=Span(20, 60),
        makespan=Span(5, 110),
        observed=Span(7, 60),
        window=Span(5, 110),
        kinds=(KindUse("aic", 1, 1, 1, 40, 40 / 105), KindUse("aiv", 2, 1, 1, 20, 20 / 210)),
    )


def test_level_1_has_only_the_observed_span() -> None:
    trace = make_trace(tasks=[task(0, None, 5, 10, 20, None), task(0, None, None, 30, 40, None)])
    assert makespan(trace) == Makespan(
        time_range=Span(10, 40),
        makespan=None,
        observed=Span(5, 40),
        window=Span(5, 40),
        kinds=(KindUse("(unknown)", 1, 1, 2, 20, 20 / 35),),
    )


def test_overlapping_tasks_keep_a_core_busy_once() -> None:
    trace = make_trace(tasks=[task(0, None, None, 0, 10, None), task(0, None, None, 5, 20, None)])
    assert makespan(trace).kinds == (KindUse("(unknown)", 1, 1, 2, 20, 1.0),)


def test_a_lost_controller_record_cannot_push_utilisation_over_one() -> None:
    trace = make_trace(tasks=[task(0, 0, None, 1, 2, 3), task(0, None, None, 3, 1000, None)])
    result = makespan(trace)
    assert result.makespan == Span(0, 3)
    assert result.window == Span(0, 1000)
    assert result.kinds[0].utilisation == 998 / 1000


def test_a_task_of_no_length_gives_no_utilisation() -> None:
    trace = make_trace(tasks=[task(0, None, None, 4, 4, None)])
    assert makespan(trace).kinds == (KindUse("(unknown)", 1, 1, 1, 0, None),)


def test_no_tasks_give_no_spans() -> None:
    trace = make_trace(cores=CORES)
    assert makespan(trace) == Makespan(
        None,
        None,
        None,
        None,
        (KindUse("aic", 1, 0, 0, 0, None), KindUse("aiv", 2, 0, 0, 0, None)),
    )
