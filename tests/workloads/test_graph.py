"""Task graphs: what is derived from them and what is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.workloads import GraphBuilder, TaskGraph, WorkKind
from lanescope.workloads.graph import EDGE_KINDS, MOST_PARTNERS, NodeKind
from lanescope.workloads.pipes import PipeKernel, PipeOp
from lanescope.workloads.sound import sound
from lanescope.workloads.spread import LengthSpread


def diamond() -> TaskGraph:
    builder = GraphBuilder("diamond")
    top = builder.task("QK", kind="aic", spin_ns=500)
    left = builder.task("SF", kind="aiv", after=[top], work=WorkKind.COPY, amount=64)
    right = builder.task("SF", kind="aiv", after=[top])
    builder.task("PV", kind="aic", after=[left, right])
    return builder.graph()


def test_a_builder_numbers_tasks_functions_and_kinds_in_order() -> None:
    graph = diamond()
    assert (graph.functions, graph.kinds, len(graph)) == (("QK", "SF", "PV"), ("aic", "aiv"), 4)
    assert graph.func.tolist() == [0, 1, 1, 2]
    assert graph.kind.tolist() == [0, 1, 1, 0]
    assert graph.work.tolist() == [WorkKind.SPIN, WorkKind.COPY, WorkKind.NONE, WorkKind.NONE]
    assert graph.amount.tolist() == [500, 64, 0, 0]
    assert list(zip(graph.pred.tolist(), graph.succ.tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 3),
        (2, 3),
    ]


def test_successors_are_grouped_by_task() -> None:
    offsets, successors = diamond().successors()
    assert (offsets.tolist(), successors.tolist()) == ([0, 2, 3, 4, 4], [1, 2, 3, 3])


def test_predecessors_are_counted_repeated_edges_too() -> None:
    builder = GraphBuilder("twice")
    first = builder.task("A")
    builder.task("B", after=[first, first])
    graph = builder.graph()
    assert graph.predecessor_counts().tolist() == [0, 2]
    assert graph.successors()[1].tolist() == [1, 1]


def test_an_empty_graph_is_sound() -> None:
    graph = GraphBuilder("empty").graph()
    graph.check()
    assert len(graph) == 0
    assert graph.successors()[0].tolist() == [0]


def test_an_edge_to_a_missing_task_is_refused() -> None:
    builder = GraphBuilder("open")
    builder.task("A", after=[7])
    with pytest.raises(
        UsageError, match="an edge of open names task 7, but there are only tasks 0"
    ):
        builder.graph().check()


def test_a_cycle_is_refused_with_its_tasks() -> None:
    builder = GraphBuilder("ring")
    for _ in range(3):
        builder.task("A")
    builder.edge(1, 2)
    builder.edge(2, 1)
    with pytest.raises(UsageError, match="ring can never finish: tasks 1, 2 wait for each other"):
        builder.graph().check()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("func", 3, "task 2 of diamond has func 3, which is not below 3"),
        ("kind", -1, "task 2 of diamond has kind -1, which is not below 2"),
        ("work", 9, "task 2 of diamond has work 9, which is not below 6"),
        ("amount", -5, "task 2 of diamond has the amount -5"),
    ],
)
def test_a_code_without_meaning_is_refused(column: str, value: int, message: str) -> None:
    graph = diamond()
    codes = getattr(graph, column).copy()
    codes[2] = value
    with pytest.raises(UsageError, match=message):
        dataclasses.replace(graph, **{column: codes}).check()


def test_kinds_of_work_have_the_codes_of_the_c_library() -> None:
    for work in WorkKind:
        if work is WorkKind.PIPES:
            continue  # simulated chips only
        assert int(work) == constant(f"LS_WORK_{work.name}")


def test_columns_have_the_types_they_promise() -> None:
    graph = diamond()
    types = [getattr(graph, name).dtype for name in ("func", "kind", "work", "amount", "pred")]
    assert types == [np.int32, np.int32, np.int32, np.int64, np.int64]


def test_columns_that_were_left_out_or_given_as_lists_have_their_types() -> None:
    """A wait may be longer than 32 bits of nanoseconds; everything else is a code or a count."""
    small: dict[str, Any] = {"blocks": [1, 2, 1, 1], "partners": [0] * 4, "nodes": [0] * 4}
    small |= {"early": [1, 0, 0, 0], "together": [0, 1, 0, 0]}
    waits: Any = [0, 1 << 40, 0, 0]
    graph = sound(dataclasses.replace(diamond(), **small, wait_ns=waits))
    for name, values in small.items():
        column = getattr(graph, name)
        assert (name, column.dtype, column.tolist()) == (name, np.int32, values)
    assert graph.wait_ns is not None
    assert (graph.wait_ns.dtype, graph.wait_ns.tolist()) == (np.int64, waits)
    absent: dict[str, Any] = dict.fromkeys((*small, "wait_ns"))
    plain = sound(dataclasses.replace(diamond(), **absent))
    assert [getattr(plain, name) for name in absent] == [None] * 6


# ---- what is derived -------------------------------------------------------------------------


def test_predecessors_are_grouped_by_task() -> None:
    offsets, predecessors = diamond().predecessors()
    assert (offsets.tolist(), predecessors.tolist()) == ([0, 0, 1, 2, 4], [0, 0, 1, 2])
    assert offsets.dtype == predecessors.dtype == np.int64


def test_neighbours_keep_the_order_of_their_edges() -> None:
    edges: dict[str, Any] = {"pred": np.array([2, 0, 2, 0]), "succ": np.array([3, 3, 1, 1])}
    graph = dataclasses.replace(diamond(), **edges)
    assert [part.tolist() for part in graph.successors()] == [[0, 2, 2, 4, 4], [3, 1, 3, 1]]
    assert [part.tolist() for part in graph.predecessors()] == [[0, 0, 2, 2, 4], [2, 0, 2, 0]]
    assert graph.predecessor_counts().tolist() == [0, 2, 0, 2]
    assert graph.predecessor_counts().dtype == np.int32


COLUMNS = {"blocks": 1, "partners": 0, "nodes": 0, "early": 0, "together": 0, "wait_ns": 0}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_graph_is_plain_while_every_task_has_the_usual_value(column: str) -> None:
    assert dataclasses.replace(diamond(), **{column: None}).is_plain
    usual = np.full(4, COLUMNS[column])
    assert dataclasses.replace(diamond(), **{column: usual}).is_plain
    usual[3] += 1
    assert not dataclasses.replace(diamond(), **{column: usual}).is_plain


def test_codes_of_work_and_of_nodes_are_what_files_and_the_c_library_have() -> None:
    assert {work.name: int(work) for work in WorkKind} == {
        "NONE": 0,
        "SPIN": 1,
        "COPY": 2,
        "MATMUL": 3,
        "CALLBACK": 4,
        "PIPES": 5,
    }
    assert {node.name: int(node) for node in NodeKind} == {
        "RUN": 0,
        "DUMMY": 1,
        "ALLOC": 2,
        "SKIPPED": 3,
    }
    assert EDGE_KINDS == ("explicit", "tensormap")
    assert MOST_PARTNERS == 2


# ---- what is refused -------------------------------------------------------------------------


def refusal(graph: TaskGraph) -> str:
    with pytest.raises(UsageError) as refused:
        graph.check()
    return str(refused.value)


@pytest.mark.parametrize(
    ("column", "least", "most"),
    [
        ("func", 0, 2),
        ("kind", 0, 1),
        ("work", 0, 4),
        ("amount", 0, 1 << 62),
        ("blocks", 1, 1 << 20),
        ("partners", 0, 2),
        ("nodes", 0, 3),
        ("early", 0, 1),
        ("together", 0, 1),
        ("wait_ns", 0, np.iinfo(np.int64).max),
        ("pred", 0, 0),
    ],
)
def test_the_least_and_the_most_that_a_column_may_have_pass(
    column: str, least: int, most: int
) -> None:
    """The first row is of a task of kind aic on one core, which may have everything."""
    for value in (least, most):
        values = np.array([value, *_usual(column)[1:]], np.int64)
        dataclasses.replace(diamond(), **{column: values}).check()


def _usual(column: str) -> list[int]:
    values = getattr(diamond(), column)
    return [COLUMNS[column]] * 4 if values is None else values.tolist()


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("func", 3, "task 2 of diamond has func 3, which is not below 3"),
        ("kind", 2, "task 2 of diamond has kind 2, which is not below 2"),
        ("work", 6, "task 2 of diamond has work 6, which is not below 6"),
        ("work", -1, "task 2 of diamond has work -1, which is not below 6"),
        ("amount", -1, "task 2 of diamond has the amount -1"),
        ("blocks", 0, "task 2 of diamond has blocks 0, expected 1 to 1048576"),
        ("blocks", (1 << 20) + 1, "task 2 of diamond has blocks 1048577, expected 1 to 1048576"),
        ("partners", -1, "task 2 of diamond has partners -1, expected 0 to 2"),
        ("partners", 3, "task 2 of diamond has partners 3, expected 0 to 2"),
        ("partners", 1, "task 2 of diamond has partners, but only a task of kind aic can"),
        ("nodes", -1, "task 2 of diamond has nodes -1, expected 0 to 3"),
        ("nodes", 4, "task 2 of diamond has nodes 4, expected 0 to 3"),
        ("early", 2, "task 2 of diamond has early 2, expected 0 to 1"),
        ("early", -1, "task 2 of diamond has early -1, expected 0 to 1"),
        ("together", 2, "task 2 of diamond has together 2, expected 0 to 1"),
        ("together", -1, "task 2 of diamond has together -1, expected 0 to 1"),
        (
            *("wait_ns", -1),
            "task 2 of diamond has wait_ns -1, expected 0 to 9223372036854775807",
        ),
        ("pred", -1, "an edge of diamond names task -1, but there are only tasks 0 to 3"),
        ("pred", 4, "an edge of diamond names task 4, but there are only tasks 0 to 3"),
        ("succ", 4, "an edge of diamond names task 4, but there are only tasks 0 to 3"),
    ],
)
def test_what_is_just_outside_is_refused(column: str, value: int, sentence: str) -> None:
    values = _usual(column)
    values[2] = value
    graph = dataclasses.replace(diamond(), **{column: np.array(values, np.int64)})
    assert refusal(graph) == sentence


def test_the_least_amount_of_all_is_the_one_that_is_named() -> None:
    graph = dataclasses.replace(diamond(), amount=np.array([3, -2, 0, -7]))
    assert refusal(graph) == "task 3 of diamond has the amount -7"


@pytest.mark.parametrize(
    ("tasks", "named"), [(5, "0, 1, 2, 3, 4"), (6, "0, 1, 2, 3, 4, …"), (1, "0")]
)
def test_five_tasks_of_a_cycle_are_named(tasks: int, named: str) -> None:
    builder = GraphBuilder("ring")
    for task in range(tasks):
        builder.task("A", after=[(task + 1) % tasks])
    assert refusal(builder.graph()) == (
        f"ring can never finish: tasks {named} wait for each other in a cycle"
    )


def manner(**options: Any) -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("A", kind="aic")
    builder.task("A", kind="aic", **options)
    return builder.graph()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"early": True, "blocks": 2}, "is early, but only a task on one core can be"),
        ({"early": True, "partners": 1}, "is early, but only a task on one core can be"),
        ({"early": True, "node": NodeKind.DUMMY}, "is early, but only a task on one core can be"),
        (
            {"together": True, "partners": 1},
            "starts together, but has partners, is early or runs nowhere",
        ),
        (
            {"together": True, "node": NodeKind.ALLOC},
            "starts together, but has partners, is early or runs nowhere",
        ),
        (
            {"together": True, "early": True},
            "starts together, but has partners, is early or runs nowhere",
        ),
        ({"wait_ns": 1, "node": NodeKind.SKIPPED}, "has wait_ns, but runs on no core"),
    ],
)
def test_manners_that_no_chip_has_are_refused(options: dict[str, Any], sentence: str) -> None:
    assert refusal(manner(**options)) == f"task 1 of g {sentence}"


@pytest.mark.parametrize(
    "options",
    [
        {"early": True},
        {"together": True, "blocks": 3},
        {"blocks": 3, "partners": 2},
        {"wait_ns": 1, "blocks": 2, "partners": 1},
        {"early": True, "wait_ns": 1},
        {"node": NodeKind.DUMMY, "partners": 1},
    ],
)
def test_manners_that_a_chip_has_pass(options: dict[str, Any]) -> None:
    manner(**options).check()


def test_manners_are_refused_where_other_columns_are_left_out() -> None:
    absent: dict[str, Any] = dict.fromkeys(("blocks", "partners", "nodes"))
    early = np.array([0, 1])
    dataclasses.replace(manner(), early=early, **absent).check()
    both = dataclasses.replace(manner(), early=early, together=early, **absent)
    assert refusal(both) == (
        "task 1 of g starts together, but has partners, is early or runs nowhere"
    )


@pytest.mark.parametrize(
    "scopes",
    [[[0, 4]], [[0, 1], [1, 2], [3, 4]], [[1, 2], [0, 4]], [[0, 2], [2, 4]], [[0, 2], [0, 4]], []],
)
def test_scopes_inside_or_beside_each_other_pass(scopes: list[list[int]]) -> None:
    dataclasses.replace(diamond(), scopes=np.array(scopes).reshape(-1, 2)).check()


@pytest.mark.parametrize(
    ("scopes", "found"),
    [
        ([[0, 5]], "0 to 4"),
        ([[-1, 2]], "-1 to 1"),
        ([[2, 2]], "2 to 1"),
        ([[0, 2], [1, 3]], "1 to 2"),
        ([[1, 2], [0, 3], [2, 4]], "2 to 3"),
    ],
)
def test_scopes_that_are_empty_or_cross_are_refused(scopes: list[list[int]], found: str) -> None:
    graph = dataclasses.replace(diamond(), scopes=np.array(scopes))
    assert refusal(graph) == (
        f"a scope of diamond has tasks {found}; expected tasks that there are, and scopes inside "
        "or beside each other"
    )


def piped(**changes: Any) -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("A", spin_ns=1)
    builder.task("B", kernel=PipeKernel("k", (PipeOp("vector", cycles=1),)))
    return dataclasses.replace(builder.graph(), **changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kernels": ()}, "function B of g has no kernel"),
        ({"kernels": (None, None)}, "function B of g has no kernel"),
        ({"kinds": ("aic",)}, "kernel 'k', op 0: pipe vector does not exist on an aic core"),
        ({"spreads": (None,) * 3}, "g has 3 spreads for 2 functions"),
        (
            {"spreads": (None, LengthSpread(sigma_ns=1))},
            "function B of g has a spread and a kernel; the kernel says how long its tasks take",
        ),
        (
            {"spreads": (LengthSpread(),)},
            "the spread of function A: expected either sigma_ns or sample_ns, found neither",
        ),
    ],
)
def test_kernels_and_spreads_belong_to_their_functions(
    changes: dict[str, Any], sentence: str
) -> None:
    piped().check()
    piped(spreads=(LengthSpread(sigma_ns=1), None)).check()
    assert refusal(piped(**changes)) == sentence


@pytest.mark.parametrize(
    ("column", "value"),
    [("edge_kind", 0), ("edge_kind", 1), ("edge_arg", -1), ("edge_arg", 2**31 - 1)],
)
def test_causes_at_their_limits_pass(column: str, value: int) -> None:
    dataclasses.replace(diamond(), **{column: np.full(4, value, np.int64)}).check()


@pytest.mark.parametrize(
    ("column", "value", "limits"),
    [("edge_kind", -1, "0 to 1"), ("edge_arg", 2**31, "-1 to 2147483647")],
)
def test_causes_beyond_their_limits_are_refused(column: str, value: int, limits: str) -> None:
    graph = dataclasses.replace(diamond(), **{column: np.array([0, 0, 0, value])})
    assert refusal(graph) == f"edge 3 of diamond has {column} {value}, expected {limits}"


# ---- columns made by hand --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": 3}, "names must be text, but one is 3"),
        ({"functions": ("A", None, "C")}, "names must be text, but one is None"),
        ({"kinds": ("aic", b"aiv")}, "names must be text, but one is b'aiv'"),
        (
            {"spreads": (None, 3)},
            "spreads must be of type LengthSpread or None, one for each function",
        ),
        (
            {"work": [1] * 3},
            "the column work has 3 rows, but func has 4; they must be equally long",
        ),
        (
            {"wait_ns": [1] * 3},
            "the column wait_ns has 3 rows, but func has 4; they must be equally long",
        ),
        (
            {"edge_arg": [1] * 5},
            "the column edge_arg has 5 rows, but pred has 4; they must be equally long",
        ),
        (
            {"amount": [[1, 2, 3, 4]]},
            "the column amount must be a row of whole numbers, not of type int64 with 2 dimensions",
        ),
        (
            {"func": np.array([True] * 4)},
            "the column func must be a row of whole numbers, not of type bool with 1 dimension",
        ),
        (
            {"func": [], "kind": [], "work": [], "amount": [], "blocks": None, "partners": None}
            | {"nodes": None},
            "has no task; add at least one with GraphBuilder.task()",
        ),
    ],
)
def test_columns_that_are_not_what_they_should_be_are_refused(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        sound(dataclasses.replace(diamond(), **changes))
    assert str(refused.value) == sentence


def test_names_may_be_lists_and_an_unsigned_column_is_a_column() -> None:
    changes: dict[str, Any] = {"functions": ["QK", "SF", "PV"], "kinds": ["aic", "aiv"]}
    given = dataclasses.replace(diamond(), amount=np.arange(4, dtype=np.uint8), **changes)
    graph = sound(given)
    assert (graph.functions, graph.kinds) == (("QK", "SF", "PV"), ("aic", "aiv"))
    assert (graph.amount.dtype, graph.amount.tolist()) == (np.int64, [0, 1, 2, 3])
