"""The C code on its own: jobs that it must refuse or give up, and threads it cannot start."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from lanescope.device.layouts import constant
from lanescope.platforms.threads.job import ThreadsJob, pack_graph, pack_kinds
from lanescope.workloads import GraphBuilder, TaskGraph, WorkKind, build_workload


def packed(graph: TaskGraph, cores: tuple[str, ...]) -> ThreadsJob:
    job = ThreadsJob()
    pack_graph(job, graph)
    pack_kinds(job, graph, cores)
    job.set({"scheduler_count": 1, "clock_hz": 10**9})
    return job


def test_a_cycle_ends_the_run_when_nothing_else_is_left() -> None:
    builder = GraphBuilder("ring")
    builder.task("A")
    builder.task("B", after=[0, 2])
    builder.task("C", after=[1])
    job = packed(builder.graph(), ("aiv", "aiv"))
    job.set({"scheduler_count": 2})
    assert job.run() == constant("LS_THREADS_STUCK")
    assert job.output("tasks_done") == 1


def test_a_job_that_makes_no_sense_is_not_run() -> None:
    graph = build_workload("chain", {"tasks": "3"})
    wrong = [
        {"core_count": 0},
        {"scheduler_count": 2},
        {"pre_dispatch": 3},
        {"kind_count": 0},
        {"clock_hz": 0},
        {"func": 0},
    ]
    for fields in wrong:
        job = packed(graph, ("aiv",))
        job.set(fields)
        assert job.run() == constant("LS_THREADS_BAD_JOB"), fields


@pytest.mark.parametrize(
    ("array", "values"),
    [
        ("kind", [0, 1, 0]),
        ("kind", [0, -1, 0]),
        ("work", [9, 0, 0]),
        ("work", [WorkKind.CALLBACK, 0, 0]),
        ("predecessors", [0, 1, 2]),
        ("successor_offsets", [0, 1, 0, 2]),
        ("successor_offsets", [1, 1, 2, 2]),
        ("successors", [1, 3]),
    ],
)
def test_arrays_that_lead_nowhere_are_not_followed(array: str, values: list[int]) -> None:
    job = packed(build_workload("chain", {"tasks": "3"}), ("aiv",))
    kinds = {"work": np.uint32, "kind": np.int32, "predecessors": np.int32}
    job.give(array, np.array(values), kinds.get(array, np.int64))
    assert job.run() == constant("LS_THREADS_BAD_JOB")


THREADLESS = """
import resource
from lanescope.errors import LanescopeError
from lanescope.platforms.threads import ThreadMachine, run_graph
from lanescope.workloads import build_workload
graph = build_workload("chain", {"tasks": "10"})
run_graph(graph, ThreadMachine(("aiv",)), clock_hz=10**9)
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (400 << 20),) * 2)
try:
    run_graph(graph, ThreadMachine(("aiv",) * 500), clock_hz=10**9)
except LanescopeError as error:
    print(error)
print(run_graph(graph, ThreadMachine(("aiv",)), clock_hz=10**9).tasks_done)
"""


def test_threads_that_cannot_start_stop_the_others() -> None:
    done = subprocess.run(
        [sys.executable, "-c", THREADLESS], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.splitlines() == [
        "the system could not start 502 threads; use fewer cores",
        "10",
    ], done.stderr
