"""On a real GPU: a Triton kernel and a CUDA kernel with the same work record the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cuda.gpu import cupy, kernel
from tests.triton.compiling import example
from tests.triton.on_cpu import NO_TRITON

import lanescope.cuda
from lanescope import Trace

pytestmark = pytest.mark.gpu
SIZE, TILES = 1024, 64


def order(trace: Trace) -> list[tuple[int, int]]:
    """Cores and tasks in the order of their starts on each core."""
    rows = np.lexsort((trace.tasks["start_ns"], trace.tasks["core"]))
    return [(int(trace.tasks["core"][row]), int(trace.tasks["task"][row])) for row in rows]


def torch() -> Any:
    pytest.importorskip("triton", reason=NO_TRITON)
    module = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not module.cuda.is_available():
        pytest.skip("no GPU")
    return module


def test_a_persistent_product_records_every_tile_and_stays_right() -> None:
    torch()
    product = example("persistent").Product(SIZE)
    plain = product.launch((0, 0, 0), None)
    with lanescope.cuda.record(core_swimlane=True) as rec:
        ids = (rec.function("tile"), rec.mark("multiply"), rec.mark("store"))
        recorded = product.launch(ids, rec.handle)
    trace = rec.trace
    assert bool((plain == recorded).all())
    assert sorted(trace.tasks["task"].tolist()) == list(range(TILES))
    assert len(trace.marks) == 2 * TILES
    assert all(entry.closes for entry in trace.meta.ledger)
    ctas = min(TILES, product.units)
    assert order(trace) == [(cta, tile) for cta in range(ctas) for tile in range(cta, TILES, ctas)]


def test_the_same_chain_of_multiply_adds_takes_as_long_as_in_a_cuda_kernel() -> None:
    torch()
    from tests.triton.kernels import chain

    import lanescope.triton

    tasks, cores = 200, 4
    out = torch().zeros(cores * 32, device="cuda")
    with lanescope.cuda.record(cores=cores) as rec:
        func = rec.function("chain")
        libraries = lanescope.triton.extern_libs()
        chain[(cores,)](out, tasks, func, rec.handle, num_warps=1, extern_libs=libraries)
    sink = cupy().zeros(cores * 32, np.float32)
    with lanescope.cuda.record(cores=cores) as wanted:
        number = np.uint32(wanted.function("chain"))
        given = (sink, np.uint32(tasks), number, np.uint64(wanted.handle))
        kernel("chain")((cores,), (32,), given)
    assert order(rec.trace) == order(wanted.trace)
    assert len(rec.trace.tasks) == cores * tasks
    lengths = [each.trace.tasks["end_ns"] - each.trace.tasks["start_ns"] for each in (rec, wanted)]
    medians = [float(np.median(each)) for each in lengths]
    assert medians[0] == pytest.approx(medians[1], rel=0.1)
