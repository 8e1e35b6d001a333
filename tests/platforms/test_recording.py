"""What recorded runs have in common: their features, their region, and the plan of the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lanescope import __version__
from lanescope.device.head import Core
from lanescope.platforms.recording import Recording, features_of, plan_of, recorded_region
from lanescope.trace.flags import Feature
from lanescope.trace.schema import TaskFlag
from lanescope.workloads import GraphBuilder, TaskGraph, Tensor, WorkKind
from lanescope.workloads.graph import NodeKind

LEVELS = (
    Feature(0),
    Feature.CHIP_SWIMLANE_CORE_TIMING,
    Feature.CHIP_SWIMLANE_CORE_TIMING | Feature.CHIP_SWIMLANE_TASK_LIFECYCLE,
)


def test_a_level_counters_and_pipes_add_up() -> None:
    found = [features_of(Recording(chip_swimlane=level)) for level in (0, 1, 2)]
    assert found == list(LEVELS)
    assert features_of(Recording(chip_swimlane=True)) == features_of(Recording(chip_swimlane=4))
    one = Recording(chip_swimlane=1)
    for pmu in (None, False):
        assert features_of(replace(one, pmu=pmu)) == LEVELS[1]
    for pmu in (0, 2, "memory", True):
        assert features_of(replace(one, pmu=pmu)) == LEVELS[1] | Feature.PMU
    pipes = features_of(replace(one, core_swimlane=True))
    assert pipes == LEVELS[1] | Feature.CORE_SWIMLANE
    both = features_of(replace(one, core_swimlane=True, pmu=1))
    assert both == pipes | Feature.PMU


def graph() -> TaskGraph:
    builder = GraphBuilder("g")
    tensor = Tensor("x", (4,))
    builder.task("A", kind="aic", writes=[tensor], blocks=3)
    builder.task("B", kind="aiv", reads=[tensor], early=True)
    builder.task("A", kind="aic", partners=2, after=[1])
    builder.task("B", kind="aiv", together=True, wait_ns=5)
    for node in (NodeKind.DUMMY, NodeKind.ALLOC, NodeKind.SKIPPED):
        builder.task("B", kind="aiv", node=node)
    return builder.graph()


def test_a_region_is_what_the_recording_asks_for_on_the_platforms_machine() -> None:
    recording = Recording(
        chip_swimlane=2,
        protocol="staging",
        on_full="drop",
        buffer_records=16,
        buffers=4,
        host_lost_s=2.5,
        first_token=9,
    )
    cores = (Core("aic", controller=0), Core("aiv", controller=1))
    config = recorded_region(graph(), recording, cores=cores, schedulers=2, pre_dispatch=0)
    assert (config.flags, config.cores, config.functions) == (LEVELS[2], cores, {0: "A", 1: "B"})
    assert (config.protocol, config.on_full, config.host_lost_s) == ("staging", "drop", 2.5)
    assert (config.buffer_records, config.buffers, config.first_token) == (16, 4, 9)
    assert (config.schedulers, config.pre_dispatch) == (2, 0)


def test_a_plan_has_every_task_and_edge_of_the_graph() -> None:
    plan = plan_of(graph())
    assert plan.tasks["task"].tolist() == list(range(7))
    assert plan.text("tasks", "kind") == ["node"] * 4 + ["dummy", "alloc", "skipped"]
    assert plan.tasks["func"].tolist() == [0, 1, 0, 1, 1, 1, 1]
    assert plan.tasks["blocks"].tolist() == [3, 1, 1, 1, 1, 1, 1]
    flags = [0, TaskFlag.EARLY_DISPATCH, TaskFlag.MIX, TaskFlag.TOGETHER | TaskFlag.AWAITS_ENGINE]
    assert plan.tasks["flags"].tolist() == [*flags, 0, 0, 0]
    assert (plan.edges["pred"].tolist(), plan.edges["succ"].tolist()) == ([0, 1], [1, 2])
    assert plan.text("edges", "kind") == ["tensormap", "explicit"]
    assert plan.edges["arg"].tolist() == [0, -1]
    assert plan.edges["flags"].tolist() == [1, 1]
    assert plan.functions["func"].tolist() == [0, 1]
    assert plan.text("functions", "name") == ["A", "B"]
    meta = plan.meta
    assert (meta.name, meta.tool, meta.origin) == ("g", f"lanescope {__version__}", "measured")
    assert meta.queues == ("aic", "aiv", "mix")


def test_columns_that_are_left_out_have_the_usual_values_in_a_plan() -> None:
    absent: dict[str, Any] = dict.fromkeys(
        ("blocks", "partners", "nodes", "early", "together", "wait_ns", "edge_kind", "edge_arg")
    )
    plan = plan_of(replace(graph(), **absent))
    assert plan.tasks["blocks"].tolist() == [1] * 7
    assert plan.tasks["flags"].tolist() == [0] * 7
    assert plan.text("tasks", "kind") == ["node"] * 7
    assert plan.text("edges", "kind") == ["explicit"] * 2
    assert plan.edges["arg"].tolist() == [-1, -1]
    assert plan.meta.queues == ("aic", "aiv")


@pytest.mark.parametrize(
    ("kinds", "partners", "queues"),
    [
        (("a", "b", "c", "d"), None, ("a", "b", "c")),
        (("a", "b", "c", "d"), [0, 1], ("a", "b", "mix")),
        (("a", "b", "c"), [0, 0], ("a", "b", "c")),
        (("a",), [2, 0], ("a", "mix")),
    ],
)
def test_three_queues_are_named_and_the_mixed_one_is_the_last(
    kinds: tuple[str, ...], partners: list[int] | None, queues: tuple[str, ...]
) -> None:
    builder = GraphBuilder("g")
    for _ in range(2):
        builder.task("A", work=WorkKind.NONE)
    column = None if partners is None else np.array(partners, np.int32)
    plan = plan_of(replace(builder.graph(), kinds=kinds, partners=column))
    assert plan.meta.queues == queues
