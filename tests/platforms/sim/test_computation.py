"""Graphs that compute while they are simulated: right results, unchanged times, visible races."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lanescope
from lanescope.dump.read import DumpedTensor
from lanescope.dump.write import DumpFile, DumpRequest
from lanescope.native import Array
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.computation import Computation
from lanescope.platforms.sim.dumped import simulate_dumped
from lanescope.platforms.sim.run import simulate
from lanescope.platforms.sim.selection import select
from lanescope.platforms.sim.setup import SimSetup
from lanescope.trace.flags import Feature, level_flags
from lanescope.workloads import GraphBuilder, TaskGraph, Tensor, TensorView, build_workload
from lanescope.workloads.graph import NodeKind

SMALL = {"rows": "2", "columns": "3", "tile": "16", "depth": "48"}


def setup(level: int = 0, chip: str = "a2a3") -> SimSetup:
    return SimSetup(chip=load_chip(chip), features=level_flags(level))


def dumped(graph: TaskGraph, folder: Path, text: str = "", level: int = 0) -> list[DumpedTensor]:
    request = DumpRequest(folder=folder / "a.tensors", select=text)
    recording = Recording(chip_swimlane=level)
    chip = load_chip("a2a3")
    simulate_dumped(graph, chip, recording, request=request, directory=folder / "a.capture")
    return lanescope.read_tensors(request.folder)


def tensor(name: str, values: Array) -> Tensor:
    return Tensor(name, values.shape, values.itemsize, data=values)


def add_one(source: Array, target: Array) -> None:
    target[...] = source + 1


# ---- results ---------------------------------------------------------------------------------


def test_vector_computes_twice_x_plus_y() -> None:
    graph = build_workload("vector", {"tiles": "5", "elements": "1000"})
    computation = Computation(graph)
    start = {name: computation.arrays.whole(name).copy() for name in ("X3", "Y3")}
    simulate(graph, setup(), computation=computation)
    assert np.array_equal(computation.arrays.whole("Z3"), 2 * start["X3"] + start["Y3"])
    assert computation.arrays.whole("Z3").dtype == np.float32
    assert len(np.unique(start["X3"])) == 17
    assert not np.array_equal(start["X3"], computation.arrays.whole("X2"))


@pytest.mark.parametrize("chip", ["a2a3", "a5"])
def test_matmul_add_computes_a_times_b_plus_d(chip: str) -> None:
    graph = build_workload("matmul_add", SMALL)
    computation = Computation(graph)
    simulate(graph, setup(chip=chip), computation=computation)
    a, b, c, d = map(computation.arrays.whole, "ABCD")
    assert (a.dtype, b.dtype, c.dtype) == (np.float16, np.float16, np.float32)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32) + d)


# ---- times -----------------------------------------------------------------------------------


@pytest.mark.parametrize("workload", ["vector", "matmul_add"])
@pytest.mark.parametrize("level", [0, 4])
def test_computing_and_dumping_take_no_simulated_time(
    workload: str, level: int, tmp_path: Path
) -> None:
    graph = build_workload(workload, SMALL if workload == "matmul_add" else {"tiles": "60"})
    with DumpFile(DumpRequest(folder=tmp_path), "g") as file:
        computation = Computation(graph, file=file, selection=select("", graph))
        with_arrays = simulate(graph, setup(level), keep_truth=True, computation=computation)
    assert file.totals.count > 0
    without = simulate(graph, setup(level), keep_truth=True)
    assert with_arrays == without
    assert without.truth is not None
    assert len(without.truth.tasks) == len(graph)


def test_the_trace_is_the_same_but_for_its_bit(tmp_path: Path) -> None:
    graph = build_workload("matmul_add", SMALL)
    plain = lanescope.run(graph)
    dump = lanescope.run(graph, dump_tensors=tmp_path / "d")
    assert plain.meta.flags == level_flags(4)
    assert dump.meta.flags == level_flags(4) | Feature.DUMP_TENSOR
    assert msgspec.structs.replace(dump.meta, flags=plain.meta.flags) == plain.meta
    for name in ("tasks", "phases", "edges"):
        for column, values in plain.table(name).columns.items():
            assert values.tobytes() == dump.table(name)[column].tobytes(), (name, column)


# ---- what is captured when -------------------------------------------------------------------


def test_inputs_are_from_before_and_outputs_from_after(tmp_path: Path) -> None:
    x = tensor("x", np.arange(6, dtype=np.int16))
    builder = GraphBuilder("g")
    for _ in range(2):
        builder.task("inc", spin_ns=100, reads=[x], writes=[x], compute=add_one)
    found = dumped(builder.graph(), tmp_path)
    shown = [(one.task, one.stage, one.role, one.arg_index, one.array()[0]) for one in found]
    assert shown == [
        (0, "before_dispatch", "inout", 0, 0),
        (0, "after_completion", "inout", 1, 1),
        (1, "before_dispatch", "inout", 0, 1),
        (1, "after_completion", "inout", 1, 2),
    ]


def test_a_dropped_edge_shows_the_old_value(tmp_path: Path) -> None:
    x, y = (tensor(name, np.zeros(3, np.float32)) for name in "xy")
    builder = GraphBuilder("g")
    builder.task("write", spin_ns=50_000, reads=[x], writes=[y], compute=add_one)
    builder.task("read", spin_ns=100, reads=[y], writes=[x], compute=add_one)
    graph = builder.graph()
    none = np.empty(0, np.int64)
    causes = np.empty(0, np.int32)
    racy = replace(graph, pred=none, succ=none, edge_kind=causes, edge_arg=causes)
    [right] = dumped(graph, tmp_path / "a", "read,inputs")
    [wrong] = dumped(racy, tmp_path / "b", "read,inputs")
    assert (right.array().tolist(), wrong.array().tolist()) == ([1, 1, 1], [0, 0, 0])


@pytest.mark.parametrize(("end_ps", "seen"), [(99, 1), (100, 0), (150, 0)])
def test_the_moment_of_dispatch_counts_not_when_it_is_told(
    end_ps: int, seen: int, tmp_path: Path
) -> None:
    """A controller tells of a dispatch that lies ahead; a task may end before it."""
    x, y = (tensor(name, np.zeros(1, np.int32)) for name in "xy")
    builder = GraphBuilder("g")
    builder.task("write", spin_ns=1, reads=[x], writes=[y], compute=add_one)
    builder.task("read", spin_ns=1, reads=[y], writes=[x])
    graph = builder.graph()
    with DumpFile(DumpRequest(folder=tmp_path), "g") as file:
        computation = Computation(graph, file=file, selection=select("read,inputs", graph))
        computation.dispatched(1, 100)
        computation.ended(0, end_ps)
        computation.capture_until(1000)
    [found] = lanescope.read_tensors(tmp_path)
    assert found.array().tolist() == [seen]


@pytest.mark.parametrize(
    "shape", [{"blocks": 100}, {"kind": "aic", "blocks": 3, "partners": 2}, {}]
)
def test_a_task_computes_once_however_many_cores_run_it(
    shape: dict[str, int], tmp_path: Path
) -> None:
    x = tensor("x", np.zeros(2, np.float64))
    builder = GraphBuilder("g")
    wide = builder.task("wide", spin_ns=900, reads=[x], writes=[x], compute=add_one, **shape)  # type: ignore[arg-type]
    builder.task("after", spin_ns=10, after=[wide], reads=[x])
    found = dumped(builder.graph(), tmp_path, level=4)
    assert [(one.task, one.array().tolist()) for one in found] == [
        (0, [0, 0]),
        (0, [1, 1]),
        (1, [1, 1]),
    ]


def test_a_task_computes_when_its_last_block_ends() -> None:
    x = tensor("x", np.zeros(1, np.int32))
    builder = GraphBuilder("g")
    shape = {"kind": "aic", "blocks": 2, "partners": 1}
    builder.task("f", spin_ns=5, reads=[x], writes=[x], compute=add_one, **shape)  # type: ignore[arg-type]
    computation = Computation(builder.graph())
    seen = []
    for time_ps in range(4):
        computation.ended(0, time_ps)
        seen.append(computation.arrays.whole("x").item())
    assert seen == [0, 0, 0, 1]


def test_nodes_that_no_core_runs_compute_nothing(tmp_path: Path) -> None:
    x = tensor("x", np.zeros(2, np.float64))
    builder = GraphBuilder("g")
    builder.task("skip", node=NodeKind.SKIPPED, reads=[x], writes=[x], compute=add_one)
    builder.task("read", spin_ns=5, reads=[x])
    [found] = dumped(builder.graph(), tmp_path)
    assert (found.task, found.array().tolist()) == (1, [0, 0])


def test_tensors_without_an_array_are_left_out(tmp_path: Path) -> None:
    x, bare = tensor("x", np.zeros(2, np.int8)), Tensor("bare", (2,))
    builder = GraphBuilder("g")
    builder.task("f", spin_ns=5, reads=[bare, x], writes=[bare])
    [found] = dumped(builder.graph(), tmp_path)
    assert (found.tensor, found.arg_index) == ("x", 1)


# ---- views -----------------------------------------------------------------------------------

VALUES = np.arange(60, dtype=np.int32) * 7
dimension = st.tuples(st.integers(0, 4), st.integers(0, 9))


@given(st.lists(dimension, max_size=3), st.integers(0, 59))
def test_any_view_is_dumped_element_by_element(
    tmp_path_factory: pytest.TempPathFactory, dims: list[tuple[int, int]], offset: int
) -> None:
    """Also views that name elements twice (stride 0), overlap themselves, or are empty."""
    whole = tensor("x", VALUES)
    shape, strides = tuple(n for n, _ in dims), tuple(s for _, s in dims)
    try:
        view = TensorView(whole, shape, strides, offset)
    except lanescope.UsageError:
        return  # it ends outside of the tensor
    builder = GraphBuilder("g")
    builder.task("f", spin_ns=5, reads=[view])
    graph = builder.graph()
    folder = tmp_path_factory.mktemp("views")
    with DumpFile(DumpRequest(folder=folder), "g") as file:
        computation = Computation(graph, file=file, selection=select("", graph))
        computation.dispatched(0, 0)
        computation.capture_until(0)
    [found] = lanescope.read_tensors(folder)
    expected = [VALUES[offset + np.dot(at, strides).astype(int)] for at in np.ndindex(*shape)]
    assert found.array().shape == shape
    assert found.array().ravel().tolist() == expected
    assert (found.shape, found.strides, found.start_offset) == (shape, strides, offset)
    rows = np.zeros(shape, np.int8).strides
    assert found.is_contiguous == (
        not found.numel or all(n == 1 or s == row for (n, s), row in zip(dims, rows, strict=True))
    )


def test_overlapping_strided_outputs_are_written_where_they_lie(tmp_path: Path) -> None:
    c = tensor("c", np.zeros((4, 6), np.float32))
    builder = GraphBuilder("g")

    def fill(value: int, out: Array) -> None:
        out[...] = value

    builder.task("ones", spin_ns=5, writes=[c[:, ::2]], compute=partial(fill, 1))
    builder.task("twos", spin_ns=5, writes=[c[1:3, 1:4]], compute=partial(fill, 2))
    builder.task("read", spin_ns=5, reads=[c, c[2, 3]])
    whole, scalar = dumped(builder.graph(), tmp_path, "read")
    expected = np.zeros((4, 6))
    expected[:, ::2] = 1
    expected[1:3, 1:4] = 2
    assert np.array_equal(whole.array(), expected)
    assert (scalar.shape, scalar.numel, scalar.array().item()) == ((), 1, 2)
