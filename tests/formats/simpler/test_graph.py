"""deps.json in its three shapes, and how graph and records meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import phase, read, records, rows, task_us

from lanescope.errors import InputError
from lanescope.trace.schema import EdgeFlag, TaskFlag

EDGE = ("pred", "succ", "kind", "arg", "flags")


def edge(pred: int, succ: int, **more: Any) -> dict[str, Any]:
    return {"pred": str(pred), "succ": str(succ), **more}


def node(task: int, *kernels: int, **more: Any) -> dict[str, Any]:
    return {"task_id": str(task), "scope": "auto", "kernel_ids": list(kernels), **more}


def ran(*tasks: tuple[int, int], level: int = 1, **sections: Any) -> dict[str, Any]:
    """A run of (core, task) pairs on one cube and two vector cores."""
    stream = [
        [core, task, n + 1, 100 * n + 1, 100 * n + 50] for n, (core, task) in enumerate(tasks)
    ]
    return records(level, aicore_tasks=stream, **sections)


def test_version_1_has_edges_only(tmp_path: Path) -> None:
    deps = {"version": 1, "edges": [edge(7, 8), edge(8, 9)]}
    trace = read(tmp_path, records=ran((0, 7), (1, 8), (1, 9)), deps=deps)
    assert rows(trace, "edges", *EDGE) == [(7, 8, None, None, 0), (8, 9, None, None, 0)]
    assert rows(trace, "tasks", "task", "kind", "func", "blocks") == [
        (7, "run", None, None),
        (8, "run", None, None),
        (9, "run", None, None),
    ]


def test_version_2_declares_tasks_without_functions(tmp_path: Path) -> None:
    task = {"task_id": "7", "scope": "manual", "args": [{"idx": 0, "offset": [1, {"x": "]"}]}]}
    deps = {
        "version": 2,
        "tasks": [task, {"task_id": "8", "scope": "auto"}],
        "tensors": [{"tensor_id": "18446744073709551615"}],
        "edges": [edge(7, 8, arg=1, source="tensormap", tensor_id="18446744073709551615")],
    }
    trace = read(tmp_path, records=ran((0, 7), (1, 8)), deps=deps)
    assert rows(trace, "edges", *EDGE) == [(7, 8, "tensormap", 1, 0)]
    assert rows(trace, "tasks", "task", "func", "flags") == [
        (7, None, TaskFlag.MANUAL_SCOPE),
        (8, None, 0),
    ]


def test_the_newest_shape_gives_functions_blocks_and_flags(tmp_path: Path) -> None:
    deps = {
        "tasks": [
            node(7, 3, -1, -1, block_num=1, early_dispatch=True),
            node(8, -1, 4, -1, block_num=2, early_dispatch=False),
        ],
        "tensors": [],
        "edges": [edge(7, 8, arg=-1, source="explicit", flags=["wait", "retain"])],
    }
    trace = read(tmp_path, records=ran((0, 7), (1, 8), (2, 8)), deps=deps)
    assert rows(trace, "edges", *EDGE) == [(7, 8, "explicit", -1, EdgeFlag.WAIT | EdgeFlag.RETAIN)]
    assert rows(trace, "tasks", "task", "core", "func", "block", "blocks", "flags") == [
        (7, 0, 3, 0, 1, TaskFlag.EARLY_DISPATCH),
        (8, 1, 4, None, 2, 0),
        (8, 2, 4, None, 2, 0),
    ]
    assert rows(trace, "functions", "func", "name") == [(3, "func_3"), (4, "func_4")]


def test_repeated_edges_are_kept(tmp_path: Path) -> None:
    deps = {"edges": [edge(7, 8, arg=0, source="creator"), edge(7, 8, arg=1, source="creator")]}
    trace = read(tmp_path, records=ran((0, 7), (1, 8)), deps=deps)
    assert rows(trace, "edges", *EDGE) == [(7, 8, "creator", 0, 0), (7, 8, "creator", 1, 0)]


def test_ids_with_a_ring_are_64_bits(tmp_path: Path) -> None:
    big = (200 << 32) | 5
    deps = {"tasks": [node(big, 1, -1, -1)], "edges": [edge(big, big + 1)]}
    trace = read(tmp_path, records=ran((0, big), (1, big + 1)), deps=deps)
    assert rows(trace, "tasks", "task", "func") == [(big, 1), (big + 1, None)]


def test_what_only_an_edge_names_is_an_outside_node(tmp_path: Path) -> None:
    deps = {"edges": [edge(1, 7), edge(7, 99)]}
    trace = read(tmp_path, records=ran((0, 7)), deps=deps)
    assert rows(trace, "tasks", "task", "kind", "core", "start_ns") == [
        (7, "run", 0, 0),
        (1, "outside", None, None),
        (99, "outside", None, None),
    ]


def test_alloc_dummy_skipped_and_unrecorded_nodes(tmp_path: Path) -> None:
    deps = {
        "tasks": [
            node(7, 0, -1, -1),
            node(8, -1, -1, -1, early_dispatch=True),
            node(9, -1, -1, -1),
            node(10, -1, 2, -1, block_num=4),
            node(11, -1, 2, -1),
        ],
        "edges": [edge(5, 7), edge(7, 8)],
    }
    markers = [
        phase("dummy_task", 60, 60, task_id=8),
        phase("predicated_skip", 70, 70, task_id=11),
    ]
    submits = [{"submit_idx": 0, "task_id": 5, "start_cycles": 1, "end_cycles": 2}]
    content = ran(
        (0, 7), level=4, aicpu_scheduler_phases=[markers], aicpu_orchestrator_phases=[submits]
    )
    trace = read(tmp_path, records=content, deps=deps)
    assert rows(trace, "tasks", "task", "kind", "core", "flags", "blocks") == [
        (7, "run", 0, TaskFlag.NO_CONTROLLER_RECORD, None),
        (5, "alloc", None, 0, None),
        (8, "dummy", None, TaskFlag.EARLY_DISPATCH, None),
        (9, "alloc", None, 0, None),
        (10, "node", None, 0, 4),
        (11, "skipped", None, 0, None),
    ]


def test_below_level_3_an_empty_node_may_be_alloc_or_dummy(tmp_path: Path) -> None:
    deps = {"tasks": [node(8, -1, -1, -1)], "edges": []}
    trace = read(tmp_path, records=ran((0, 7)), deps=deps)
    assert rows(trace, "tasks", "task", "kind") == [(7, "run"), (8, "node")]


def test_a_mix_task_runs_on_both_kinds_of_core(tmp_path: Path) -> None:
    deps = {"tasks": [node(7, 1, 2, -1), node(8, -1, 3, -1)], "edges": []}
    trace = read(tmp_path, records=ran((0, 7), (1, 7), (1, 8)), deps=deps)
    assert rows(trace, "tasks", "core", "task", "func", "flags") == [
        (0, 7, 1, TaskFlag.MIX),
        (1, 7, 2, TaskFlag.MIX),
        (1, 8, 3, 0),
    ]


def test_without_a_graph_mix_is_seen_from_the_cores(tmp_path: Path) -> None:
    trace = read(tmp_path, records=ran((0, 7), (1, 7), (1, 8), (2, 8)))
    assert rows(trace, "tasks", "core", "task", "flags") == [
        (0, 7, TaskFlag.MIX),
        (1, 7, TaskFlag.MIX),
        (1, 8, 0),
        (2, 8, 0),
    ]


def test_spmd_blocks_share_an_id_and_repeat_on_a_core(tmp_path: Path) -> None:
    deps = {"tasks": [node(7, -1, 2, -1, block_num=3)], "edges": []}
    trace = read(tmp_path, records=ran((1, 7), (1, 7), (2, 7)), deps=deps)
    assert rows(trace, "tasks", "core", "token", "task", "func", "block", "blocks", "flags") == [
        (1, 1, 7, 2, None, 3, 0),
        (1, 2, 7, 2, None, 3, 0),
        (2, 3, 7, 2, None, 3, 0),
    ]


def test_two_vector_functions_are_ambiguous(tmp_path: Path) -> None:
    deps = {
        "tasks": [node(7, 1, 2, 3), node(8, -1, 4, 4), node(9, -1, -1, 5)],
        "edges": [],
    }
    trace = read(tmp_path, records=ran((0, 7), (1, 7), (1, 8), (2, 9)), deps=deps)
    mix, ambiguous = TaskFlag.MIX, TaskFlag.FUNCTION_AMBIGUOUS
    assert rows(trace, "tasks", "core", "task", "func", "flags") == [
        (0, 7, 1, mix),
        (1, 7, 2, mix | ambiguous),
        (1, 8, 4, 0),
        (2, 9, 5, 0),
    ]
    assert trace.meta.notes == (
        "1 task rows run one of two vector functions and the records do not say which; "
        "they are shown as the first.",
    )


def test_a_function_in_the_records_wins_over_the_graph(tmp_path: Path) -> None:
    content = {"l2_swimlane_level": 1, "tasks": [task_us(7, 0, 1, 2, func_id=5)]}
    deps = {"tasks": [node(7, 9, -1, -1)], "edges": []}
    trace = read(tmp_path, records=content, deps=deps)
    assert rows(trace, "tasks", "task", "func") == [(7, 5)]


def test_a_function_of_minus_one_is_unknown(tmp_path: Path) -> None:
    content = {"l2_swimlane_level": 1, "tasks": [task_us(7, 0, 1, 2, func_id=-1)]}
    assert rows(read(tmp_path, records=content), "tasks", "func") == [(None,)]


def test_the_graph_replaces_the_fanout_of_the_records(tmp_path: Path) -> None:
    content = {"version": 3, "tasks": [task_us(0, 0, 1, 2, fanout=[1]), task_us(1, 0, 3, 4)]}
    deps = {"edges": [edge(0, 1, source="creator"), edge(0, 1, source="tensormap")]}
    trace = read(tmp_path, records=content, deps=deps)
    assert [kind for *_, kind in rows(trace, "edges", "pred", "kind")] == ["creator", "tensormap"]


CYCLE = {"edges": [edge(7, 8), edge(8, 9), edge(9, 7), edge(9, 10)]}


def test_a_cycle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, records=ran((0, 7)), deps=CYCLE)
    assert str(caught.value) == (
        f"{tmp_path / 'deps.json'}: edges form a cycle through 3 tasks (7, 8, 9), so no order of "
        "execution exists; --keep-damaged imports them flagged"
    )


def test_a_cycle_is_flagged_on_request(tmp_path: Path) -> None:
    trace = read(tmp_path, records=ran((0, 7)), deps=CYCLE, keep_damaged=True)
    cyclic = EdgeFlag.CYCLIC
    assert rows(trace, "edges", "pred", "succ", "flags") == [
        (7, 8, cyclic),
        (8, 9, cyclic),
        (9, 7, cyclic),
        (9, 10, 0),
    ]


def test_an_edge_to_itself_is_a_cycle(tmp_path: Path) -> None:
    deps = {"edges": [edge(7, 7, flags=["wait"]), edge(7, 8)]}
    with pytest.raises(InputError, match=r"a cycle through 1 tasks \(7\)"):
        read(tmp_path, records=ran((0, 7)), deps=deps)
    trace = read(tmp_path, records=ran((0, 7)), deps=deps, keep_damaged=True)
    assert trace.edges["flags"].tolist() == [EdgeFlag.WAIT | EdgeFlag.CYCLIC, 0]


def test_edges_against_the_order_of_ids_are_no_cycle(tmp_path: Path) -> None:
    deps = {"edges": [edge(9, 8), edge(8, 7)]}
    trace = read(tmp_path, records=ran((0, 7)), deps=deps)
    assert trace.edges["flags"].tolist() == [0, 0]


def test_a_cycle_in_the_fanout_of_the_records(tmp_path: Path) -> None:
    content = {"version": 3, "tasks": [task_us(0, 0, 1, 2, fanout=[0])]}
    with pytest.raises(InputError, match="cycle"):
        read(tmp_path, records=content)
    trace = read(tmp_path, records=content, keep_damaged=True)
    assert rows(trace, "edges", *EDGE) == [(0, 0, "fanout", None, EdgeFlag.CYCLIC)]


def test_the_graph_alone_is_a_trace_of_nodes(tmp_path: Path) -> None:
    trace = read(tmp_path, deps={"tasks": [node(7, 1, -1, -1)], "edges": [edge(7, 8)]})
    assert rows(trace, "tasks", "task", "kind") == [(7, "node"), (8, "outside")]
    assert (trace.meta.level, len(trace.edges), len(trace.cores)) == (0, 1, 0)
