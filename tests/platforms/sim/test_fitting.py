"""Graphs that a chip cannot run, and those that it just can."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.fitting import check_fit
from lanescope.workloads import GraphBuilder, TaskGraph


def chip(window: int = 1000, **changes: Any) -> Chip:
    """Two clusters of a cube core and two vector cores."""
    own = replace(load_chip("a2a3"), **{"clusters": 2, "name": "tiny", **changes})
    return replace(own, orchestrator=replace(own.orchestrator, window_tasks=window))


def task(**options: Any) -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("A", kind="aic")
    builder.task("A", **{"kind": "aic", **options})
    return builder.graph()


def refusal(graph: TaskGraph, own: Chip) -> str:
    with pytest.raises(UsageError) as refused:
        check_fit(graph, own)
    return str(refused.value)


def test_every_kind_that_the_chip_lacks_is_named() -> None:
    graph = replace(task(), kinds=("aic", "sm", "aiv", "gpu"))
    assert refusal(graph, chip()) == "g needs cores of kind sm, gpu; tiny has aic, aiv"
    assert refusal(task(), chip(aic_per_cluster=0)) == "g needs cores of kind aic; tiny has aiv"


@pytest.mark.parametrize(
    ("partners", "aic", "aiv", "sentence"),
    [
        (2, 1, 1, "2 vector cores of one cluster; a cluster of tiny has 1 vector core"),
        (1, 1, 0, "1 vector core of one cluster; a cluster of tiny has 0 vector cores"),
        (
            *(1, 2, 2),
            "1 vector core of one cluster, which only chips with 1 cube core per cluster run; a "
            "cluster of tiny has 2",
        ),
    ],
)
def test_a_task_and_its_partners_must_fit_in_a_cluster(
    partners: int, aic: int, aiv: int, sentence: str
) -> None:
    own = chip(aic_per_cluster=aic, aiv_per_cluster=aiv)
    assert refusal(task(partners=partners), own) == f"a task of g needs a cube core and {sentence}"


def test_partners_that_just_fit_pass_and_none_fit_any_cluster() -> None:
    check_fit(task(partners=2), chip())
    check_fit(task(partners=1), chip(aiv_per_cluster=1))
    check_fit(task(), chip(aic_per_cluster=3, aiv_per_cluster=0))
    check_fit(replace(task(), partners=None), chip(aic_per_cluster=3))


def test_no_more_blocks_start_together_than_there_are_cores_of_the_kind() -> None:
    check_fit(task(blocks=2, together=True), chip())
    check_fit(task(blocks=3), chip())
    check_fit(task(blocks=4, together=True, kind="aiv"), chip())
    for kind, blocks, cores in (("aic", 3, 2), ("aiv", 5, 4)):
        assert refusal(task(blocks=blocks, together=True, kind=kind), chip()) == (
            f"task 1 of g starts on {blocks} cores at once; tiny has {cores} of kind {kind}"
        )
    check_fit(replace(task(blocks=9, together=True), together=None), chip())
    check_fit(replace(task(blocks=9, together=True), blocks=None), chip())


def backward() -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("A", kind="aic")
    builder.task("A", kind="aic", after=[2])
    builder.task("A", kind="aic", after=[0])
    return builder.graph()


def test_a_window_smaller_than_the_graph_needs_it_in_order() -> None:
    assert refusal(backward(), chip(2)) == (
        "task 1 of g waits for task 2, which comes after it; a chip that keeps 2 of 3 tasks needs "
        "them in the order of their edges"
    )
    check_fit(backward(), chip(3))
    check_fit(backward(), chip(2, orchestrators=0))


def scoped(*scopes: tuple[int, int]) -> TaskGraph:
    builder = GraphBuilder("g")
    for _ in range(8):
        builder.task("A", kind="aic")
    return replace(builder.graph(), scopes=np.array(scopes))


@pytest.mark.parametrize(
    ("scopes", "window"),
    [
        ([(0, 4)], 4),
        ([(1, 3), (0, 4)], 4),
        ([(0, 2), (2, 4), (0, 8)], 4),
        ([(0, 4), (0, 8)], 4),
        ([(0, 1), (0, 4)], 3),
    ],
)
def test_a_scope_may_fill_the_window(scopes: list[tuple[int, int]], window: int) -> None:
    """A scope's own tasks are those of no scope inside it; it lasts from the first of them."""
    assert refusal(scoped(*scopes), chip(window - 1)).startswith("a scope of g has tasks")
    check_fit(scoped(*scopes), chip(window))


@pytest.mark.parametrize(
    ("scopes", "window", "found"),
    [
        ([(0, 4)], 3, "0 to 3"),
        ([(1, 6)], 4, "1 to 5"),
        ([(0, 2), (0, 7)], 4, "2 to 6"),
        ([(5, 8), (0, 8)], 7, "0 to 7"),
    ],
)
def test_a_scope_larger_than_the_window_would_wait_for_itself(
    scopes: list[tuple[int, int]], window: int, found: str
) -> None:
    assert refusal(scoped(*scopes), chip(window)) == (
        f"a scope of g has tasks {found}, and the chip keeps {window} tasks: it would wait for "
        "itself; end the scope earlier or give the chip more window_tasks"
    )
    check_fit(scoped(*scopes), chip(window + 1))
