"""On a real GPU: kernels that hold plain numbers (calls.cuh) record what others record."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cuda.gpu import cupy, kernel, wait

import lanescope.cuda
from lanescope import Trace

pytestmark = pytest.mark.gpu
TASKS, CTAS = 3000, 6


def require_whole(trace: Trace, *, lanes: int) -> None:
    assert len(trace.meta.ledger) == lanes
    assert all(entry.closes and not entry.dropped for entry in trace.meta.ledger)
    assert not any("asked" in note for note in trace.meta.notes), trace.meta.notes


def test_tasks_marks_and_edges_arrive() -> None:
    out = cupy().zeros(TASKS, np.uint32)
    with lanescope.cuda.record(cores=CTAS, core_swimlane=True) as rec:
        ids = (rec.function("even"), rec.mark("outer"), rec.mark("inner"))
        rec.function("odd")
        given = (out, np.uint32(TASKS), *map(np.uint32, ids), np.uint64(rec.handle))
        kernel("called", file="calls.cu")((CTAS,), (128,), given)
        wait()
    trace = rec.trace
    require_whole(trace, lanes=CTAS)
    assert np.array_equal(out.get(), np.arange(TASKS))
    assert sorted(trace.tasks["task"].tolist()) == list(range(TASKS))
    assert np.array_equal(trace.tasks["func"], trace.tasks["task"] % 2)
    assert np.array_equal(trace.tasks["core"], trace.tasks["task"] % CTAS)
    assert len(trace.marks) == 2 * TASKS
    pairs = zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True)
    assert {*pairs} == {(task - CTAS, task) for task in range(CTAS, TASKS)}


def test_each_warp_of_a_cta_with_two_dimensions_has_a_lane() -> None:
    cupy()
    pipes = tuple(f"warp {number}" for number in range(6))
    with lanescope.cuda.record(cores=CTAS, pipes=pipes) as rec:
        given = (np.uint32(TASKS), np.uint32(rec.function("part")), np.uint64(rec.handle))
        kernel("warps", file="calls.cu")((CTAS,), (16, 12), given)
        wait()
    require_whole(rec.trace, lanes=6 * CTAS)
    assert [entry.total for entry in rec.trace.meta.ledger] == [TASKS] * (6 * CTAS)


@pytest.mark.parametrize(("name", "pipes"), [("halves", 1), ("partitions", 2)])
def test_some_warps_of_a_cta_record(name: str, pipes: int) -> None:
    cupy()
    names = ("first", "second")[:pipes]
    with lanescope.cuda.record(cores=CTAS, pipes=names) as rec:
        given = (np.uint32(TASKS), np.uint32(rec.function("part")), np.uint64(rec.handle))
        kernel(name, file="calls.cu")((CTAS,), (256,), given)
        wait()
    require_whole(rec.trace, lanes=pipes * CTAS)
    assert [entry.total for entry in rec.trace.meta.ledger] == [TASKS // pipes] * (pipes * CTAS)


def test_handle_0_records_nothing() -> None:
    out = cupy().zeros(TASKS, np.uint32)
    given = (out, np.uint32(TASKS), *map(np.uint32, (0, 0, 0)), np.uint64(0))
    kernel("called", file="calls.cu")((CTAS,), (128,), given)
    wait()
    assert np.array_equal(out.get(), np.arange(TASKS))
