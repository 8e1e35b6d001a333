"""Busy time of pipes per task, against a loop over single nanoseconds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.inside.busy import task_pipes
from lanescope.trace.pipes import PIPES
from lanescope.trace.schema import MISSING

LENGTH = 30
INTERVALS = st.lists(
    st.tuples(st.sampled_from(PIPES), st.integers(0, LENGTH), st.integers(0, 12)), max_size=12
)


def busy(pipe: str, start: int, end: int, **more: object) -> Row:
    """A busy interval of the first task on core 0."""
    times = {"start_ns": start, "end_ns": end}
    return {"core": 0, "token": 0, "task": 0, "pipe": pipe, "name": "busy", **times, **more}


@settings(deadline=None)
@given(INTERVALS)
def test_each_nanosecond_of_a_task_is_counted_once(rows: list[tuple[str, int, int]]) -> None:
    marks = [busy(pipe, 100 + start, 100 + start + length) for pipe, start, length in rows]
    trace = make_trace(
        tasks=[task(0, None, None, 100, 100 + LENGTH, None, token=0, task=0)], marks=marks
    )
    at = [
        {pipe for pipe, start, length in rows if start <= now < start + length}
        for now in range(LENGTH)
    ]
    found = task_pipes(trace)
    if not rows:
        assert len(found.row) == 0
        return
    for pipe in PIPES:
        assert found.busy_ns[pipe].tolist() == [sum(pipe in working for working in at)]
    both = sum("mte2" in working and bool(working & {"cube", "vector"}) for working in at)
    assert found.overlap_ns.tolist() == [both]
    assert found.bubble_ns.tolist() == [sum(not working for working in at)]


def test_marks_and_slices_of_other_origin_are_no_busy_intervals() -> None:
    other = [busy("vector", 0, 5, name="mark 3"), busy("depth 1", 0, 5)]
    trace = make_trace(tasks=[task(0, None, None, 0, 9, None, token=0)], marks=other)
    assert len(task_pipes(trace).row) == 0


@pytest.mark.parametrize("unknown", ["start_ns", "end_ns"])
def test_an_interval_with_one_end_is_left_out(unknown: str) -> None:
    marks = [busy("cube", 0, 5), busy("vector", 2, 6, **{unknown: MISSING})]
    found = task_pipes(make_trace(tasks=[task(0, None, None, 0, 9, None, token=0)], marks=marks))
    assert {pipe: ns.tolist() for pipe, ns in found.busy_ns.items() if ns.any()} == {"cube": [5]}


def test_intervals_are_left_out_where_no_task_ran() -> None:
    trace = make_trace(tasks=[{"kind": "dummy", "task": 1}], marks=[busy("cube", 0, 5)])
    assert len(task_pipes(trace).row) == 0


def test_an_interval_of_an_unknown_token_is_left_out() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, 9, None, token=0)], marks=[busy("cube", 0, 5, token=7)]
    )
    assert len(task_pipes(trace).row) == 0
