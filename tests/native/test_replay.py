"""What the C library is given to replay is checked: nothing may point outside of its own tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanescope.errors import LanescopeError
from lanescope.native.replay import Costs, ReplayInput, run_replay

ONE = np.zeros(1, np.int64)
ITSELF = ReplayInput(
    first=np.array([0, 1]), target=ONE, kind=ONE, blocks=ONE + 1, partners=ONE,
    partner_kind=ONE - 1, manner=ONE, wait=ONE, unit_first=np.array([0, 1]), lengths=ONE + 70,
    setups=ONE + 5, submit_order=ONE, submit_cost=ONE, submit_records=ONE, core_kind=ONE,
    core_scheduler=ONE, cluster_first=np.array([0, 1]), cluster_cores=ONE,
    buffer_records=np.zeros(4, np.int32), buffer_count=np.ones(4, np.int32),
    kinds=1, schedulers=1, pre_dispatch=0, costs=Costs(link=3, seen=2),
)  # fmt: skip
"""One task on one core, which waits for itself."""


def test_one_task_takes_its_setup_its_length_and_the_links() -> None:
    output = run_replay(replace(ITSELF, first=np.array([0, 0]), target=ONE[:0]))
    assert (output.last_ps, output.stalled_ps) == (80, 0)
    assert output.units.tolist() == [(0, 0, 3, 8, 78, 80)]


def test_a_tasks_own_pick_up_takes_the_place_of_the_link() -> None:
    alone = replace(ITSELF, first=np.array([0, 0]), target=ONE[:0])
    (unit,) = run_replay(replace(alone, own={"pick_up": ONE + 20})).units
    assert (unit["dispatch"], unit["receive"], unit["start"]) == (0, 20, 25)


def test_a_task_has_its_own_times_in_place_of_costs() -> None:
    """Ready at 0, in its queue at 7, dispatched 5 later, and its end seen 11 after it."""
    alone = replace(ITSELF, first=np.array([0, 0]), target=ONE[:0])
    costs = Costs(link=3, seen=2, dispatch=100, complete=1)
    own = {"wait": ONE + 7, "give": ONE + 5, "seen": ONE + 11}
    output = run_replay(replace(alone, costs=costs, own=own))
    (unit,) = output.units
    assert (unit["dispatch"], unit["receive"], unit["end"]) == (12, 15, 90)
    assert output.last_ps == 90 + 11 + 1


def test_own_times_of_fewer_units_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 1 values, found 0"):
        run_replay(replace(ITSELF, own={"seen": ONE[:0]}))


def test_a_task_that_waits_for_itself_can_never_run() -> None:
    with pytest.raises(LanescopeError, match="can never run"):
        run_replay(ITSELF)


def test_a_successor_outside_of_the_graph_is_refused() -> None:
    with pytest.raises(IndexError):
        run_replay(replace(ITSELF, target=ONE + 1))


def test_blocks_without_units_are_refused() -> None:
    with pytest.raises(ValueError, match="do not add up"):
        run_replay(replace(ITSELF, blocks=ONE + 2))


def test_a_node_without_a_core_cannot_be_early() -> None:
    with pytest.raises(ValueError, match="only a task on one core can be early"):
        run_replay(replace(ITSELF, kind=ONE - 1, manner=ONE + 1))


def test_no_buffers_of_records_are_refused() -> None:
    with pytest.raises(ValueError, match="expected buffers"):
        run_replay(replace(ITSELF, buffer_records=np.ones(4), buffer_count=np.zeros(4)))
