"""Tasks of all ranks by step: stretches, parts of collectives, notes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, trace_of

import lanescope
from lanescope.jobs.job import open_job
from lanescope.jobs.job_tasks import (
    CollectiveParts,
    JobTasks,
    _communicates,
    _notes,
    _step_of,
    _stretches,
    job_tasks,
    small,
)
from lanescope.jobs.replay_graph import job_graph
from lanescope.jobs.steps import COUNTED, MARKED, WHOLE
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Table
from lanescope.trace.trace import Trace


def tasks_of(folder: Path, *ranks: Made) -> JobTasks:
    for number, made in enumerate(ranks):
        lanescope.save(trace_of(number, made), folder / "a.job" / f"rank{number}.lanes")
    return job_tasks(open_job(folder / "a.job", workers=0))


MS = 1_000_000


def rank(late: int) -> Made:
    """Two steps with a kernel before a collective of 2 ms, and a kernel after both steps."""
    rows, work, steps = [], [], []
    for k in range(2):
        at = 10 * MS * k
        work.append((at, at + MS + late))
        rows.append(Row(k, at + MS + late, at + 4 * MS))
        steps.append((k + 5, at, at + 5 * MS))
    return Made(rows, [*work, (90 * MS, 91 * MS)], steps)


def test_tasks_are_by_step_rank_lane_and_start(tmp_path: Path) -> None:
    found = tasks_of(tmp_path, rank(0), rank(MS))
    assert (found.steps.tolist(), found.first.tolist()) == ([5, 6], [0, 4, 8])
    assert found.stretches.tolist() == [0, 1, 2]
    assert found.rank.tolist() == [0, 0, 1, 1] * 2
    assert found.lane.tolist() == [0, 1] * 4
    assert found.step.tolist() == [0] * 4 + [1] * 4
    ends = [MS, 4 * MS, 2 * MS, 4 * MS]
    np.testing.assert_allclose(found.start, [0, MS, 0, 2 * MS] * 2, atol=3)
    np.testing.assert_allclose(found.end, ends * 2, atol=3)
    assert [found.functions[k] for k in found.function[:4]] == ["gemm", "reduce"] * 2
    assert found.communicates.tolist() == [False, True, False]
    assert found.parts.collective.tolist() == [-1, 0, -1, 0, -1, 1, -1, 1]
    assert found.parts.waited_for.tolist() == found.parts.waits.tolist() == [False, True] * 4
    assert not found.parts.sends.any()
    assert not found.ordered
    assert found.notes[0] == "2 tasks lie in no step and were left out."
    np.testing.assert_allclose(found.step_times(found.end), [4 * MS] * 2, atol=3)


def test_edges_of_tasks_in_no_step_are_left_out(tmp_path: Path) -> None:
    """The first task runs before the step, the other two in it."""
    work = [(0, MS), (10 * MS, 11 * MS), (12 * MS, 13 * MS)]
    trace = trace_of(0, Made([], work, [(0, 10 * MS, 20 * MS)]))
    edges = {"pred": np.array([0, 1]), "succ": np.array([1, 2])}
    linked = Trace(
        meta=trace.meta,
        words=trace.words,
        edges=Table.build("edges", edges),
        **{name: trace.table(name) for name in ("tasks", "cores", "functions", "steps")},
    )
    lanescope.save(linked, tmp_path / "a.job" / "rank0.lanes")
    found = job_tasks(open_job(tmp_path / "a.job", workers=0))
    assert (found.before.tolist(), found.after.tolist()) == ([0], [1])
    assert found.notes[0] == "1 task lies in no step and was left out."


def test_a_part_of_a_collective_is_as_long_as_its_transfer(tmp_path: Path) -> None:
    found = tasks_of(tmp_path, rank(0), rank(MS))
    graph = job_graph(found)
    np.testing.assert_allclose(graph.length, [MS, 2 * MS, 2 * MS, 2 * MS] * 2, atol=6)
    assert graph.contradicted == 0
    np.testing.assert_allclose(graph.step_times(graph.length), [4 * MS] * 2, atol=6)
    shorter = graph.length.copy()
    shorter[found.parts.waits] = MS
    np.testing.assert_allclose(graph.step_times(shorter), [3 * MS] * 2, atol=6)


def test_a_message_waits_and_its_sender_may_leave(tmp_path: Path) -> None:
    """The receiver comes 1 ms after the sender, which has ended by then."""
    sent = Row(0, 3 * MS, 3 * MS + 500_000, kind="send", source=0, target=1, group="p")
    got = Row(0, 4 * MS, 5 * MS, kind="recv", source=0, target=1, group="p")
    meet = [Row(k, 20 * MS + k * MS, 20 * MS + k * MS + 1_000) for k in range(5)]
    steps = [(0, 0, 30 * MS)]
    found = tasks_of(tmp_path, Made([sent, *meet], [], steps), Made([got, *meet], [], steps))
    sends = np.flatnonzero(found.parts.sends)
    assert [(int(found.rank[k]), round(int(found.end[k] - found.start[k]), -3)) for k in sends] == [
        (0, 500_000)
    ]
    lengths = job_graph(found).length
    assert round(int(lengths[sends[0]]), -3) == 500_000


def test_stretches_begin_where_everything_before_has_ended() -> None:
    first = np.array([0, 2, 3, 5])
    start, end = np.array([0, 5, 9, 20, 21]), np.array([4, 10, 12, 30, 22])
    assert _stretches(start, end, first).tolist() == [0, 2, 3]
    touching = np.array([4, 12, 12, 30, 22])
    assert _stretches(np.array([0, 5, 12, 20, 21]), touching, first).tolist() == [0, 1, 2, 3]
    nothing = np.zeros(0, np.int64)
    assert _stretches(nothing, nothing, np.zeros(1, np.int64)).tolist() == [0]


def test_a_step_lasts_until_the_next_one_begins_and_the_last_to_its_end() -> None:
    nan = np.nan
    steps: Any = SimpleNamespace(
        start=np.array([[20.0, 0.0, nan], [nan, nan, nan]]),
        end=np.array([[30.0, 10.0, nan], [nan, nan, nan]]),
    )
    start = np.array([-1, 0, 15, 20, 30, 31, 5])
    assert _step_of(steps, start, np.array([0, 6, 7])).tolist() == [-1, 1, 1, 0, 0, -1, -1]


def test_a_function_communicates_as_its_source_says_or_as_it_is_seen() -> None:
    names = [("a", "communication"), ("b", "compute"), ("c", ""), ("d", "")]
    none = np.zeros(0, bool)
    parts = CollectiveParts(np.array([0, -1, 3, 0]), none, none, none)
    found = _communicates(names, np.array([1, 3, 2, 2]), parts)
    assert found.tolist() == [True, False, True, False]
    first = CollectiveParts(np.array([0]), none, none, none)
    assert _communicates(names, np.array([2]), first).tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    ("basis", "collectives", "left_out", "ordered", "starts"),
    [
        (MARKED, 0, 0, True, []),
        (MARKED, 1_000, 0, True,
         ["1,000 collectives could not be compared; nobody waits for others in them."]),
        (MARKED, 1, 1, True,
         ["1 collective could not be compared; nobody waits for others in it.",
          "1 task lies in no step and was left out."]),
        (COUNTED, 0, 0, True, ["No rank marks its steps; a step lasts from one operation"]),
        (WHOLE, 0, 7, True, ["No rank marks its steps; the whole recording is one step.",
                             "7 tasks lie in no step and were left out."]),
        (MARKED, 0, 0, False, ["The traces do not tell all that a task waits for"]),
    ],
)  # fmt: skip
def test_what_is_left_out_is_told(
    basis: str, collectives: int, left_out: int, ordered: bool, starts: list[str]
) -> None:
    steps: Any = SimpleNamespace(basis=basis)
    notes = _notes(steps, collectives, left_out, ordered=ordered)
    assert len(notes) == len(starts)
    assert all(note.startswith(start) for note, start in zip(notes, starts, strict=True))


def test_numbers_are_kept_in_16_bits_where_they_fit() -> None:
    assert small(np.array([0, 65_535])).dtype == np.uint16
    assert small(np.array([0, 65_536])).tolist() == [0, 65_536]


def test_who_waits_and_who_is_waited_for_depends_on_the_kind(tmp_path: Path) -> None:
    """Rank 1 is the root; of the last broadcast nobody knows the root."""

    def rows(place: int) -> list[Row]:
        kinds = [("all_reduce", 1), ("broadcast", 1), ("reduce", 1), ("broadcast", MISSING32)]
        return [
            Row(k, MS * k + 1_000 * place, MS * k + 100_000, kind=kind, source=root)
            for k, (kind, root) in enumerate(kinds)
        ]

    made = [Made(rows(place), [], [(0, 0, 30 * MS)]) for place in range(2)]
    found = tasks_of(tmp_path, *made)
    parts = found.parts
    assert found.rank.tolist() == [0] * 4 + [1] * 4
    assert (parts.collective >= 0).tolist() == [True, True, True, False] * 2
    assert parts.waited_for.tolist() == [True, False, True, False, True, True, True, False]
    assert parts.waits.tolist() == [True, True, False, False, True, True, True, False]
    assert not parts.sends.any()


def test_a_step_begins_where_the_one_before_it_in_its_stretch_ended() -> None:
    """The second of three steps has ended when the first one does."""
    tasks: Any = SimpleNamespace(first=np.array([0, 2, 3, 4]), stretches=np.array([0, 2, 3]))
    assert JobTasks.step_times(tasks, np.array([5, 9, 7, 20])).tolist() == [9, 0, 20]
    assert JobTasks.step_times(tasks, np.array([9, 5, 12, 20])).tolist() == [9, 3, 20]
    assert JobTasks.step_times(tasks, np.zeros(0, np.int64)).tolist() == []
