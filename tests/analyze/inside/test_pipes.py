"""Pipe shares, overlap, bound and bubbles per function and kind of core."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task
from tests.analyze.inside.test_busy import busy

from lanescope.analyze.inside.pipes import INSIDE, Inside, PipeShare, PipeUse, inside

CORES = [{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}]


def test_every_figure_of_two_functions() -> None:
    trace = make_trace(
        cores=CORES,
        functions=[{"func": 0, "name": "QK"}, {"func": 1, "name": "SF"}],
        tasks=[
            task(0, None, None, 0, 100, None, token=0, task=0, func=0),
            task(0, None, None, 100, 200, None, token=1, task=1, func=0),
            task(1, None, None, 0, 50, None, token=0, task=2, func=1),
            task(1, None, None, 60, 70, None, token=1, task=3, func=1),
        ],
        marks=[
            busy("mte2", 10, 40),
            busy("cube", 30, 90),
            busy("mte2", 100, 110, token=1),
            busy("cube", 110, 150, token=1),
            busy("vector", 0, 50, core=1, token=0),
            {"core": 1, "pipe": "vector", "name": "busy", "start_ns": 55, "end_ns": 56},
            {"core": 1, "pipe": "vector", "name": "busy", "start_ns": 80, "task": 2, "token": 0},
        ],
    )
    assert inside(trace) == Inside(
        rows=(
            PipeUse(
                func=0,
                name="QK",
                kind="aic",
                tasks=2,
                total_ns=200,
                pipes=(PipeShare("cube", 100, 0.5), PipeShare("mte2", 40, 0.2)),
                bound="cube",
                load_ns=40,
                overlap_ns=10,
                overlap_share=0.25,
                bubble_ns=70,
                bubble_share=0.35,
            ),
            PipeUse(
                func=1,
                name="SF",
                kind="aiv",
                tasks=1,
                total_ns=50,
                pipes=(PipeShare("vector", 50, 1.0),),
                bound="vector",
                load_ns=0,
                overlap_ns=0,
                overlap_share=None,
                bubble_ns=0,
                bubble_share=0.0,
            ),
        ),
        tasks_without=1,
        marks_without_task=1,
        one_ended=1,
    )


def test_one_function_on_two_kinds_of_core_is_two_rows() -> None:
    trace = make_trace(
        cores=CORES,
        tasks=[task(core, None, None, 0, 10, None, token=0, func=0) for core in (0, 1)],
        marks=[busy("scalar", 0, 10, core=core) for core in (0, 1)],
    )
    assert [(row.name, row.kind) for row in inside(trace).rows] == [
        ("func_0", "aic"),
        ("func_0", "aiv"),
    ]


def test_a_trace_without_pipes_says_nothing() -> None:
    trace = make_trace(tasks=[task(0, None, None, 0, 10, None, token=0)])
    assert inside(trace) == Inside((), 0, 0, 0)


def test_functions_beyond_forty_are_counted() -> None:
    def notes(count: int) -> tuple[str, ...]:
        trace = make_trace(
            cores=CORES,
            tasks=[
                task(0, None, None, 100 * n, 100 * n + 50, None, token=n, task=n, func=n)
                for n in range(count)
            ],
            marks=[busy("cube", 100 * n, 100 * n + 10, token=n) for n in range(count)],
        )
        [section] = INSIDE.sections(inside(trace), {})
        assert len(section.columns[0].cells) == min(count, 40)
        return section.notes[1:]

    assert notes(40) == ()
    assert notes(42) == ("2 functions with less total time are not shown.",)
