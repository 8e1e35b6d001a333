"""Runs that take longer in company: a what-if with other cores, against the simulator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.analyze.simulated import a2a3, simulated

from lanescope.platforms.sim.chip import Chip
from lanescope.replay.changes import Change, set_cores
from lanescope.replay.crowding import crowding_of, replay_crowded
from lanescope.replay.replica import Replica, replay, replica_of
from lanescope.replay.what_if import what_if
from lanescope.workloads import build_workload

GRAPH = build_workload("matmul_add", {})


def narrow(clusters: int) -> Chip:
    """A chip whose memory is too slow for all of its cores."""
    chip = a2a3()
    memory = replace(chip.memory, hbm_bytes_per_s=800_000_000_000)
    return replace(chip, memory=memory, clusters=clusters)


def with_clusters(replica: Replica, clusters: int) -> Replica:
    fewer = set_cores(replica, kind="aic", count=clusters)
    return set_cores(fewer, kind="aiv", count=2 * clusters)


@pytest.mark.parametrize(("clusters", "off"), [(12, 0.05), (36, 0.1)])
def test_other_company_is_foreseen(clusters: int, off: float) -> None:
    replica = replica_of(simulated(GRAPH, narrow(24)))
    truth = replica_of(simulated(GRAPH, narrow(clusters))).window.length_ns
    changed = with_clusters(replica, clusters)
    crowding = crowding_of(replica)
    assert crowding is not None and set(crowding.names) == {"matmul", "add"}
    with_it = replay_crowded(changed, crowding).makespan_ps / 1000 / truth - 1
    without = replay(changed).makespan_ps / 1000 / truth - 1
    assert abs(with_it) < off < abs(without)


def test_a_change_of_nothing_changes_nothing_and_the_note_names_the_functions() -> None:
    replica = replica_of(simulated(GRAPH, narrow(24)))
    answer = what_if(replica, [Change("nothing", lambda one: one)])
    assert answer.predictions[0].change == pytest.approx(0, abs=0.01)
    assert any("take longer in company" in note for note in answer.notes)


def test_where_nobody_shares_anything_nothing_is_fitted() -> None:
    assert crowding_of(replica_of(simulated(GRAPH, a2a3()))) is None
