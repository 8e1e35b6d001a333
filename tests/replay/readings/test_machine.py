"""The machine of a run: kinds in the order of their queues, clusters, schedulers."""

from __future__ import annotations

import pytest
from tests.analyze.hand import Row, make_trace, task

from lanescope.replay.readings.machine import machine_of, used_kinds
from lanescope.results import plain
from lanescope.trace.meta import RecordingFacts


def core(number: int, kind: str, **more: int) -> Row:
    return {"core": number, "kind": kind, **more}


def test_cores_keep_their_order_and_kinds_come_as_their_queues() -> None:
    trace = make_trace(
        {"queues": ("aiv", "mix", "aic")},
        tasks=[task(2, 0, 1, 2, 3, 4, task=1)],
        cores=[
            core(2, "aic", cluster=5, controller=1),
            core(3, "aiv", cluster=5, controller=0),
            core(4, "sm", cluster=6, controller=2),
        ],
    )
    assert used_kinds(trace) == {2: "aic", 3: "aiv"}
    assert plain(machine_of(trace)) == {
        "kinds": ["aiv", "aic"],
        "core_kind": [1, 0],
        "cluster": [5, 5],
        "scheduler": [1, 0],
        "schedulers": 2,
        "pre_dispatch": 0,
        "bank_cores": 1,
        "policy": {"choice": 0, "pop": 0, "collect": 0},
    }


def test_kinds_without_a_queue_come_as_tasks_needed_them() -> None:
    """Cores without a cluster are clusters of their own; nobody serves them but scheduler 0."""
    trace = make_trace(
        tasks=[task(0, 0, 1, 2, 3, 4, task=9), task(1, 0, 1, 2, 3, 4, task=3)],
        cores=[core(0, "a"), core(1, "b"), core(2, "b", cluster=4)],
    )
    assert plain(machine_of(trace)) == {
        "kinds": ["b", "a"],
        "core_kind": [1, 0, 0],
        "cluster": [5, 6, 4],
        "scheduler": [0, 0, 0],
        "schedulers": 1,
        "pre_dispatch": 0,
        "bank_cores": 1,
        "policy": {"choice": 0, "pop": 0, "collect": 0},
    }


@pytest.mark.parametrize(
    ("dispatches", "expected"), [((0, 12, 24), 0), ((0, 11, 24), 1), ((0, 5, 11), 2)]
)
def test_tasks_held_in_advance_show_in_their_dispatch(
    dispatches: tuple[int, ...], expected: int
) -> None:
    """Three tasks of 10 ns; each finish is seen after 2 ns."""
    ends = (10, 22, 34)
    rows = [
        task(0, dispatch, end - 10, end - 10, end, end + 2)
        for dispatch, end in zip(dispatches, ends, strict=True)
    ]
    trace = make_trace(tasks=rows, cores=[core(0, "a")])
    assert machine_of(trace).pre_dispatch == expected
    stated = trace.with_meta(recording=RecordingFacts(pre_dispatch=7))
    assert machine_of(stated).pre_dispatch == 7
    silent = trace.with_meta(recording=RecordingFacts(protocol="staging"))
    assert machine_of(silent).pre_dispatch == expected


def test_a_task_that_did_not_run_brings_no_kind_before_the_others() -> None:
    """Task 1 was given core 0 and never ran."""
    trace = make_trace(
        tasks=[
            {"task": 1, "core": 0, "kind": "dummy"},
            task(0, 0, 1, 2, 3, 4, task=9),
            task(1, 0, 1, 2, 3, 4, task=3),
        ],
        cores=[core(0, "a"), core(1, "b")],
    )
    assert machine_of(trace).kinds == ("b", "a")
