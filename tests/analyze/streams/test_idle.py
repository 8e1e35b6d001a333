"""Every idle nanosecond has one reason: each reason by a trace that has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analyze.hand import Row
from tests.analyze.streams.made import basis_of, did, ran

from lanescope.analyze.streams.before import idle_before
from lanescope.analyze.streams.breakdown import breakdown
from lanescope.analyze.streams.idle import IdleTime, NamedTime, idle

FIRST = did("launch", 0, 5, 0)
"""The call of the first row, which all traces here have."""


def of_stream(
    tasks: Sequence[Row], phases: Sequence[Row] = (), stream: int = 0, **more: Any
) -> IdleTime:
    answer = idle(basis_of(tasks, phases, **more))
    return next(one for one in answer.streams if one.core == stream)


def reasons(one: IdleTime) -> dict[str, int]:
    return {reason.what: reason.ns for reason in one.reasons if reason.ns}


TWO = [ran(0, "gemm", 10, 100, 0), ran(0, "gemm", 200, 300, 1)]
"""The stream is idle from 100 to 200."""


def test_the_host_was_busy_until_it_called() -> None:
    rows = [FIRST, did("mm", 90, 190), did("view", 110, 140), did("launch", 170, 180, 1)]
    found = of_stream(TWO, rows)
    assert reasons(found) == {"host_busy": 70, "call": 10, "launch": 20}
    assert found.host_rows == (NamedTime("mm", 40), NamedTime("view", 30))


def test_the_host_waited_itself() -> None:
    rows = [FIRST, did("cudaStreamSynchronize", 90, 150, 7), did("launch", 170, 210, 1)]
    assert reasons(of_stream(TWO, rows)) == {"host_waiting": 50, "host_unseen": 20, "call": 30}


def test_a_wait_that_the_source_records_is_one_whatever_its_call_is_called() -> None:
    rows = [FIRST, did("aclrtFoo", 90, 170, 7), did("launch", 170, 180, 1)]
    waits = [{"kind": "host waits stream", "launch": 7}]
    assert reasons(of_stream(TWO, rows, waits=waits))["host_waiting"] == 70
    assert reasons(of_stream(TWO, rows))["host_busy"] == 70


def test_a_query_does_not_wait() -> None:
    rows = [FIRST, did("cudaEventQuery", 90, 170, 7), did("launch", 170, 180, 1)]
    waits = [{"kind": "host waits event", "launch": 7}]
    assert reasons(of_stream(TWO, rows, waits=waits))["host_busy"] == 70


def test_an_annotation_says_nothing_about_the_host() -> None:
    rows = [FIRST, did("epoch", 0, 400, category="annotation"), did("launch", 170, 180, 1)]
    assert reasons(of_stream(TWO, rows))["host_unseen"] == 70


def test_another_launching_thread_is_asked_where_the_first_has_no_row() -> None:
    rows = [
        FIRST,
        did("launch", 170, 180, 1),
        did("forward", 100, 130, controller=1),
        did("launch", 125, 130, 2, controller=1),
        did("watch", 130, 170, controller=2),
    ]
    found = of_stream([*TWO, ran(1, "gemm", 130, 140, 2)], rows)
    assert reasons(found) == {"host_busy": 30, "host_unseen": 40, "call": 10, "launch": 20}
    assert found.host_rows == (NamedTime("forward", 25), NamedTime("launch", 5))


def test_before_the_first_row_of_the_host_nothing_is_recorded() -> None:
    rows = [did("mm", 150, 190), did("launch", 170, 180, 1)]
    assert reasons(of_stream(TWO, rows)) == {
        "host_busy": 20, "call": 10, "launch": 20, "not_recorded": 50,
    }  # fmt: skip


def test_a_call_that_is_not_in_the_file_says_nothing() -> None:
    assert reasons(of_stream(TWO, [FIRST, did("mm", 90, 190)])) == {"not_recorded": 100}
    assert reasons(of_stream([ran(0, "gemm", 0, 1), ran(0, "gemm", 9, 10)])) == {"not_recorded": 8}


EARLY = [FIRST, did("launch", 20, 25, 1), did("launch", 30, 35, 2)]


def test_a_row_waits_for_an_event_of_another_stream() -> None:
    tasks = [*TWO, ran(1, "gemm", 50, 180, 2)]
    edges = [{"pred": 2, "succ": 1, "kind": "event", "flags": 0}]
    found = of_stream(tasks, EARLY, edges=edges)
    assert reasons(found) == {"event": 80, "start": 20}
    assert found.events == (NamedTime("s1", 80),)


def test_an_event_of_the_very_first_row_has_the_name_of_its_stream() -> None:
    tasks = [ran(0, "gemm", 10, 180, 0), ran(1, "gemm", 50, 100, 1), ran(1, "gemm", 200, 300, 2)]
    edges = [{"pred": 0, "succ": 2, "kind": "event", "flags": 0}]
    found = of_stream(tasks, EARLY, stream=1, edges=edges)
    assert reasons(found) == {"nothing": 10, "call": 5, "launch": 25, "event": 80, "start": 20}
    assert found.events == (NamedTime("s0", 80),)


UNNAMED = [{"kind": "stream waits event", "core": 0, "task": 1}]


def test_an_event_that_nothing_tells_takes_the_whole_gap() -> None:
    late = [ran(0, "gemm", 10, 100, 0), ran(0, "gemm", 40_000, 40_100, 1)]
    found = of_stream(late, EARLY, waits=UNNAMED)
    assert reasons(found) == {"event": 39_900}
    assert found.events == (NamedTime("a stream that is not known", 39_900),)


def test_a_row_that_started_as_fast_as_launches_do_waited_for_no_event() -> None:
    assert reasons(of_stream(TWO, EARLY, waits=UNNAMED)) == {"start": 100}


@pytest.mark.parametrize(("end", "known"), [(38_000, True), (34_000, False)])
def test_an_unnamed_event_is_that_of_the_row_that_ended_right_before(end: int, known: bool) -> None:
    late = [ran(0, "gemm", 10, 100, 0), ran(0, "gemm", 40_000, 40_100, 1)]
    found = of_stream([*late, ran(1, "gemm", 50, end, 2)], EARLY, waits=UNNAMED)
    if known:
        assert reasons(found) == {"event": 37_900, "start": 2000}
        assert found.events == (NamedTime("s1 (by the times)", 37_900),)
    else:
        assert found.events == (NamedTime("a stream that is not known", 39_900),)


def test_a_row_of_its_own_stream_or_of_another_device_is_no_event() -> None:
    near = [ran(0, "gemm", 10, 39_000, 0), ran(0, "gemm", 40_000, 40_100, 1)]
    other = ran(2, "gemm", 50, 39_500, 2)
    found = of_stream([*near, other], EARLY, waits=UNNAMED)
    assert found.events == (NamedTime("a stream that is not known", 1000),)


def test_a_device_that_says_that_it_waits_is_believed() -> None:
    found = of_stream([TWO[0], ran(0, "stand", 110, 190), TWO[1]], EARLY)
    assert reasons(found)["event"] == 80
    assert found.idle_ns == 100


def test_a_row_that_could_start_did_not() -> None:
    tasks = [*TWO, ran(1, "gemm", 90, 130, 2)]
    assert reasons(of_stream(tasks, EARLY)) == {"crowded": 30, "start": 70}


def test_a_gap_inside_a_graph_is_the_graphs() -> None:
    tasks = [ran(0, "gemm", 10, 100, 0), ran(0, "gemm", 200, 300, 0)]
    assert reasons(of_stream(tasks, [FIRST])) == {"graph": 100}


def test_before_its_first_launch_and_after_its_last_row_a_stream_has_nothing_to_do() -> None:
    tasks = [ran(0, "gemm", 10, 300, 0), ran(1, "gemm", 120, 150, 1)]
    found = of_stream(tasks, [FIRST, did("launch", 100, 110, 1)], stream=1)
    assert reasons(found) == {"call": 10, "launch": 10, "nothing": 90 + 150}


def test_a_row_that_starts_before_its_call_is_counted() -> None:
    answer = idle(basis_of(TWO, [FIRST, did("launch", 250, 260, 1)]))
    assert answer.early == 1
    assert answer.streams[0].idle_ns == 100


def test_a_device_is_idle_while_none_of_its_streams_runs() -> None:
    tasks = [*TWO, ran(1, "gemm", 90, 130, 2)]
    (device,) = idle(basis_of(tasks, EARLY)).devices
    assert reasons(device) == {"start": 70}
    assert device.name == "device 0"


moments = st.integers(0, 60)
intervals = st.tuples(moments, st.integers(0, 20))


@st.composite
def anything(draw: st.DrawFn) -> tuple[list[Row], list[Row], list[Row]]:
    """Rows and calls at any times, joined or not, with events from anywhere to anywhere."""
    spans = draw(st.lists(intervals, min_size=1, max_size=12))
    tasks = [
        ran(
            draw(st.integers(0, 2)),
            draw(st.sampled_from(["gemm", "reduce", "copy", "stand"])),
            start,
            start + length,
            draw(st.none() | st.integers(0, 6)),
        )
        for start, length in spans
    ]
    phases = [
        did(
            draw(st.sampled_from(["mm", "cudaDeviceSynchronize"])),
            start,
            start + length,
            draw(st.none() | st.just(number)),
            controller=draw(st.integers(0, 1)),
        )
        for number, (start, length) in enumerate(draw(st.lists(intervals, max_size=7)))
    ]
    ends = st.integers(0, len(tasks) - 1)
    edges = [
        {"pred": draw(ends), "succ": draw(ends), "kind": "event", "flags": 0}
        for _ in range(draw(st.integers(0, 3)))
    ]
    return tasks, phases, edges


@given(anything())
def test_reasons_add_up_whatever_the_file_says(made: tuple[list[Row], ...]) -> None:
    tasks, phases, edges = made
    basis = basis_of(tasks, phases, edges=edges)
    answer, times = idle(basis), breakdown(basis.work)
    for one in (*answer.devices, *answer.streams):
        assert all(reason.ns >= 0 for reason in one.reasons)
        assert sum(reason.ns for reason in one.reasons) == one.idle_ns
        assert sum(event.ns for event in one.events) == one.ns("event")
        named = sum(row.ns for row in one.host_rows)
        assert named == one.ns("host_busy") + one.ns("host_waiting")
    assert [one.idle_ns for one in answer.devices] == [one.idle_ns for one in times.devices]
    busy = {one.core: one.busy_ns for one in times.streams}
    for one in answer.streams:
        assert one.window_ns - one.idle_ns == busy.get(one.core, 0)


def test_what_came_before_a_row_is_known_by_row() -> None:
    before = idle_before(basis_of(TWO, EARLY))
    assert {what: ns.tolist() for what, ns in before.items() if np.any(ns)} == {"start": [0, 100]}


@pytest.mark.parametrize("tasks", [[], [ran(0, "stand", 0, 5)]])
def test_nothing_that_works_has_no_idle_time(tasks: list[Row]) -> None:
    assert idle(basis_of(tasks)).devices == ()


def test_the_very_first_row_of_a_trace_can_wait_for_an_event() -> None:
    """Stream 0 has nothing to do until its launch at 34; stream 1 runs until 80."""
    tasks = [ran(0, "gemm", 90, 95, 0), ran(1, "gemm", 50, 80, 1), ran(1, "gemm", 20, 30, 2)]
    edges = [{"pred": 1, "succ": 0, "kind": "event", "flags": 0}]
    calls = [did("launch", 0, 5, 2), did("launch", 34, 35, 0), did("launch", 36, 37, 1)]
    found = of_stream(tasks, calls, edges=edges)
    assert reasons(found) == {"nothing": 14, "event": 46, "start": 10}
    assert found.events == (NamedTime("s1", 46),)


def test_of_what_the_host_did_the_twenty_longest_are_named() -> None:
    """21 rows of 1 to 21 ns before the call of the second row; two are of one length."""
    at = [100 + n * (n - 1) // 2 for n in range(1, 23)]
    rows = [did(f"op{n:02}", at[n - 1], at[n]) for n in range(1, 22)]
    rows[19]["end_ns"] -= 1
    tasks = [ran(0, "gemm", 10, 100, 0), ran(0, "gemm", 400, 410, 1)]
    found = of_stream(tasks, [FIRST, *rows, did("launch", at[21], at[21] + 9, 1)])
    names = ["op21", "op19", "op20", *(f"op{n:02}" for n in range(18, 1, -1))]
    assert [row.name for row in found.host_rows] == names
    assert [row.ns for row in found.host_rows] == [21, 19, 19, *range(18, 1, -1)]


def test_an_idle_time_tells_its_place_and_its_reasons_largest_first() -> None:
    found = of_stream(TWO, [FIRST, did("mm", 90, 190), did("launch", 170, 180, 1)])
    assert (found.name, found.core, found.device) == ("s0", 0, 0)
    assert (found.window_ns, found.idle_ns) == (290, 100)
    assert {one.what: one.share for one in found.reasons if one.ns} == {
        "host_busy": 0.7,
        "call": 0.1,
        "launch": 0.2,
    }
    assert (found.ns("launch"), found.ns("no such reason")) == (20, 0)
    assert repr(found) == "<IdleTime of s0: 100 ns, host_busy 70.0%, launch 20.0%, call 10.0%>"


def test_a_stream_that_never_stops_has_no_shares() -> None:
    found = of_stream([ran(0, "gemm", 10, 100, 0)], [FIRST])
    assert found.idle_ns == 0
    assert {one.share for one in found.reasons} == {None}
