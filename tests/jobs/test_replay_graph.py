"""A job that runs again, from a few tasks by hand: lanes, edges, delays, meetings, circles."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from lanescope.errors import LanescopeError
from lanescope.jobs import replay_graph
from lanescope.jobs.job_tasks import CollectiveParts, JobTasks
from lanescope.jobs.replay_graph import job_graph
from lanescope.trace.schema import MISSING32


class Run(NamedTuple):
    rank: int
    lane: int
    start: int
    end: int
    meets: int = -1
    sends: bool = False


def tasks(*runs: Run, edges: list[tuple[int, int]] = (), ordered: bool = True) -> JobTasks:  # type: ignore[assignment]
    """All runs in one step."""
    columns = {name: np.array([getattr(one, name) for one in runs]) for name in Run._fields}
    there = columns["meets"] >= 0
    pairs = np.array(list(edges), np.int64).reshape(-1, 2)
    return JobTasks(
        steps=np.array([7]),
        first=np.array([0, len(runs)]),
        stretches=np.array([0, 1]),
        functions=("f",),
        communicates=np.array([False]),
        rank=columns["rank"],
        lane=columns["lane"].astype(np.int32),
        function=np.zeros(len(runs), np.int64),
        start=columns["start"],
        end=columns["end"],
        parts=CollectiveParts(columns["meets"], there, there, columns["sends"]),
        before=pairs[:, 0],
        after=pairs[:, 1],
        ordered=ordered,
        notes=(),
    )


def ends(given: JobTasks) -> list[int]:
    graph = job_graph(given)
    found: list[int] = graph.ends(graph.length).tolist()
    return found


def test_a_task_follows_the_one_before_it_on_its_lane() -> None:
    assert ends(tasks(Run(0, 0, 0, 10), Run(0, 0, 15, 25))) == [10, 20]


def test_lanes_of_other_ranks_and_other_lanes_are_not_in_the_way() -> None:
    """Ranks 0 and 1 have lanes 3 and 4; nothing waits."""
    runs = [Run(rank, lane, 5, 5 + 10 * rank + lane) for rank in (0, 1, 2) for lane in (3, 4, 5)]
    assert ends(tasks(*runs)) == [10 * run.rank + run.lane for run in runs]


def test_tasks_of_no_core_are_not_in_the_way_of_others() -> None:
    assert ends(tasks(Run(0, 0, 0, 10), Run(0, MISSING32, 15, 25))) == [10, 10]


def test_an_edge_is_waited_for() -> None:
    two = Run(0, 0, 0, 10), Run(0, 1, 12, 17)
    assert ends(tasks(*two)) == [10, 5]
    assert ends(tasks(*two, edges=[(0, 1)])) == [10, 15]


def test_delays_stay_where_the_edges_do_not_tell_all() -> None:
    two = Run(0, 0, 3, 10), Run(0, 1, 12, 17)
    assert ends(tasks(*two, edges=[(0, 1)], ordered=False)) == [10, 17]
    graph = job_graph(tasks(*two, edges=[(0, 1)], ordered=False))
    assert graph.ends(graph.length * 2).tolist() == [17, 29]


def test_parts_of_a_collective_transfer_when_all_are_there() -> None:
    """Rank 0 comes at 10 and rank 1 at 30; the transfer takes 5, on rank 1 6."""
    runs = Run(0, 0, 0, 10), Run(0, 0, 10, 35, 4), Run(1, 0, 0, 30), Run(1, 0, 30, 36, 4)
    graph = job_graph(tasks(*runs))
    assert graph.length.tolist() == [10, 5, 30, 6]
    assert graph.ends(graph.length).tolist() == [10, 35, 30, 36]
    assert graph.ends(np.array([10, 5, 20, 6])).tolist() == [10, 25, 20, 26]
    assert graph.step_times(np.array([10, 5, 20, 6])).tolist() == [26]


def test_a_sender_that_was_done_before_its_receiver_came_did_not_wait() -> None:
    runs = Run(0, 0, 0, 10, 2, sends=True), Run(1, 0, 40, 50, 2)
    assert job_graph(tasks(*runs)).length.tolist() == [10, 10]
    waited = Run(0, 0, 0, 45, 2, sends=True), Run(1, 0, 40, 50, 2)
    assert job_graph(tasks(*waited)).length.tolist() == [5, 10]


@pytest.mark.parametrize(("early", "length"), [(9_999_999, -9_999_999), (10_000_000, 0)])
def test_a_part_that_ended_10_ms_before_the_last_came_did_not_wait(early: int, length: int) -> None:
    runs = Run(0, 0, 0, 10, 2), Run(1, 0, 10 + early, 20 + early, 2)
    assert job_graph(tasks(*runs)).length.tolist() == [length, 10]


def test_an_edge_that_the_recording_contradicts_is_left_out_and_counted() -> None:
    two = Run(0, 0, 0, 10), Run(0, 1, 20, 30)
    graph = job_graph(tasks(*two, edges=[(0, 1), (1, 0)]))
    assert graph.contradicted == 1
    assert graph.ends(graph.length).tolist() == [10, 20]
    assert job_graph(tasks(*two, edges=[(0, 1)])).contradicted == 0


def test_a_circle_that_times_do_not_break_is_one_sentence() -> None:
    two = Run(0, 0, 5, 10), Run(0, 1, 5, 30)
    with pytest.raises(
        LanescopeError, match="step 7 cannot be replayed: tasks wait for each other"
    ):
        job_graph(tasks(*two, edges=[(0, 1), (1, 0)]))


@pytest.mark.parametrize("many", [0, 1 << 20])
def test_stretches_are_replayed_by_one_thread_or_by_several(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_graph, "_MANY", many)
    two = tasks(Run(0, 0, 0, 10), Run(0, 0, 0, 25))
    apart = replace(
        two, steps=np.array([7, 8]), first=np.array([0, 1, 2]), stretches=np.array([0, 1, 2])
    )
    assert ends(apart) == [10, 25]
