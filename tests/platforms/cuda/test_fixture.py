"""A graph's region recorded on an NVIDIA H200 (make_fixture.py), taken apart without one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.device.older import read_fixture

from lanescope.analyze.inside.pipes import inside
from lanescope.capture.directory import PLAN, REGION, SessionNote, make_directory
from lanescope.capture.rebuild import recover
from lanescope.platforms.recording import plan_of
from lanescope.trace import Trace, save
from lanescope.workloads import build_workload

FIXTURE = Path(__file__).with_name("h200.region.xz")
CORES, TASKS = 3, 48
GRAPH = build_workload("random_dag", {"tasks": str(TASKS)})


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    directory = tmp_path_factory.mktemp("gpu") / "h200.capture"
    make_directory(directory, SessionNote("fixture", "NVIDIA H200"))
    (directory / REGION).write_bytes(read_fixture(FIXTURE).tobytes())
    save(plan_of(GRAPH), directory / PLAN)
    return recover(directory).trace


def test_the_file_is_small() -> None:
    assert FIXTURE.stat().st_size < 30_000


def test_every_record_is_there_and_joined(trace: Trace) -> None:
    assert np.array_equal(np.sort(trace.tasks["task"]), np.arange(TASKS))
    assert np.all(trace.tasks["flags"] == 0)
    assert np.array_equal(trace.tasks["func"], GRAPH.func[trace.tasks["task"]])
    assert all(entry.closes and not entry.dropped for entry in trace.meta.ledger)
    kinds = {entry.kind for entry in trace.meta.ledger}
    assert kinds == {
        *("core_task", "controller_task", "scheduler_phase", "orchestrator_phase", "slice")
    }


def test_a_task_goes_through_its_moments_in_order(trace: Trace) -> None:
    moments = ("dispatch", "receive", "start", "end", "finish")
    times = np.stack([trace.tasks[f"{moment}_ns"] for moment in moments])
    assert np.all(np.diff(times, axis=0) >= 0)
    order = np.argsort(trace.tasks["task"])
    start, end = trace.tasks["start_ns"][order], trace.tasks["end_ns"][order]
    assert np.all(start[GRAPH.succ] > end[GRAPH.pred])


def test_phases_have_their_names(trace: Trace) -> None:
    kinds = {trace.word(code) for code in trace.phases["kind"].tolist()}
    assert kinds == {"complete", "resolve", "dispatch", "submit"}
    assert np.all(trace.phases["end_ns"] >= trace.phases["start_ns"])


def test_each_role_of_a_worker_marks_its_tasks(trace: Trace) -> None:
    assert len(trace.marks) == 3 * TASKS
    pipes = [trace.word(code) for code in trace.marks["pipe"].tolist()]
    assert {pipe: pipes.count(pipe) for pipe in pipes} == dict.fromkeys(
        ("load", "compute", "store"), TASKS
    )
    assert {trace.word(code) for code in trace.marks["name"].tolist()} == {"busy"}
    assert np.array_equal(trace.marks["mark"], GRAPH.func[trace.marks["task"]])
    place = np.empty(TASKS, np.int64)
    place[trace.tasks["task"]] = np.arange(TASKS)
    row = place[trace.marks["task"]]
    assert np.array_equal(trace.tasks["token"][row], trace.marks["token"])
    assert np.all(trace.tasks["start_ns"][row] <= trace.marks["start_ns"])
    assert np.all(trace.marks["end_ns"] <= trace.tasks["end_ns"][row])


def test_the_report_says_what_bounds_a_task(trace: Trace) -> None:
    found = inside(trace)
    assert {row.name: row.bound for row in found.rows} == {"MATRIX": "compute", "VECTOR": "compute"}
    assert found.marks_without_task == found.tasks_without == 0
    for row in found.rows:
        assert [pipe.pipe for pipe in row.pipes] == ["load", "compute", "store"]
        assert 0 < sum(pipe.busy_ns for pipe in row.pipes) < row.total_ns


def test_each_core_was_on_an_sm_of_its_own(trace: Trace) -> None:
    assert len(np.unique(trace.cores["cluster"])) == CORES
    assert {trace.word(code) for code in trace.cores["kind"].tolist()} == {"sm"}
