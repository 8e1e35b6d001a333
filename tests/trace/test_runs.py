"""Several runs or ranks in one trace: merged, cut apart again, stored, and traces of old."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.analyze.hand import make_trace, phase, task
from tests.formats.simpler.runs import hosted_today, read, rows, today

from lanescope.errors import UsageError
from lanescope.trace import MISSING, Trace, load, save
from lanescope.trace.join import TaskKey, join, places
from lanescope.trace.merge import Part, merge
from lanescope.trace.run_parts import longest_run, run_name, single_runs
from lanescope.trace.task_names import task_text


@pytest.fixture
def two(tmp_path: Path) -> Trace:
    return read(tmp_path / "two", records=today())


def test_tasks_of_two_runs_are_distinct_and_keep_their_ids(two: Trace) -> None:
    assert rows(two, "tasks", "core", "run", "token", "task", "id") == [
        (0, 0, 0, 0, 7),
        (0, 1, 0, 2, 7),
        (1, 0, 0, 1, (1 << 32) + 8),
        (1, 1, 0, 3, (1 << 32) + 8),
    ]
    assert rows(two, "runs", "run", "epoch", "start_ns", "end_ns") == [
        (0, 0, 0, 5200),
        (1, 5, 20_000, 25_600),
    ]
    assert [task_text(two, task) for task in (0, 3)] == ["r0t7 of run 0", "r1t8 of run 5"]


def test_a_run_of_its_own_has_what_belongs_to_it(two: Trace) -> None:
    first, second = single_runs(two)
    assert [run_name(one, 0) for one in (first, second)] == ["run 0", "run 5"]
    assert rows(second, "tasks", "start_ns") == [(21_000,), (24_000,)]
    assert rows(second, "phases", "lane", "controller", "start_ns") == [
        ("scheduler", 0, 20_600),
        ("orchestrator", 0, 20_000),
    ]
    assert len(longest_run(two).tasks) == 2
    assert longest_run(two).runs["epoch"].tolist() == [5]
    assert two.select(run=0).tasks["run"].tolist() == [0, 0]
    assert two.select(run="0-5", since=0).runs["epoch"].tolist() == [0, 5]


@pytest.mark.parametrize(
    ("limit", "problem"),
    [
        ({"run": 4}, "no run 4 in two; it has 0, 5"),
        ({"rank": 0}, "no rank 0 in two; its source does not tell ranks apart"),
        ({"run": "x"}, "expected run numbers like 0,4-7, found 'x'"),
    ],
)
def test_a_run_that_is_not_there(tmp_path: Path, limit: dict[str, object], problem: str) -> None:
    trace = read(tmp_path / "two", records=today())
    with pytest.raises(UsageError) as caught:
        trace.select(**limit)  # type: ignore[arg-type]
    assert str(caught.value) == problem


def test_ranks_have_cores_controllers_and_functions_of_their_own(tmp_path: Path) -> None:
    names = {"callable_id_to_name": {"0": "QK"}}
    others = {"callable_id_to_name": {"0": "PV"}}
    one = read(tmp_path / "a", records=hosted_today(), name_map_x=names)
    two = read(tmp_path / "b", records=hosted_today(), name_map_x=others)
    both = merge("job", [Part(trace=one, rank=0), Part(trace=two, rank=3, shift_ns=100)])
    assert rows(both, "cores", "core", "name", "rank")[3:] == [
        (3, "rank 3 aic 0", 3),
        (4, "rank 3 aiv 1", 3),
        (5, "rank 3 aiv 2", 3),
    ]
    assert both.text("functions", "name") == ["QK", "PV"]
    lanes = set(both.text("controllers", "name"))
    assert {"rank 0 Scheduler_2", "rank 3 Scheduler_2", "rank 3 host 0"} <= lanes
    shift = both.tasks["start_ns"][2:] - one.tasks["start_ns"]
    assert shift.tolist() == [100, 100]
    lane = {entry.lane for entry in both.meta.ledger}
    assert {"core 0", "core 3", "rank 3 scheduler 3"} <= lane
    assert both.select(rank=3).cores["core"].tolist() == [3, 4, 5]


def test_runs_are_part_of_a_key_where_both_sides_have_them() -> None:
    core, token = np.array([0, 0, 1]), np.array([5, 5, 5])
    left = TaskKey(core, token, np.array([0, 1, 0], np.int32))
    right = TaskKey(core[::-1], token, np.array([0, 1, 0], np.int32))
    joined = join(left, right)
    assert not joined.duplicate.any()
    assert joined.left.tolist() == [0, 1, 2] and joined.right.tolist() == [2, 1, 0]
    assert places(left, TaskKey(core[:1], token[:1])).tolist() == [0]
    far = TaskKey(core + (1 << 22), token, np.array([0, 900, 7], np.int32))
    assert places(far, far).tolist() == [0, 1, 2]


def test_a_trace_of_0_1_has_no_runs(two: Trace, tmp_path: Path) -> None:
    """Tables and columns that 0.2.0 added are missing in older traces."""
    path = save(two.select(run=0), tmp_path / "old.lanes")
    (path / "checksums.json").unlink()
    for name in ("runs", "controllers"):
        (path / f"{name}.parquet").unlink()
    tasks = pq.read_table(path / "tasks.parquet")
    pq.write_table(tasks.drop_columns(["run", "id"]), path / "tasks.parquet")
    again = load(path)
    assert len(again.runs) == 0 and len(again.tasks) == 2
    assert (again.tasks["id"] == MISSING).all()


def test_launches_of_two_parts_are_different() -> None:
    parts = [
        make_trace(tasks=[task(0, None, None, 10, 20, None, task=k, launch=k) for k in range(2)])
        for _ in range(2)
    ]
    both = merge("job", [Part(trace=one, rank=k) for k, one in enumerate(parts)])
    assert both.tasks["launch"].tolist() == [0, 1, 2, 3]


def test_phases_of_no_run_go_with_the_run_whose_time_they_touch() -> None:
    """The last run has no times, so nothing lies beside it."""
    trace = make_trace(
        tasks=[task(0, None, None, 10 * k, 10 * k + 5, None, task=k, run=k) for k in range(3)],
        phases=[phase("poll", 1, 2), phase("poll", 5, 10), phase("poll", 16, 30)],
        runs=[
            {"run": 0, "start_ns": 0, "end_ns": 5},
            {"run": 1, "start_ns": 10, "end_ns": 15},
            {"run": 2},
        ],
        cores=[{"core": 0}],
    )
    starts = [one.phases["start_ns"].tolist() for one in single_runs(trace)]
    assert starts == [[1, 5], [5], []]
