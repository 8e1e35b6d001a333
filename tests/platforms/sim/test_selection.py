"""Which tasks a dump selects."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lanescope.dump.manifest import AFTER, BEFORE
from lanescope.errors import UsageError
from lanescope.platforms.sim.selection import Selection, select
from lanescope.workloads import GraphBuilder, TaskGraph, Tensor

BOTH = {BEFORE, AFTER}


def graph(*functions: str) -> TaskGraph:
    x = Tensor("x", (2,), data=np.zeros(2, np.float32))
    builder = GraphBuilder("g")
    for name in functions or ("a", "b", "a", "b", "mix small"):
        builder.task(name, spin_ns=5, reads=[x])
    builder.task("none", spin_ns=5)
    return builder.graph()


@pytest.mark.parametrize(
    ("text", "tasks", "stages"),
    [
        ("", {0, 1, 2, 3, 4}, BOTH),
        ("a", {0, 2}, BOTH),
        ("mix small, 1", {1, 4}, BOTH),
        ("1-3", {1, 2, 3}, BOTH),
        ("a,3-4,outputs", {0, 2, 3, 4}, {AFTER}),
        ("inputs", {0, 1, 2, 3, 4}, {BEFORE}),
        ("outputs,inputs,0", {0}, BOTH),
        ("4-5", {4}, BOTH),
    ],
)
def test_functions_and_tasks_add_up_and_stages_narrow_down(
    text: str, tasks: set[int], stages: set[str]
) -> None:
    found = select(text, graph())
    assert (found.tasks, found.stages) == (tasks, stages)


def test_a_function_called_like_a_task_or_a_stage_is_the_function() -> None:
    odd = graph("inputs", "0", "1-2")
    assert select("inputs", odd).tasks == {0}
    assert select("0", odd).tasks == {1}
    assert select("1-2", odd).tasks == {2}


def test_arguments_narrow_down_as_stages_do() -> None:
    found = select("a,arg1,arg3-4", graph())
    assert found.tasks == {0, 2}
    assert [number for number in range(6) if found.has(number)] == [1, 3, 4]
    assert select("a", graph()).has(5)
    assert select("arg1", graph("arg1", "b", "c")).tasks == {0}


@pytest.mark.parametrize(
    "text", ["arg", "arg2-1", "argx", "c", "6", "3-6", "3-1", "-1", "a,,b", "1-", "٣", "9" * 30]
)
def test_what_is_not_there_is_refused_with_what_is(text: str) -> None:
    part = "" if ",," in text else text
    sentence = (
        f"expected a function or a task of g, found {part!r}; its functions are a, b, mix small, "
        "none, its tasks 0 to 5 (like 17 or 10-20), arg1 is an argument, and inputs or outputs "
        "chooses one of both"
    )
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        select(text, graph())


def test_tasks_without_arrays_are_nothing_to_dump() -> None:
    sentence = "none of the tasks 'none' of g works on arrays; those of function a, b, mix small do"
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        select("none", graph())


@pytest.mark.parametrize(
    ("text", "tasks", "arguments"),
    [
        ("5,0", {0}, ()),
        ("0-0", {0}, ()),
        (" 3 , outputs ", {3}, ()),
        ("arg0", {0, 1, 2, 3, 4}, (range(1),)),
        ("arg2-2,1", {1}, (range(2, 3),)),
        ("none,a", {0, 2}, ()),
    ],
)
def test_selections_may_begin_and_end_anywhere(
    text: str, tasks: set[int], arguments: tuple[range, ...]
) -> None:
    stages = {AFTER} if "outputs" in text else BOTH
    assert select(text, graph()) == Selection(frozenset(tasks), frozenset(stages), arguments)


def test_a_graph_without_arrays_has_nothing_to_dump() -> None:
    builder = GraphBuilder("g")
    builder.task("a")
    with pytest.raises(UsageError) as refused:
        select("", builder.graph())
    assert str(refused.value) == (
        "g works on no arrays, so there is nothing to dump; the built-in workloads that do are "
        "matmul_add, vector"
    )
