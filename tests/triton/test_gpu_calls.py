"""On a real GPU: lanes of warps and partitions, edges, tuned kernels, grids, and a handle of 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.triton.gpu import dealt, order, require_whole, torch

import lanescope.cuda
from lanescope import Trace

pytestmark = pytest.mark.gpu
TASKS, CTAS = 3000, 6


def libraries() -> dict[str, str]:
    import lanescope.triton

    return lanescope.triton.extern_libs()


def kernel(name: str) -> Any:
    from tests.triton import kernels

    return getattr(kernels, name)


def numbers(count: int = TASKS) -> Any:
    return torch().zeros(count, dtype=torch().int32, device="cuda")


def worked(*, handle: bool = True, **options: Any) -> tuple[Trace, Any]:
    """A recording of `work` with nested marks and edges, and the kernel's result."""
    out = numbers()
    with lanescope.cuda.record(cores=CTAS, core_swimlane=True, **options) as rec:
        ids = (rec.function("even"), rec.mark("outer"), rec.mark("inner"))
        rec.function("odd")
        given = (out, TASKS, *ids, rec.handle if handle else 0)
        kernel("work")[(CTAS,)](*given, extern_libs=libraries())
    return rec.trace, out


def test_nested_marks_and_edges_arrive_in_their_tasks() -> None:
    torch()
    trace, out = worked()
    assert set(out.tolist()) == {100}
    require_whole(trace)
    assert order(trace) == dealt(TASKS, CTAS)
    assert np.array_equal(trace.tasks["func"], trace.tasks["task"] % 2)
    pairs = zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True)
    assert {*pairs} == {(task - CTAS, task) for task in range(CTAS, TASKS)}
    names = np.array([trace.word(code) for code in trace.marks["name"].tolist()])
    start, end = trace.marks["start_ns"], trace.marks["end_ns"]
    for core in range(CTAS):
        here = trace.marks["core"] == core
        outer, inner = (np.flatnonzero(here & (names == name)) for name in ("outer", "inner"))
        assert len(outer) == len(inner) == TASKS // CTAS
        outer, inner = (rows[np.argsort(start[rows])] for rows in (outer, inner))
        assert np.all(start[outer] <= start[inner])
        assert np.all(end[inner] <= end[outer])


def test_full_buffers_are_handed_over_without_a_loss() -> None:
    """5 slices of each of 500 tasks on a lane, in buffers that hold 1024."""
    torch()
    trace, _ = worked(buffers=2)
    require_whole(trace)
    assert sum(entry.delivered for entry in trace.meta.ledger) > CTAS * 2 * 1024
    assert len(trace.tasks) == TASKS


def test_handle_0_and_no_handle_record_nothing_and_compute_the_same() -> None:
    torch()
    trace, out = worked(handle=False)
    assert len(trace.tasks) == len(trace.marks) == len(trace.edges) == 0
    assert set(out.tolist()) == {100}
    again = numbers()
    kernel("work")[(CTAS,)](again, TASKS, 0, 0, 1, None)
    assert torch().equal(out, again)


def test_every_warp_has_a_lane_of_its_own() -> None:
    torch()
    pipes = tuple(f"warp {number}" for number in range(8))
    with lanescope.cuda.record(cores=CTAS, pipes=pipes) as rec:
        func = rec.function("part")
        kernel("warps")[(CTAS,)](rec.handle, func, num_warps=8, extern_libs=libraries())
    require_whole(rec.trace)
    assert sorted(order(rec.trace)) == [(cta, cta) for cta in range(CTAS) for _ in range(8)]
    assert [entry.total for entry in rec.trace.meta.ledger] == [1] * (8 * CTAS)


def test_partitions_of_a_gluon_kernel_have_lanes_of_their_own() -> None:
    torch()
    from tests.triton.gluon_kernels import specialised

    out = numbers()
    with lanescope.cuda.record(cores=CTAS, pipes=("load", "compute", "store")) as rec:
        func = rec.function("step")
        given = (out, TASKS, func, rec.handle)
        specialised[(CTAS,)](*given, num_warps=4, extern_libs=libraries())
    require_whole(rec.trace)
    wanted = [task for task in range(TASKS) for _ in range(3)]
    assert sorted(rec.trace.tasks["task"].tolist()) == wanted
    assert [entry.total for entry in rec.trace.meta.ledger] == [TASKS // CTAS] * (3 * CTAS)
    assert {*out.tolist()} <= {0, 1, 2}


def test_a_tuned_kernel_records_its_best_configuration_alone() -> None:
    torch()
    import triton

    configs = [triton.Config({}, num_warps=warps) for warps in (1, 2, 4)]
    tuned = triton.autotune(configs, key=["tasks"])(kernel("work"))
    out = numbers()
    with lanescope.cuda.record(cores=CTAS) as rec:
        func = rec.function("even")
        rec.function("odd")
        for handle in (0, rec.handle):
            tuned[(CTAS,)](out, TASKS, func, 0, 1, handle, extern_libs=libraries())
    require_whole(rec.trace)
    assert order(rec.trace) == dealt(TASKS, CTAS)
    assert set(out.tolist()) == {100}


def test_each_cta_of_a_cluster_has_a_lane() -> None:
    """Both CTAs of a program do its work, so both record it."""
    torch()
    out = numbers()
    with lanescope.cuda.record(cores=2 * CTAS) as rec:
        func = rec.function("even")
        rec.function("odd")
        given = (out, TASKS, func, 0, 1, rec.handle)
        kernel("work")[(CTAS,)](*given, num_ctas=2, extern_libs=libraries())
    require_whole(rec.trace)
    assert sorted(rec.trace.tasks["task"].tolist()) == [n for n in range(TASKS) for _ in range(2)]
    assert np.array_equal(np.unique(rec.trace.tasks["core"]), np.arange(2 * CTAS))


def test_without_cores_ctas_beyond_the_last_sm_are_refused_and_said() -> None:
    units = torch().cuda.get_device_properties(0).multi_processor_count
    out = numbers()
    with lanescope.cuda.record() as rec:
        func = rec.function("even")
        rec.function("odd")
        given = (out, TASKS, func, 0, 1, rec.handle)
        kernel("work")[(units + 5,)](*given, extern_libs=libraries())
    assert set(out.tolist()) == {100}
    assert any("Kernels asked 5 times for a lane" in note for note in rec.trace.meta.notes)
    assert order(rec.trace) == [
        (cta, task) for cta in range(units) for task in range(cta, TASKS, units + 5)
    ]


def test_a_loop_that_triton_makes_partitions_of_computes_the_same() -> None:
    """Only one partition records; where Triton makes none, it is the whole kernel."""
    torch()
    block, tasks = 1024, 96
    x, out = torch().randn(block * tasks, device="cuda"), torch().zeros(block * tasks).cuda()
    with lanescope.cuda.record(cores=CTAS) as rec:
        func = rec.function("double")
        given = (x, out, tasks, func, rec.handle, block)
        kernel("warp_specialised")[(CTAS,)](*given, num_warps=4, extern_libs=libraries())
    assert torch().equal(out, 2 * x)
    require_whole(rec.trace)
    assert order(rec.trace) == dealt(tasks, CTAS)
