"""The built-in workloads: shapes, settings, refusals."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.workloads import WORKLOADS, TaskGraph, WorkKind, build_workload, list_workloads
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
