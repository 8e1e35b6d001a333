"""On a real GPU: a Triton kernel and a CUDA kernel with the same work record the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cuda.gpu import cupy, kernel
from tests.triton.gpu import dealt, order, require_whole, torch

import lanescope.cuda
from lanescope import Trace

pytestmark = pytest.mark.gpu
SIZE, TILES = 1024, 64


def example(name: str) -> Any:
    """An example's module; where Triton is missing, the test was skipped before."""
    from tests.triton.compiling import example as module

    return module(name)


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
    require_whole(trace)
    assert order(trace) == dealt(TILES, min(TILES, product.units))


def require_equal(job: Any, cores: int | None = None) -> Trace:
    """Off, with handle 0 and recorded, the result is the same, and every tile is there."""
    plain, zero = (job.launch((0, 0, 0), handle) for handle in (None, 0))
    with lanescope.cuda.record(cores=cores, core_swimlane=True) as rec:
        ids = (rec.function("tile"), rec.mark("main"), rec.mark("store"))
        recorded = job.launch(ids, rec.handle)
    assert torch().equal(plain, zero)
    assert torch().equal(plain, recorded)
    require_whole(rec.trace)
    assert sorted(rec.trace.tasks["task"].tolist()) == list(range(job.tiles))
    assert len(rec.trace.marks) == 2 * job.tiles
    return rec.trace


@pytest.mark.parametrize("size", [128, 1000, 4096])
def test_a_persistent_product_of_any_size_is_the_same(size: int) -> None:
    torch()
    require_equal(example("persistent").Product(size))


@pytest.mark.parametrize(("heads", "tokens"), [(1, 128), (3, 640), (32, 4096)])
def test_attention_of_any_shape_is_the_same(heads: int, tokens: int) -> None:
    torch()
    job = example("attention").Heads(heads, tokens)
    require_equal(job)
    wanted = torch().nn.functional.scaled_dot_product_attention(*(x[None] for x in job.arrays))
    assert float((job.launch((0, 0, 0), 0) - wanted[0]).abs().max()) < 0.01


class Matmul:
    """matmul.py's product of random matrices."""

    def __init__(self, m: int, n: int, k: int) -> None:
        shapes = ((m, k), (k, n))
        self.a, self.b = (torch().randn(s, device="cuda", dtype=torch().float16) for s in shapes)
        self.tiles = (m // 128) * (n // 128)

    def launch(self, ids: tuple[int, int, int], handle: int | None) -> Any:
        c = self.a.new_full((self.a.shape[0], self.b.shape[1]), float("nan"))
        example("matmul").launch(self.a, self.b, c, ids, handle)
        return c


@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 64), (256, 1024, 512), (4096, 4096, 1024)])
def test_a_product_with_a_cta_per_tile_is_the_same_in_any_shape(m: int, n: int, k: int) -> None:
    torch()
    job = Matmul(m, n, k)
    trace = require_equal(job, cores=job.tiles)
    assert order(trace) == [(tile, tile) for tile in range(job.tiles)]
    wanted = (job.a.float() @ job.b.float()).half()
    assert float((job.launch((0, 0, 0), 0) - wanted).abs().max()) < 0.05 * k**0.5


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
