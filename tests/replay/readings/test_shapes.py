"""What nodes need, as their runs show it."""

from __future__ import annotations

import pytest
from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.errors import LanescopeError
from lanescope.native.replay import ALLOC, EARLY, SILENT, TOGETHER
from lanescope.replay.readings.core_runs import core_runs
from lanescope.replay.readings.machine import machine_of
from lanescope.replay.readings.shapes import Shapes, shapes_of
from lanescope.results import plain
from lanescope.trace.schema import TaskFlag

AIC, AIV = 0, 1
CORES = [{"core": n, "kind": "aic" if n < 2 else "aiv"} for n in range(6)]
"""Two aic cores, four aiv cores."""


def run(core: int, number: int, **more: int) -> Row:
    return task(core, 0, 1, 2, 3, 4, task=number, **more)


def shapes(*rows: Row, cores: list[Row] = CORES) -> Shapes:
    trace = make_trace({"queues": ("aic", "aiv")}, tasks=rows, cores=cores)
    columns, machine = nodes(trace), machine_of(trace)
    return shapes_of(trace, columns, core_runs(trace, columns, machine), machine=machine)


def test_blocks_and_partners_are_read_from_the_runs() -> None:
    """Node 0 runs on one core, node 1 in three blocks, node 2 in one block of an aic and two aiv
    cores, node 3 in two blocks of an aic and an aiv core each: of as many runs, those on the rarer
    kind lead."""
    made = shapes(
        run(2, 1),
        *(run(core, 2) for core in (2, 3, 4)),
        *(run(core, 3) for core in (0, 2, 3)),
        *(run(core, 4) for core in (0, 1, 4, 5)),
    )
    assert plain(made) == {
        "kind": [AIV, AIV, AIC, AIC],
        "blocks": [1, 3, 1, 2],
        "partners": [0, 0, 2, 1],
        "partner_kind": [-1, -1, AIV, AIV],
        "manner": [0, 0, 0, 0],
    }


def test_the_kind_with_fewer_runs_of_a_node_leads_though_the_machine_has_more_such_cores() -> None:
    made = shapes(*(run(core, 1) for core in (0, 1, 2)))
    assert plain(made) == {
        "kind": [AIV],
        "blocks": [1],
        "partners": [2],
        "partner_kind": [AIC],
        "manner": [0],
    }


def test_nodes_that_no_core_runs_have_kinds_of_their_own() -> None:
    made = shapes(
        run(0, 1),
        {"task": 2, "kind": "dummy"},
        {"task": 3, "kind": "skipped"},
        {"task": 4, "kind": "alloc"},
    )
    assert made.kind.tolist() == [AIC, SILENT, SILENT, ALLOC]
    assert made.blocks.tolist() == [1, 1, 1, 1]


def test_only_what_fits_is_early_or_starts_together() -> None:
    early, together = int(TaskFlag.EARLY_DISPATCH), int(TaskFlag.TOGETHER)
    made = shapes(
        run(2, 1, flags=early | together),
        *(run(core, 2, flags=early | together) for core in (2, 3)),
        *(run(core, 3, flags=early | together) for core in (0, 2)),
        run(2, 4, flags=0),
        {"task": 5, "kind": "dummy", "flags": early},
    )
    assert made.manner.tolist() == [EARLY, TOGETHER, 0, 0, 0]


@pytest.mark.parametrize(
    "cores",
    [(0, 2, 6), (0, 1, 2, 3, 4)],
    ids=["three kinds of core", "three partners for two blocks"],
)
def test_what_is_not_replayed_is_refused(cores: tuple[int, ...]) -> None:
    with pytest.raises(LanescopeError, match=r"^task 8 runs on its kinds of core in a way that is"):
        shapes(
            run(0, 1),
            *(run(core, 8) for core in cores),
            cores=[*CORES, {"core": 6, "kind": "sm"}],
        )
