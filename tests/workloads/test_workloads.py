"""The built-in workloads: shapes, settings, refusals."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.workloads import (
    WORKLOADS,
    GraphBuilder,
    TaskGraph,
    WorkKind,
    build_workload,
    graph_of,
    list_workloads,
)
from lanescope.workloads.arrays import Arrays
from lanescope.workloads.kernels import matmul_kernel, softmax_kernel, vector_kernel
from lanescope.workloads.seeded import small_numbers

# CRC-32 of the random graph's columns for seed 1.
CHECKSUMS = [2242285079, 2925906361, 902878424, 2588123473]


def edges(graph: TaskGraph) -> list[tuple[int, int]]:
    return list(zip(graph.pred.tolist(), graph.succ.tolist(), strict=True))


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_is_sound_and_named_after_itself(name: str) -> None:
    graph = build_workload(name, {})
    graph.check()
    assert graph.name == name
    ran = graph.work[graph.nodes == 0] if graph.nodes is not None else graph.work
    assert set(ran.tolist()) in ({WorkKind.SPIN}, {WorkKind.PIPES})
    assert graph.func.dtype == graph.kind.dtype == graph.work.dtype == np.int32
    assert graph.amount.dtype == graph.pred.dtype == graph.succ.dtype == np.int64


def test_a_chain_links_every_task_to_the_next() -> None:
    graph = build_workload("chain", {"tasks": "4", "spin_ns": "7"})
    assert edges(graph) == [(0, 1), (1, 2), (2, 3)]
    assert graph.amount.tolist() == [7, 7, 7, 7]
    assert len(build_workload("chain", {})) == 1024


def test_chains_of_one_and_of_none_have_no_edge() -> None:
    for tasks in ("0", "1"):
        graph = build_workload("chain", {"tasks": tasks})
        assert (len(graph), edges(graph)) == (int(tasks), [])


def test_a_fan_goes_from_one_over_many_to_one() -> None:
    graph = build_workload("fan", {"width": "3"})
    assert edges(graph) == [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]
    assert [graph.functions[code] for code in graph.func] == ["SOURCE", *["MIDDLE"] * 3, "SINK"]
    assert len(build_workload("fan", {})) == 1026


def test_paged_attention_updates_run_one_after_the_other_in_a_batch() -> None:
    graph = build_workload("paged_attention", {"batches": "2", "groups": "2"})
    blocks = [(4 * b + step, 4 * b + step + 1) for b in range(4) for step in range(3)]
    skips = [(4 * b + 1, 4 * b + 3) for b in range(4)]
    assert sorted(edges(graph)) == sorted([*blocks, *skips, (3, 7), (11, 15)])
    assert graph.scopes is not None
    assert graph.scopes.tolist() == [[0, 8], [8, 16]]
    assert [graph.functions[code] for code in graph.func[:4]] == ["QK", "SF", "PV", "UP"]
    assert [graph.kinds[code] for code in graph.kind[:4]] == ["aic", "aiv", "aic", "aiv"]
    assert graph.amount[:4].tolist() == [49300, 67000, 49300, 1200]


def test_paged_attention_has_1024_tasks_unless_told_otherwise() -> None:
    graph = build_workload("paged_attention", {})
    assert (len(graph), len(graph.pred)) == (1024, 1024)


def test_a_random_graph_is_the_same_for_a_seed_everywhere() -> None:
    graph = build_workload("random_dag", {"tasks": "200"})
    columns = (graph.kind, graph.amount, graph.pred, graph.succ)
    assert [zlib.crc32(column.astype("<i8").tobytes()) for column in columns] == CHECKSUMS
    assert edges(graph) != edges(build_workload("random_dag", {"tasks": "200", "seed": "2"}))


def test_random_edges_are_different_and_lead_to_later_tasks() -> None:
    graph = build_workload("random_dag", {"edges_per_task": "3.5", "min_spin_ns": "10"})
    assert np.all(graph.pred < graph.succ)
    assert len(set(edges(graph))) == len(graph.pred)
    assert 3000 < len(graph.pred) <= 3500
    assert graph.amount.min() >= 10
    assert graph.amount.max() <= 5000


def test_a_shortest_task_above_the_longest_is_refused() -> None:
    with pytest.raises(UsageError, match="min_spin_ns is 9000 and max_spin_ns is 5000"):
        build_workload("random_dag", {"min_spin_ns": "9000"})


def test_an_unknown_workload_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        UsageError, match="no workload 'chian'; choose one of: chain, decode_layer, "
    ):
        build_workload("chian", {})


def test_an_unknown_setting_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        UsageError, match="the workload fan has no setting 'tasks'; it has: width, spin_ns, kind"
    ):
        build_workload("fan", {"tasks": "3"})


@pytest.mark.parametrize("text", ["many", "1.5", "-1", "", "2147483648"])
def test_a_setting_that_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(
        UsageError,
        match=f"tasks of chain must be a whole number from 0 to 2147483647, not '{text}'",
    ):
        build_workload("chain", {"tasks": text})


@pytest.mark.parametrize("text", ["nan", "inf", "-0.5", "two"])
def test_a_setting_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="edges_per_task of random_dag must be a number from 0"):
        build_workload("random_dag", {"edges_per_task": text})


def test_an_empty_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="the setting kind of chain is empty"):
        build_workload("chain", {"kind": ""})


def test_workloads_describe_themselves() -> None:
    found = {summary["name"]: summary for summary in list_workloads()}
    assert list(found) == list(WORKLOADS)
    assert found["fan"]["parameters"] == {"width": 1024, "spin_ns": 2000, "kind": "aiv"}
    assert found["chain"]["doc"] == (
        "Tasks one after the other; their distance is the latency of dispatching."
    )


def test_vector_tiles_do_not_wait_for_each_other() -> None:
    graph = build_workload("vector", {"tiles": "3"})
    assert edges(graph) == [(0, 1), (2, 3), (4, 5)]
    assert graph.kinds == ("aiv",)


def test_matmul_add_adds_to_every_product() -> None:
    graph = build_workload("matmul_add", {"rows": "1", "columns": "2"})
    assert edges(graph) == [(0, 1), (0, 1), (2, 3), (2, 3)]
    assert graph.edge_arg is not None
    assert graph.edge_arg.tolist() == [0, 2, 0, 2]  # C is read, and written
    assert [graph.kinds[code] for code in graph.kind] == ["aic", "aiv", "aic", "aiv"]


def test_matmul_add_multiplies_other_numbers_than_it_adds() -> None:
    settings = {"rows": "1", "columns": "2", "tile": "4", "depth": "3"}
    graph = build_workload("matmul_add", settings)
    assert graph.arguments is not None
    made = {}
    for tensor, data in graph.arguments.data.items():
        assert callable(data)
        made[tensor.name] = data()
    seeds = {"A": (0, np.float16), "B": (1, np.float16), "D": (2, np.float32)}
    shapes = {"A": (4, 3), "B": (3, 8), "C": (4, 8), "D": (4, 8)}
    assert {name: array.shape for name, array in made.items()} == shapes
    assert not made["C"].any()
    for name, (seed, dtype) in seeds.items():
        np.testing.assert_array_equal(made[name], small_numbers(shapes[name], dtype, seed))
    assert [made[name].dtype for name in "ABCD"] == [np.float16] * 2 + [np.float32] * 2


def test_a_decoder_layer_has_the_tasks_of_its_shape() -> None:
    small = {"hidden": "512", "heads": "4", "inner": "1024", "tile": "128", "batch": "2"}
    graph = build_workload("decode_layer", small)
    names = [graph.functions[code] for code in graph.func.tolist()]
    counts = {name: names.count(name) for name in graph.functions}
    assert counts == {
        "norm": 2,
        "q": 4,
        "k": 4,
        "v": 4,
        "scores": 4,
        "softmax": 4,
        "values": 4,
        "output": 4,
        "gate": 8,
        "up": 8,
        "multiply": 1,
        "down": 4,
    }
    waits_for = {names[succ] for pred, succ in edges(graph) if names[pred] == "values"}
    assert waits_for == {"output"}


def test_seeded_numbers_are_the_same_everywhere() -> None:
    found = small_numbers((2, 4), np.int8, 1)
    assert found.dtype == np.int8
    assert found.tolist() == [[-8, 8, 3, -8], [4, 5, -5, -7]]


# ---- every task of a small one ---------------------------------------------------------------

DEFAULTS = {
    "chain": {"tasks": 1024, "spin_ns": 2000, "kind": "aiv"},
    "decode_layer": {
        "batch": 16,
        "hidden": 4096,
        "heads": 32,
        "context": 2048,
        "inner": 11008,
        "tile": 512,
    },
    "fan": {"width": 1024, "spin_ns": 2000, "kind": "aiv"},
    "matmul_add": {"rows": 8, "columns": 8, "tile": 256, "depth": 1024},
    "mixed": {"rounds": 4, "width": 12, "spin_ns": 4000},
    "paged_attention": {
        "batches": 256,
        "groups": 1,
        "qk_ns": 49300,
        "sf_ns": 67000,
        "pv_ns": 49300,
        "up_ns": 1200,
    },
    "random_dag": {
        "tasks": 1000,
        "seed": 1,
        "edges_per_task": 2.0,
        "min_spin_ns": 500,
        "max_spin_ns": 5000,
    },
    "spmd_mix": {"rounds": 4, "blocks": 40, "start_together": 4, "spin_ns": 4000},
    "vector": {"tiles": 96, "elements": 65536},
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_settings_have_these_defaults(name: str) -> None:
    [summary] = [one for one in list_workloads() if one["name"] == name]
    assert summary["parameters"] == DEFAULTS[name]
    assert build_workload(name, {}).name == name


def named(graph: TaskGraph) -> list[tuple[str, str, int]]:
    """Function, kind and amount of every task."""
    rows = zip(graph.func.tolist(), graph.kind.tolist(), graph.amount.tolist(), strict=True)
    return [(graph.functions[func], graph.kinds[kind], amount) for func, kind, amount in rows]


def test_chains_and_fans_are_made_of_tasks_as_long_and_on_the_cores_that_were_asked_for() -> None:
    chain = build_workload("chain", {"tasks": "2", "spin_ns": "7", "kind": "aic"})
    assert named(chain) == [("LINK", "aic", 7)] * 2
    fan = build_workload("fan", {"width": "1", "spin_ns": "9", "kind": "sm"})
    assert named(fan) == [(name, "sm", 9) for name in ("SOURCE", "MIDDLE", "SINK")]
    assert fan.work.tolist() == [WorkKind.SPIN] * 3
    nobody = build_workload("fan", {"width": "0"})
    assert (len(nobody), edges(nobody)) == (2, [])


def test_paged_attention_without_groups_or_batches_is_empty() -> None:
    for settings in ({"groups": "0"}, {"batches": "0"}):
        graph = build_workload("paged_attention", settings)
        graph.check()
        assert (len(graph), edges(graph)) == (0, [])
    assert build_workload("paged_attention", {"groups": "0"}).scopes is None


def test_paged_attention_takes_the_lengths_that_were_asked_for() -> None:
    lengths = {"qk_ns": "1", "sf_ns": "2", "pv_ns": "3", "up_ns": "4"}
    graph = build_workload("paged_attention", {"batches": "2", "groups": "1", **lengths})
    steps = [("QK", "aic", 1), ("SF", "aiv", 2), ("PV", "aic", 3), ("UP", "aiv", 4)]
    assert named(graph) == steps * 2
    assert graph.scopes is not None and graph.scopes.tolist() == [[0, 4], [4, 8]]


def test_a_mixed_round_has_every_kind_of_node() -> None:
    graph = build_workload("mixed", {"rounds": "2", "width": "2", "spin_ns": "40"})
    assert named(graph)[:9] == [
        ("alloc", "aiv", 0),
        *[("cube", "aic", 40)] * 2,
        ("barrier", "aiv", 0),
        *[("vector", "aiv", 20)] * 2,
        ("predicated", "aiv", 0),
        ("early", "aiv", 10),
        ("copy", "aiv", 10),
    ]
    assert named(graph)[9:] == named(graph)[:9]
    columns = [graph.nodes, graph.early, graph.wait_ns, graph.scopes]
    assert [None if column is None else column.tolist() for column in columns] == [
        [2, 0, 0, 1, 0, 0, 3, 0, 0] * 2,
        [0, 0, 0, 0, 0, 0, 0, 1, 0] * 2,
        [0, 0, 0, 0, 0, 0, 0, 0, 80] * 2,
        [[0, 9], [9, 18]],
    ]
    first = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (4, 7), (5, 7), (5, 8)]
    joined = [(pred, succ) for succ in (10, 11) for pred in (9, 4, 5, 6, 7, 8)]
    later = [(pred + 9, succ + 9) for pred, succ in first[2:]]
    assert edges(graph) == [*first, *joined, *later]


def test_a_round_of_spmd_and_mix_ends_with_blocks_that_start_together() -> None:
    settings = {"rounds": "2", "blocks": "8", "start_together": "3", "spin_ns": "5"}
    graph = build_workload("spmd_mix", settings)
    names = [("spmd", "aiv", 5), ("mix", "aic", 5), ("mix small", "aic", 5), ("sync", "aiv", 5)]
    assert named(graph) == names * 2
    columns = [graph.blocks, graph.partners, graph.together]
    assert [None if column is None else column.tolist() for column in columns] == [
        *([8, 2, 1, 3] * 2, [0, 2, 1, 0] * 2, [0, 0, 0, 1] * 2)
    ]
    assert edges(graph) == [
        *((0, 1), (0, 2), (1, 3), (2, 3), (3, 4)),
        *((4, 5), (4, 6), (5, 7), (6, 7)),
    ]


def test_a_round_without_blocks_that_start_together_ends_with_both_mixes() -> None:
    settings = {"rounds": "2", "blocks": "3", "start_together": "0"}
    graph = build_workload("spmd_mix", settings)
    assert graph.functions == ("spmd", "mix", "mix small")
    assert graph.together is None
    assert graph.blocks is not None and graph.blocks.tolist() == [3, 1, 1] * 2
    assert edges(graph) == [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5)]


def test_random_graphs_of_none_and_of_one_task_have_no_edge() -> None:
    for tasks in ("0", "1"):
        graph = build_workload("random_dag", {"tasks": tasks})
        assert (len(graph), edges(graph)) == (int(tasks), [])
        assert graph.pred.dtype == graph.succ.dtype == np.int64
    assert edges(build_workload("random_dag", {"tasks": "2"})) == [(0, 1)]


def test_a_random_graph_reaches_both_ends_of_its_lengths_and_of_its_tasks() -> None:
    settings = {"tasks": "300", "min_spin_ns": "3", "max_spin_ns": "5", "edges_per_task": "4"}
    graph = build_workload("random_dag", settings)
    assert sorted(set(graph.amount.tolist())) == [3, 4, 5]
    assert (int(graph.pred.min()), int(graph.succ.max())) == (0, 299)
    assert sorted({name for name, _, _ in named(graph)}) == ["MATRIX", "VECTOR"]
    assert {name: kind for name, kind, _ in named(graph)} == {"MATRIX": "aic", "VECTOR": "aiv"}
    alike = build_workload("random_dag", {"min_spin_ns": "7", "max_spin_ns": "7", "tasks": "9"})
    assert alike.amount.tolist() == [7] * 9


def test_a_decoder_layer_is_cut_into_tiles_and_heads() -> None:
    """Two heads of 4 columns lie in tiles of 3 columns: the second begins in tile 4 // 3."""
    settings = {
        "batch": "2",
        "hidden": "8",
        "heads": "2",
        "context": "5",
        "inner": "2",
        "tile": "3",
    }
    graph = build_workload("decode_layer", settings)
    kernels = dict(zip(graph.functions, graph.kernels, strict=True))
    assert kernels == {
        "norm": vector_kernel(16),
        **dict.fromkeys("qkv", matmul_kernel(2, 3, 8)),
        "scores": matmul_kernel(2, 5, 4),
        "softmax": softmax_kernel(2, 5),
        "values": matmul_kernel(2, 4, 5),
        "output": matmul_kernel(2, 3, 8),
        **dict.fromkeys(("gate", "up"), matmul_kernel(2, 2, 8)),
        "multiply": vector_kernel(4),
        "down": matmul_kernel(2, 3, 2),
    }
    assert [(name, kind) for name, kind, _ in named(graph)] == [
        ("norm", "aiv"),
        *[(name, "aic") for name in "qqqkkkvvv"],
        *[("scores", "aic"), ("softmax", "aiv"), ("values", "aic")] * 2,
        *[("output", "aic")] * 3,
        *(("norm", "aiv"), ("gate", "aic"), ("up", "aic"), ("multiply", "aiv")),
        *[("down", "aic")] * 3,
    ]
    assert edges(graph) == [
        *[(0, tile) for tile in range(1, 10)],
        *((1, 10), (4, 10), (10, 11), (11, 12), (7, 12)),
        *((2, 13), (5, 13), (13, 14), (14, 15), (8, 15)),
        *[(head, tile) for tile in (16, 17, 18) for head in (12, 15)],
        *((16, 19), (17, 19), (18, 19), (19, 20), (19, 21), (20, 22), (21, 22)),
        *((22, 23), (22, 24), (22, 25)),
    ]


def test_vector_tiles_are_doubled_and_added() -> None:
    graph = build_workload("vector", {"tiles": "2", "elements": "3"})
    assert graph.kernels == (vector_kernel(3), vector_kernel(3))
    arrays = Arrays(graph)
    for task in range(4):
        arrays.compute(task)
    for tile in range(2):
        x = small_numbers((3,), np.float32, 2 * tile)
        y = small_numbers((3,), np.float32, 2 * tile + 1)
        assert arrays.whole(f"T{tile}").tolist() == (2 * x).tolist()
        assert arrays.whole(f"Z{tile}").tolist() == (2 * x + y).tolist()


def test_matmul_add_computes_a_product_and_a_sum() -> None:
    settings = {"rows": "2", "columns": "1", "tile": "2", "depth": "3"}
    graph = build_workload("matmul_add", settings)
    assert graph.kernels == (matmul_kernel(2, 2, 3), vector_kernel(4))
    arrays = Arrays(graph)
    for task in range(4):
        arrays.compute(task)
    a, b, d = (arrays.whole(name).astype(np.float32) for name in "ABD")
    assert arrays.whole("C").tolist() == (a @ b + d).tolist()


def test_small_numbers_are_all_whole_numbers_from_minus_8_to_8() -> None:
    assert sorted(set(small_numbers((500,), np.int64, 3).tolist())) == list(range(-8, 9))
    assert small_numbers((2, 3), np.float16, 0).shape == (2, 3)
    assert small_numbers((), np.int8, 0).shape == ()


# ---- settings --------------------------------------------------------------------------------


def test_settings_go_up_to_the_largest_32_bit_number() -> None:
    graph = build_workload("chain", {"tasks": "1", "spin_ns": "2147483647"})
    assert graph.amount.tolist() == [2147483647]
    assert build_workload("chain", {"tasks": "1", "spin_ns": "0"}).amount.tolist() == [0]
    for text in ("2147483648", "-1"):
        with pytest.raises(UsageError) as refused:
            build_workload("chain", {"spin_ns": text})
        assert str(refused.value) == (
            "the setting spin_ns of chain must be a whole number from 0 to 2147483647, "
            f"not {text!r}"
        )


def test_a_number_need_not_be_whole_where_a_setting_is_a_number() -> None:
    few = build_workload("random_dag", {"tasks": "10", "edges_per_task": "0"})
    assert edges(few) == []
    with pytest.raises(UsageError) as refused:
        build_workload("random_dag", {"edges_per_task": "2147483647.5"})
    assert str(refused.value) == (
        "the setting edges_per_task of random_dag must be a number from 0 to 2147483647, "
        "not '2147483647.5'"
    )


def test_a_wrong_name_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(UsageError) as refused:
        build_workload("chian", {})
    assert str(refused.value) == (
        f"there is no workload 'chian'; choose one of: {', '.join(WORKLOADS)}, or a file of your "
        "own, NAME.py; did you mean chain?"
    )
    with pytest.raises(UsageError) as refused:
        build_workload("fan", {"widht": "3"})
    assert str(refused.value) == (
        "the workload fan has no setting 'widht'; it has: width, spin_ns, kind; did you mean width?"
    )


def test_a_graph_that_is_made_is_taken_as_it_is_and_has_no_settings() -> None:
    builder = GraphBuilder("g")
    builder.task("A")
    graph = builder.graph()
    assert graph_of(graph) is graph_of(graph, {}) is graph
    assert graph_of(builder).functions == ("A",)
    assert len(graph_of("chain", {"tasks": 3})) == 3
    for made in (graph, builder):
        with pytest.raises(UsageError) as refused:
            graph_of(made, {"tasks": 3, "kind": "aic"})
        assert str(refused.value) == (
            "the settings tasks, kind are for a built-in workload or a file; this graph is already "
            "made"
        )


def test_what_names_no_graph_is_refused_with_its_type() -> None:
    with pytest.raises(UsageError) as refused:
        graph_of(3)  # type: ignore[arg-type]
    assert str(refused.value) == (
        "expected a workload's name, a file NAME.py, a GraphBuilder or a TaskGraph, found a value "
        "of type int"
    )


def test_a_file_is_listed_alone_and_named_by_a_path_or_a_text(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from lanescope import GraphBuilder\n"
        "def graph(links=2):\n"
        "    builder = GraphBuilder('')\n"
        "    for _ in range(links):\n"
        "        builder.task('A')\n"
        "    return builder\n"
    )
    summary = {"name": str(file), "doc": "", "parameters": {"links": 2}}
    assert list_workloads(file) == list_workloads(str(file)) == (summary,)
    assert [len(graph_of(name, {"links": 5})) for name in (file, str(file))] == [5, 5]
    assert len(graph_of(file)) == 2
