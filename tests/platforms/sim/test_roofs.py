"""The work of kernels, and what a core and the memory can do at most."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lanescope.platforms.sim.chip import Chip, MemoryRates, load_chip
from lanescope.platforms.sim.roofs import work_of
from lanescope.trace.meta import FunctionWork, RoofFacts, WorkFacts
from lanescope.workloads import GraphBuilder, TaskGraph
from lanescope.workloads.pipes import PipeKernel, PipeOp

RATES = (2, 3, 5, 7, 11, 13)


def chip(hbm: int | None = None) -> Chip:
    own = load_chip("a2a3")
    clock = replace(own.clock, aic_hz=10, aiv_hz=100)
    return replace(own, clock=clock, memory=MemoryRates(*RATES, hbm_bytes_per_s=hbm))


def kernel(size: int, flops: int, route: str = "gm_to_ub") -> PipeKernel:
    work = "vector" if route == "gm_to_ub" else "cube"
    return PipeKernel("k", (PipeOp("mte2", bytes=size, route=route), PipeOp(work, flops=flops)))


def graph() -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("vector", kind="aiv", kernel=kernel(64, 8))
    builder.task("stated", kind="aiv", spin_ns=3)
    builder.task("cube", kind="aic", kernel=kernel(32, 16, "gm_to_l1"))
    builder.task("still", kind="aiv", kernel=kernel(0, 8))
    builder.task("moving", kind="aiv", kernel=kernel(8, 0))
    return builder.graph()


def test_each_function_that_computes_and_moves_has_its_work_and_its_roof() -> None:
    assert work_of(graph(), chip()) == WorkFacts(
        functions=(
            FunctionWork(0, "one aiv core", 8, 64),
            FunctionWork(2, "one aic core", 16, 32),
        ),
        roofs=(
            RoofFacts(name="one aic core", flops_per_s=8192 * 10, bytes_per_s=3 + 7),
            RoofFacts(name="one aiv core", flops_per_s=64 * 100, bytes_per_s=2 + 5),
        ),
    )


@pytest.mark.parametrize(("hbm", "moved"), [(6, 6), (7, 7), (8, 7)])
def test_the_chips_memory_limits_what_a_core_moves(hbm: int, moved: int) -> None:
    builder = GraphBuilder("g")
    builder.task("vector", kind="aiv", kernel=kernel(64, 8))
    found = work_of(builder.graph(), chip(hbm))
    assert found is not None
    assert [roof.bytes_per_s for roof in found.roofs] == [moved]


def test_a_kernel_that_no_task_runs_has_no_work() -> None:
    builder = GraphBuilder("g")
    builder.task("stated", spin_ns=3)
    unused = replace(builder.graph(), functions=("stated", "k"), kernels=(None, kernel(64, 8)))
    assert work_of(unused, chip()) is None
    named = replace(builder.graph(), kernels=(kernel(64, 8),))
    assert work_of(named, chip()) is None
