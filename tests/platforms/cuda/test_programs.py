"""What graphs compute on a GPU: which are taken, how they are packed, and what must come out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanescope.device.layouts import constant, layout
from lanescope.errors import UsageError
from lanescope.platforms.cuda.arrays import ArrayProgram, is_known
from lanescope.platforms.cuda.attention import Attention, is_attention
from lanescope.platforms.cuda.hashed import Hashed, _mixed_often, generations, is_timed, mixed
from lanescope.platforms.cuda.job import graph_arrays
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.program import Check, compared, passes_of, verdict
from lanescope.platforms.cuda.programs import program_of
from lanescope.workloads import GraphBuilder, TaskGraph, Tensor, WorkKind, build_workload
from lanescope.workloads.arrays import Arrays
from lanescope.workloads.seeded import small_numbers
from lanescope.workloads.vector import double


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


def test_the_work_of_a_task_is_one_line() -> None:
    assert layout("ls_mega_work").itemsize == constant("LS_LINE")


# ---- attention -------------------------------------------------------------------------------


def attention(batches: int, groups: int) -> Attention:
    settings = {"batches": str(batches), "groups": str(groups), "qk_ns": "1600", "up_ns": "0"}
    return Attention(build_workload("paged_attention", settings))


def test_queries_keys_and_values_are_eighths_and_results_are_no_numbers() -> None:
    program = attention(2, 3)
    for seed, (name, shape) in enumerate(
        {"queries": (2, 16, 64), "keys": (6, 64, 64), "values": (6, 64, 64)}.items(), 1
    ):
        expected = small_numbers(shape, np.float32, seed) / 8
        assert np.array_equal(program.tensors[name], expected), name
        assert program.tensors[name].dtype == np.float32
    results = {"scores": 1024, "probabilities": 1024 + 32, "parts": 1024, "states": 1024 + 32}
    for name, columns in results.items():
        assert program.tensors[name].shape == (6, columns)
        assert np.isnan(program.tensors[name]).all()


@pytest.mark.parametrize(
    ("batches", "groups", "pages"), [(2, 3, 6), (8, 8, 64), (13, 5, 64), (1, 1, 1)]
)
def test_groups_have_pages_of_their_own_until_there_are_64(
    batches: int, groups: int, pages: int
) -> None:
    program = attention(batches, groups)
    assert (program.batches, program.groups) == (batches, groups)
    assert program.table.shape == (batches, groups)
    assert sorted(set(program.table.ravel().tolist())) == list(range(pages))
    assert program.table.ravel()[:3].tolist() == [0, 37 % pages, 74 % pages][: batches * groups]
    assert program.tensors["keys"].shape[0] == pages


def test_every_step_of_attention_reads_what_the_one_before_wrote() -> None:
    program = attention(2, 3)
    at = addresses(program)
    works = program.works(at.__getitem__)
    qk, sf, pv, up = (works[step::4] for step in range(4))
    ops = [constant(f"LS_MEGA_{step}") for step in ("QK", "SF", "PV", "UP")]
    assert works["op"].tolist() == ops * 6
    assert works["passes"].tolist() == [2, 67, 49, 1] * 6

    def rows(name: str, numbers: list[int]) -> list[int]:
        return [at[name] + number * program.tensors[name][0].nbytes for number in numbers]

    each, pages = list(range(6)), program.table.ravel().tolist()
    queries = rows("queries", [0, 0, 0, 1, 1, 1])
    assert qk["in"].T.tolist() == [queries, rows("keys", pages), [0] * 6]
    assert qk["out"].tolist() == rows("scores", each)
    assert sf["in"].T.tolist() == [rows("scores", each), [0] * 6, [0] * 6]
    assert sf["out"].tolist() == rows("probabilities", each)
    assert pv["in"].T.tolist() == [rows("probabilities", each), rows("values", pages), [0] * 6]
    assert pv["out"].tolist() == rows("parts", each)
    sums = [address + 4096 for address in rows("probabilities", each)]
    states = rows("states", each)
    before = [0, states[0], states[1], 0, states[3], states[4]]
    assert up["in"].T.tolist() == [rows("parts", each), sums, before]
    assert up["out"].tolist() == states
    assert not up["size"][:, 1:].any() and not qk["size"].any()


def test_the_last_state_of_a_request_is_its_attention() -> None:
    """A state has the unnormed result, the largest scores and the sums of a row."""
    program = attention(2, 2)
    states = np.full((4, 1024 + 32), np.nan, np.float32)
    sums = np.arange(1, 17, dtype=np.float32)
    for request, row in enumerate((1, 3)):
        right = program.reference()[request] * sums[:, None]
        states[row] = np.concatenate([right.ravel(), np.full(16, np.nan), sums])
    found = program.check({"states": states}.__getitem__)
    assert (found.problem, found.compared) == ("", 2048)
    states[3, 5] *= 2
    wrong = program.check({"states": states}.__getitem__)
    assert wrong.problem.startswith(
        "results wrong: 1 of 2,048 values of the attention differ from the reference, the first at "
        "[1, 0, 5], by up to "
    )


def test_many_requests_have_the_attention_that_they_have_alone() -> None:
    whole = Attention(build_workload("paged_attention", {"batches": "1025"}))
    found = whole.reference()
    assert found.shape == (1025, 16, 64)
    for request in (0, 1023, 1024):
        own = whole.table[request]
        keys, values = (
            whole.tensors[name][own].reshape(-1, 64).astype(float) for name in ("keys", "values")
        )
        weights = np.exp(whole.tensors["queries"][request].astype(float) @ keys.T / 8)
        expected = weights @ values / weights.sum(axis=1, keepdims=True)
        assert np.allclose(found[request], expected, atol=1e-12)


def test_a_graph_is_attention_whatever_the_lengths_of_its_tasks() -> None:
    graph = build_workload("paged_attention", {"batches": "2", "groups": "3"})
    assert is_attention(graph)
    assert is_attention(replace(graph, amount=graph.amount * 2))
    assert not is_attention(replace(graph, scopes=None))
    assert not is_attention(replace(graph, functions=("QK", "SF", "PV", "X")))
    assert not is_attention(replace(graph, scopes=np.array([[0, 3]])))
    assert not is_attention(replace(graph, scopes=np.array([[0, 20]])))
    assert not is_attention(replace(graph, scopes=np.array([[0, 24]])))
    assert not is_attention(replace(graph, func=graph.func[::-1]))
    assert not is_attention(replace(graph, pred=graph.pred + 1))
    assert not is_attention(replace(graph, succ=graph.succ[::-1]))
    assert not is_attention(build_workload("paged_attention", {"batches": "0"}))


# ---- arrays ----------------------------------------------------------------------------------


def test_rows_of_a_vector_become_one_row() -> None:
    program = program_of(build_workload("vector", {"tiles": "2", "elements": "5"}))
    assert isinstance(program, ArrayProgram)
    at = addresses(program)
    works = program.works(at.__getitem__)
    assert works["op"].tolist() == [constant("LS_MEGA_SCALE"), constant("LS_MEGA_ADD")] * 2
    assert works["in"].tolist() == [
        *([at["X0"], 0, 0], [at["T0"], at["Y0"], 0]),
        *([at["X1"], 0, 0], [at["T1"], at["Y1"], 0]),
    ]
    assert works["out"].tolist() == [at[name] for name in ("T0", "Z0", "T1", "Z1")]
    assert works["size"].tolist() == [[1, 5, 5, 0, 5, 5], [1, 5, 5, 5, 5, 5]] * 2
    assert works["passes"].tolist() == [1] * 4
    for name, values in program.tensors.items():
        assert np.isnan(values).all() == (name[0] in "TZ"), name


def test_what_is_written_is_compared_and_named_up_to_three_times() -> None:
    graph = build_workload("vector", {"tiles": "2", "elements": "5"})
    program, arrays = program_of(graph), Arrays(graph)
    for task in range(4):
        arrays.compute(task)
    right = program.check(arrays.whole)
    assert (right.problem, right.compared, right.largest) == ("", 20, 0.0)

    def read(name: str) -> np.ndarray:
        values = arrays.whole(name).copy()
        if name == "Z0":
            values[1] += 1
        return values

    assert program_of(graph).check(read).problem == (
        "results wrong: 1 of 20 values of T0, Z0, T1 differ from the reference, the first at [6], "
        "by up to 1"
    )


@pytest.mark.parametrize(
    ("shape", "index", "refused"),
    [
        ((4, 6), np.s_[:, ::2], True),
        ((4, 6), np.s_[:, 2:3], False),
        ((4, 6), np.s_[::2], False),
        ((8,), np.s_[::2], True),
        ((2, 3, 4), np.s_[:], True),
    ],
)
def test_a_gpu_needs_rows_that_lie_together(
    shape: tuple[int, ...], index: tuple[slice, ...], refused: bool
) -> None:
    whole = Tensor("x", shape, data=np.ones(shape, np.float32))
    view = whole[index]
    size = tuple(view.shape)
    out = Tensor("y", size, data=np.zeros(size, np.float32))
    builder = GraphBuilder("g")
    builder.task("double", reads=[view], writes=[out], compute=double)
    program = ArrayProgram(builder.graph())
    if not refused:
        [work] = program.works(addresses(program).__getitem__)
        assert work["size"][:3].tolist() == [*size, view.strides[0]]
        return
    with pytest.raises(UsageError) as found:
        program.works(addresses(program).__getitem__)
    assert str(found.value) == (
        "the GPU computes with rows that lie together, but a view of x has the shape "
        f"{view.shape} and strides {view.strides}"
    )


def test_a_gpu_knows_a_graph_whose_every_task_computes_what_it_can() -> None:
    x, y = (Tensor(n, (4,), data=np.zeros(4, np.float32)) for n in "xy")
    builder = GraphBuilder("g")
    builder.task("double", reads=[x], writes=[y], compute=double)
    assert is_known(builder.graph())
    builder.task("other", writes=[x], compute=np.ndarray.sort)
    assert not is_known(builder.graph())
    builder = GraphBuilder("g")
    builder.task("double", reads=[x], writes=[y], compute=double)
    builder.task("idle", spin_ns=1)
    assert not is_known(builder.graph())
    with pytest.raises(UsageError, match=r"^g has tasks that the GPU cannot compute; it runs"):
        program_of(builder.graph())
    assert not is_known(build_workload("chain", {"tasks": "1"}))


# ---- hashes ----------------------------------------------------------------------------------


def three() -> TaskGraph:
    builder = GraphBuilder("three")
    for spin_ns in (0, 2000, 1000):
        builder.task("T", spin_ns=spin_ns)
    builder.edge(0, 2)
    builder.edge(1, 2)
    return builder.graph()


def test_a_hash_is_mixed_for_every_microsecond_and_once_more() -> None:
    program = Hashed(three())
    rounds = constant("LS_MEGA_HASH_ROUNDS")
    words = [np.arange(64, dtype=np.uint64) + np.uint64(task * 64 + 1) for task in range(3)]
    found: list[np.ndarray] = []
    for task, passes in enumerate((1, 2, 1)):
        own = mixed(words[task]) + (found[0] + found[1] if task == 2 else np.uint64(0))
        for _ in range(passes * rounds + 1):
            own = mixed(own)
        found.append(own)
    assert program.reference().tolist() == np.stack(found).tolist()
    right = program.check({"values": np.stack(found)}.__getitem__)
    assert (right.problem, right.compared, right.largest) == ("", 192, 0.0)
    found[1][3] += np.uint64(1)
    assert program.check({"values": np.stack(found)}.__getitem__).problem == (
        "results wrong: 1 of 192 values of the tasks' hashes differ from the reference, the first "
        "at [1, 3], by up to 1"
    )


def test_a_hashed_task_finds_its_predecessors_and_its_words() -> None:
    program = Hashed(three())
    at = addresses(program)
    works = program.works(at.__getitem__)
    assert works["op"].tolist() == [constant("LS_MEGA_HASH")] * 3
    assert works["passes"].tolist() == [1, 2, 1]
    lists = [at["predecessor_list"] + 4 * first for first in (0, 0, 0)]
    assert works["in"].T.tolist() == [[at["values"]] * 3, lists, [0] * 3]
    assert works["out"].tolist() == [at["values"] + 512 * task for task in range(3)]
    assert works["size"][:, :2].tolist() == [[0, 0], [1, 0], [2, 2]]
    assert program.tensors["predecessor_list"].tolist() == [0, 1]
    assert set(program.tensors["values"].ravel().tolist()) == {0xDEAD_BEEF_DEAD_BEEF}
    chain = Hashed(build_workload("chain", {"tasks": "3"}))
    works = chain.works(addresses(chain).__getitem__)
    first = addresses(chain)["predecessor_list"]
    assert works["in"][:, 1].tolist() == [first, first, first + 4]


def test_generations_are_as_few_as_the_longest_path() -> None:
    assert [tasks.tolist() for tasks in generations(three())] == [[0, 1], [2]]
    fan = build_workload("fan", {"width": "3"})
    assert [tasks.tolist() for tasks in generations(fan)] == [[0], [1, 2, 3], [4]]
    assert generations(GraphBuilder("empty").graph()) == []


def test_rows_are_mixed_as_often_as_each_says_and_once_more() -> None:
    words = np.arange(8, dtype=np.uint64).reshape(4, 2)
    rounds = np.array([2, 0, 3, 2], np.uint32)
    found = _mixed_often(words, rounds)
    for row, count in enumerate(rounds.tolist()):
        own = words[row]
        for _ in range(count + 1):
            own = mixed(own)
        assert found[row].tolist() == own.tolist()
    assert _mixed_often(words[:0], rounds[:0]).shape == (0, 2)


@pytest.mark.parametrize(
    ("work", "timed"),
    [
        ([WorkKind.NONE, WorkKind.SPIN], True),
        ([WorkKind.SPIN, WorkKind.COPY], False),
        ([WorkKind.CALLBACK, WorkKind.SPIN], False),
    ],
)
def test_tasks_that_ask_for_time_only_are_hashed(work: list[WorkKind], timed: bool) -> None:
    builder = GraphBuilder("g")
    for kind in work:
        builder.task("T", work=kind, amount=5)
    assert is_timed(builder.graph()) is timed


# ---- results ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount_ns", "passes"), [(499, 1), (1499, 1), (1501, 2), (2500, 2), (3500, 4), (10**6, 1000)]
)
def test_passes_are_rounded(amount_ns: int, passes: int) -> None:
    found = passes_of(np.array([amount_ns]))
    assert (found.tolist(), found.dtype) == ([passes], np.uint32)


def test_the_first_wrong_value_is_told_and_how_many_there_are() -> None:
    wrong = np.zeros((3, 4), bool)
    wrong[1, 2] = wrong[2, 3] = True
    assert verdict(wrong, 1234.5, what="x") == Check(
        12,
        1234.5,
        "results wrong: 2 of 12 values of x differ from the reference, the first at [1, 2], by up "
        "to 1.23e+03",
    )
    assert verdict(~wrong & wrong, 0.25, what="x") == Check(12, 0.25, "")
    assert Check(1234, 0.5).sentence == (
        "results right: 1,234 values compared, largest difference 0.5"
    )
    assert Check(3, 0.5, "results wrong").sentence == "results wrong"


def test_the_largest_difference_is_told_also_where_all_is_right() -> None:
    found = compared(np.array([1.0, 2.25]), np.array([1.5, 2.0]), tolerance=0.25, what="x")
    assert found == Check(2, 0.5, "")
    below = compared(np.array([1.0]), np.array([-3.0]), tolerance=0.1, what="x")
    assert (below.largest, below.problem != "") == (4.0, True)
