"""Graphs on real threads: order, cancelling, refusals."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.native import library
from lanescope.platforms.threads.machine import ThreadMachine, parse_cores, run_graph
from lanescope.workloads import GraphBuilder, TaskGraph, WorkKind, build_workload

CORES = ("aic", "aiv", "aiv")
CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p
)


@cache
def clock_hz() -> int:
    return int(library().ls_native_clock_hz())


def calling(
    graph: TaskGraph, machine: ThreadMachine, call: Callable[[int, int, int], None]
) -> list[int]:
    """Run the graph, each task being a call of (task, func, core); the tasks in that order."""
    order: list[int] = []

    def called(task: int, func: int, core: int, _user: int | None) -> None:
        order.append(task)
        call(task, func, core)

    function = CALLBACK(called)
    address = ctypes.cast(function, ctypes.c_void_p).value
    run_graph(graph, machine, clock_hz=clock_hz(), callback=address)
    return order


def callbacks(name: str, settings: dict[str, str]) -> TaskGraph:
    graph = build_workload(name, settings)
    graph.work[:] = WorkKind.CALLBACK
    return graph


@pytest.mark.parametrize("name", ["chain", "fan", "paged_attention", "random_dag"])
def test_every_workload_runs_to_its_end(name: str) -> None:
    graph = build_workload(name, {})
    result = run_graph(graph, ThreadMachine(CORES), clock_hz=clock_hz())
    assert result.tasks_done == sum(result.tasks_per_core) == len(graph)
    assert result.makespan_ns >= int(graph.amount.sum()) / len(CORES)
    assert result.end_cycles > result.start_cycles


@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
@pytest.mark.parametrize("schedulers", [1, 2, 3])
def test_a_task_runs_once_and_after_its_predecessors(pre_dispatch: int, schedulers: int) -> None:
    graph = callbacks("random_dag", {"tasks": "400"})
    cores: dict[int, int] = {}
    funcs: dict[int, int] = {}

    def note(task: int, func: int, core: int) -> None:
        cores[task], funcs[task] = core, func

    machine = ThreadMachine(CORES, schedulers=schedulers, pre_dispatch=pre_dispatch)
    order = calling(graph, machine, note)
    assert sorted(order) == list(range(400))
    place = np.argsort(order)
    assert np.all(place[graph.pred] < place[graph.succ])
    assert [CORES[cores[task]] for task in range(400)] == [graph.kinds[k] for k in graph.kind]
    assert [funcs[task] for task in range(400)] == graph.func.tolist()


@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
def test_a_busy_core_is_given_no_more_than_it_may_hold(pre_dispatch: int) -> None:
    """Task 1 keeps its core busy until all tasks but those waiting at that core are done."""
    graph = callbacks("fan", {"width": "20"})
    cores: dict[int, int] = {}
    others_done = threading.Event()

    def call(task: int, _func: int, core: int) -> None:
        cores[task] = core
        if len(cores) == 1 + 20 - pre_dispatch:
            others_done.set()
        if task == 1:
            assert others_done.wait(20)

    order = calling(graph, ThreadMachine(("aiv", "aiv"), pre_dispatch=pre_dispatch), call)
    after = order[21 - pre_dispatch : 21]
    assert [cores[task] for task in after] == [cores[1]] * pre_dispatch


def test_all_kinds_of_work_run() -> None:
    builder = GraphBuilder("mixed")
    builder.task("NONE")
    builder.task("SPIN", spin_ns=1000)
    builder.task("COPY", work=WorkKind.COPY, amount=3_000_001)
    builder.task("MATMUL", work=WorkKind.MATMUL, amount=17)
    graph = builder.graph()
    assert run_graph(graph, ThreadMachine(("aiv",), pin=True), clock_hz=clock_hz()).tasks_done == 4


def test_an_empty_graph_takes_no_task() -> None:
    graph = GraphBuilder("empty").graph()
    assert run_graph(graph, ThreadMachine(CORES), clock_hz=clock_hz()).tasks_per_core == (0, 0, 0)


def test_schedulers_say_how_long_they_were_busy() -> None:
    graph = build_workload("fan", {"width": "50"})
    machine = ThreadMachine(CORES, schedulers=2)
    result = run_graph(graph, machine, clock_hz=clock_hz(), time_schedulers=True)
    assert len(result.scheduler_busy_ns) == 2
    assert 0 < sum(result.scheduler_busy_ns) < 2 * result.makespan_ns


def test_a_cycle_is_refused_before_anything_runs() -> None:
    builder = GraphBuilder("ring")
    builder.task("A")
    builder.task("B", after=[0, 2])
    builder.task("C", after=[1])
    with pytest.raises(UsageError, match="ring can never finish: tasks 1, 2 wait for each other"):
        run_graph(builder.graph(), ThreadMachine(("aiv",)), clock_hz=clock_hz())


def test_cancelling_lets_dispatched_tasks_finish_and_stops() -> None:
    graph = callbacks("chain", {"tasks": "100"})
    cancel = np.zeros(1, np.uint64)

    def called(task: int, _func: int, _core: int, _user: int | None) -> None:
        if task == 5:
            cancel[0] = 1

    function = CALLBACK(called)
    address = ctypes.cast(function, ctypes.c_void_p).value
    result = run_graph(
        graph, ThreadMachine(CORES), clock_hz=clock_hz(), callback=address, cancel=cancel
    )
    assert result.tasks_done == 6
    assert result.end_cycles > result.start_cycles


def test_another_thread_can_cancel() -> None:
    graph = build_workload("chain", {"tasks": "20000", "spin_ns": "200000"})
    cancel = np.zeros(1, np.uint64)
    timer = threading.Timer(0.1, cancel.fill, [1])
    timer.start()
    result = run_graph(
        graph, ThreadMachine(CORES, schedulers=2), clock_hz=clock_hz(), cancel=cancel
    )
    timer.join()
    assert 0 < result.tasks_done < len(graph)


def test_other_python_threads_go_on_during_a_run() -> None:
    graph = build_workload("chain", {"tasks": "1000", "spin_ns": "200000"})
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    run_graph(graph, ThreadMachine(("aiv",)), clock_hz=clock_hz())
    after = ticks
    done.set()
    thread.join()
    assert after - before > 10


def test_cores_are_parsed_in_order() -> None:
    assert parse_cores("aic=1, aiv=2") == ("aic", "aiv", "aiv")


@pytest.mark.parametrize("text", ["", "aic", "aic=", "=2", "aic=0", "aic=-1", "aic=1,", "aic=x"])
def test_cores_that_are_not_kind_and_count_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="cores are written KIND=COUNT, for example aic=1,aiv=2"):
        parse_cores(text)
