"""What graphs compute on a GPU: which are taken, how they are packed, and what must come out."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.device.layouts import constant, layout
from lanescope.errors import UsageError
from lanescope.platforms.cuda.arrays import ArrayProgram
from lanescope.platforms.cuda.attention import Attention, is_attention
from lanescope.platforms.cuda.hashed import Hashed, generations, mixed
from lanescope.platforms.cuda.job import graph_arrays
from lanescope.platforms.cuda.machine import GpuMachine, GpuRequest
from lanescope.platforms.cuda.program import compared, passes_of
from lanescope.platforms.cuda.programs import program_of
from lanescope.workloads import GraphBuilder, build_workload


def addresses(program: Attention | ArrayProgram | Hashed) -> dict[str, int]:
    return {name: (number + 1) << 20 for number, name in enumerate(program.tensors)}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("vector", ArrayProgram),
        ("matmul_add", ArrayProgram),
        ("paged_attention", Attention),
        ("random_dag", Hashed),
        ("chain", Hashed),
        ("fan", Hashed),
    ],
)
def test_workloads_become_programs(name: str, kind: type) -> None:
    assert isinstance(program_of(build_workload(name, {})), kind)


@pytest.mark.parametrize("name", ["decode_layer", "mixed", "spmd_mix"])
def test_other_workloads_are_refused_with_those_that_work(name: str) -> None:
    with pytest.raises(UsageError) as found:
        program_of(build_workload(name, {}))
    assert str(found.value) == (
        f"{name} has tasks that the GPU cannot compute; it runs vector, matmul_add, "
        "paged_attention, random_dag, chain and fan, and graphs of your own whose tasks ask for "
        "time (spin_ns)"
    )


def test_a_graph_of_ones_own_with_the_same_functions_is_not_attention() -> None:
    builder = GraphBuilder("paged_attention")
    for step in ("QK", "SF", "PV", "UP"):
        builder.task(step, spin_ns=1000)
    graph = builder.graph()
    assert not is_attention(graph)
    assert isinstance(program_of(graph), Hashed)


def test_graph_arrays_are_what_the_kernel_follows() -> None:
    graph = build_workload("fan", {"width": "3"})
    arrays = graph_arrays(graph, GpuMachine(workers=2, schedulers=2))
    assert arrays["offsets"].tolist() == [0, 3, 4, 5, 6, 6]
    assert arrays["successors"].tolist() == [1, 2, 3, 4, 4, 4]
    assert arrays["predecessors"].tolist() == arrays["remaining"].tolist() == [0, 1, 1, 1, 3]
    assert len(arrays["results"]) == 5
    assert arrays["posts"].shape == (2, constant("LS_OUTSTANDING"))


def test_views_of_matrices_become_addresses_and_strides() -> None:
    graph = build_workload("matmul_add", {"rows": "2", "columns": "3", "tile": "4", "depth": "8"})
    program = program_of(graph)
    assert isinstance(program, ArrayProgram)
    at = addresses(program)
    works = program.works(at.__getitem__)
    product, total = works[2 * 4], works[2 * 4 + 1]  # of the tile in row 1, column 1
    assert int(product["op"]) == constant("LS_MEGA_MATMUL")
    assert product["in"].tolist() == [at["A"] + 4 * 8 * 2, at["B"] + 4 * 2, 0]
    assert product["size"].tolist() == [4, 4, 8, 12, 12, 8]
    assert int(product["out"]) == at["C"] + (4 * 12 + 4) * 4
    assert int(total["op"]) == constant("LS_MEGA_ADD")
    assert total["in"].tolist() == [int(product["out"]), at["D"] + (4 * 12 + 4) * 4, 0]


def test_only_the_first_group_of_a_request_has_no_state_before() -> None:
    program = Attention(build_workload("paged_attention", {"batches": "2", "groups": "3"}))
    at = addresses(program)
    updates = program.works(at.__getitem__)[3::4]
    assert updates["size"][:, 0].tolist() == [0, 1, 1, 0, 1, 1]
    assert updates["in"][1, 2] == updates["out"][0]
    assert updates["in"][4, 2] == updates["out"][3]


def test_the_reference_of_attention_is_a_softmax_over_all_tokens() -> None:
    program = Attention(build_workload("paged_attention", {"batches": "1", "groups": "2"}))
    query, tokens = program.tensors["queries"][0, 3], program.table[0]
    keys = program.tensors["keys"][tokens].reshape(-1, 64).astype(float)
    values = program.tensors["values"][tokens].reshape(-1, 64).astype(float)
    weights = np.exp(keys @ query / 8)
    expected = weights @ values / weights.sum()
    assert np.allclose(program.reference()[0, 3], expected, atol=1e-12)


def test_hashes_follow_splitmix64() -> None:
    """The first output of the generator with seed 0: mixed(0x9e3779b97f4a7c15)."""
    assert int(mixed(np.array([0x9E3779B97F4A7C15], np.uint64))[0]) == 0xE220A8397B1DCDAF


def test_a_hash_depends_on_its_predecessors_and_not_on_their_order() -> None:
    def sink(*edges: tuple[int, int]) -> list[int]:
        builder = GraphBuilder("three")
        for _ in range(3):
            builder.task("T", spin_ns=1000)
        for edge in edges:
            builder.edge(*edge)
        found: list[int] = Hashed(builder.graph()).reference()[2].tolist()
        return found

    assert sink((0, 2), (1, 2)) == sink((1, 2), (0, 2))
    assert sink((0, 2)) != sink((0, 2), (1, 2)) != sink((1, 2))


def test_generations_put_every_task_after_its_predecessors() -> None:
    graph = build_workload("random_dag", {"tasks": "60"})
    place = np.empty(60, int)
    for number, tasks in enumerate(generations(graph)):
        place[tasks] = number
    assert np.all(place[graph.pred] < place[graph.succ])


def test_passes_are_microseconds_and_at_least_one() -> None:
    assert passes_of(np.array([0, 400, 1600, 67000])).tolist() == [1, 1, 2, 67]


def test_a_wrong_number_is_named() -> None:
    expected = np.zeros((2, 3))
    found = expected.copy()
    found[1, 2] = np.nan
    assert compared(expected, expected, tolerance=1e-6, what="C").sentence == (
        "results right: 6 values compared, largest difference 0"
    )
    assert compared(found, expected, tolerance=1e-6, what="C").problem == (
        "results wrong: 1 of 6 values of C differ from the reference, the first at [1, 2], "
        "by up to nan"
    )


@pytest.mark.parametrize(
    ("expected", "computed", "right"),
    [(0.1, 0.109, True), (0.1, 0.111, False), (20.0, 20.19, True), (20.0, 20.21, False),
     (-20.0, -20.19, True), (0.0, float("nan"), False)],
)  # fmt: skip
def test_a_tolerance_is_of_the_largest_value_or_of_one(
    expected: float, computed: float, right: bool
) -> None:
    found = compared(np.array([computed]), np.array([expected]), tolerance=0.01, what="x")
    assert (found.problem == "") is right
    nothing = compared(np.zeros(0), np.zeros(0), tolerance=0.01, what="x")
    assert (nothing.problem, nothing.compared) == ("", 0)


def test_all_sms_work_unless_fewer_are_asked_for() -> None:
    assert GpuRequest(schedulers=2).machine(132) == GpuMachine(workers=130, schedulers=2)
    assert GpuRequest(cores=("sm",) * 3).machine(132).workers == 3
    with pytest.raises(UsageError, match="so beside 1 that schedule 1 to 131 can work, not 132"):
        GpuRequest(cores=("sm",) * 132).machine(132)
    with pytest.raises(UsageError, match="of kind sm, not aic: --cores sm=N"):
        GpuRequest(cores=("aic",)).machine(132)


def test_the_work_of_a_task_is_one_line() -> None:
    assert layout("ls_mega_work").itemsize == constant("LS_LINE")
