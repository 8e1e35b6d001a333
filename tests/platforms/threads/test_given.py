"""What C is given of a run on threads, and what its answers become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from lanescope.device.layouts import constant, layout
from lanescope.errors import LanescopeError, UsageError
from lanescope.native import Array
from lanescope.platforms.threads import machine as machines
from lanescope.platforms.threads.job import ThreadsJob, pack_graph, pack_kinds
from lanescope.platforms.threads.machine import (
    RunResult,
    ThreadMachine,
    _raise_problem,
    parse_cores,
    run_graph,
)
from lanescope.workloads import GraphBuilder, TaskGraph, WorkKind, build_workload

MACHINE = ThreadMachine(("aiv", "aic", "aiv"), schedulers=2, pre_dispatch=2, pin=True)


class Told(ThreadsJob):
    """Runs nothing; notes what it was given."""

    last: Told

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, int] = {}
        self.arrays: dict[str, Array] = {}
        type(self).last = self

    def set(self, fields: Mapping[str, int]) -> None:
        super().set(fields)
        self.fields |= fields

    def point(self, name: str, values: Array) -> None:
        super().point(name, values)
        self.arrays[name] = values

    def run(self) -> int:
        for name, value in (("core_tasks_done", [1, 2, 3]), ("scheduler_busy_cycles", [7, 14])):
            if name in self.arrays:
                self.arrays[name][:] = value
        return 0

    def output(self, name: str) -> int:
        return {"start_cycles": 1000, "end_cycles": 1701, "tasks_done": 6}[name]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> type[Told]:
    monkeypatch.setattr(machines, "ThreadsJob", Told)
    return Told


def graph() -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("A", kind="aic", spin_ns=5)
    builder.task("B", kind="aiv", work=WorkKind.COPY, amount=1 << 33, after=[0])
    builder.task("A", kind="aic", after=[0, 1])
    return builder.graph()


USUAL = {
    "task_count": 3,
    "kind_count": 2,
    "core_count": 3,
    "region": 0,
    "scheduler_count": 2,
    "pre_dispatch": 2,
    "pin": True,
    "func_in_task": False,
    "callback": 0,
    "clock_hz": 7 * 10**8,
}


def test_a_run_records_nothing_and_calls_nobody_unless_asked_to(told: type[Told]) -> None:
    result = run_graph(graph(), MACHINE, clock_hz=7 * 10**8)
    assert told.last.fields == USUAL
    assert not {"cancel", "scheduler_busy_cycles"} & told.last.arrays.keys()
    assert result == RunResult(
        start_cycles=1000,
        end_cycles=1701,
        makespan_ns=701 * 10 // 7,
        tasks_done=6,
        tasks_per_core=(1, 2, 3),
        scheduler_busy_ns=(),
    )


def test_what_was_asked_for_is_told(told: type[Told]) -> None:
    cancel = np.zeros(1, np.uint64)
    result = run_graph(
        graph(),
        MACHINE,
        clock_hz=7 * 10**8,
        region_address=1 << 40,
        func_in_task=True,
        callback=99,
        cancel=cancel,
        time_schedulers=True,
    )
    asked = {"region": 1 << 40, "func_in_task": True, "callback": 99}
    assert told.last.fields == USUAL | asked
    assert told.last.arrays["cancel"] is cancel
    assert result.scheduler_busy_ns == (10, 20)


def test_tasks_edges_and_kinds_become_arrays() -> None:
    job = Told()
    pack_graph(job, graph())
    pack_kinds(job, graph(), ("aiv", "sm", "aic"))
    assert job.fields == {"task_count": 3, "kind_count": 3, "core_count": 3}
    found = {name: (values.dtype.name, values.tolist()) for name, values in job.arrays.items()}
    assert found == {
        "func": ("uint32", [0, 1, 0]),
        "work": ("uint32", [WorkKind.SPIN, WorkKind.COPY, WorkKind.NONE]),
        "amount": ("uint64", [5, 1 << 33, 0]),
        "successor_offsets": ("int64", [0, 2, 3, 3]),
        "successors": ("int64", [1, 2, 2]),
        "predecessors": ("int32", [0, 1, 2]),
        "kind": ("int32", [0, 1, 0]),
        "core_kinds": ("int32", [1, 2, 0]),
    }
    for name, values in job.arrays.items():
        assert ThreadsJob.output(job, name) == values.ctypes.data
    assert job._record.dtype == layout("ls_threads_job")


def test_a_given_array_is_a_copy_and_one_that_is_pointed_to_is_not() -> None:
    job, values = Told(), np.arange(3)
    job.give("func", values, np.uint32)
    job.point("core_tasks_done", values)
    assert job.arrays["func"] is not values and job.arrays["core_tasks_done"] is values


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("LS_THREADS_NO_MEMORY", MemoryError, "no memory to run g"),
        (
            "LS_THREADS_BAD_REGION",
            UsageError,
            "the region was made for another machine than 3 cores, 2 schedulers and pre-dispatch 2",
        ),
        (
            "LS_THREADS_NO_THREAD",
            LanescopeError,
            "the system could not start 6 threads; use fewer cores",
        ),
        ("LS_THREADS_STUCK", LanescopeError, "g can never finish: its edges form a cycle"),
        ("LS_THREADS_BAD_JOB", LanescopeError, "the thread platform refused to run g (code {})"),
    ],
)
def test_every_problem_has_its_error(name: str, error: type[Exception], sentence: str) -> None:
    code = constant(name)
    with pytest.raises(error) as raised:
        _raise_problem(code, graph(), MACHINE)
    assert type(raised.value) is error
    assert str(raised.value) == sentence.format(code)
    _raise_problem(constant("LS_THREADS_OK"), graph(), MACHINE)


def test_a_region_for_another_machine_tells_the_machine_of_one_core() -> None:
    with pytest.raises(UsageError, match=r"than 1 core, 1 scheduler and pre-dispatch 1$"):
        _raise_problem(constant("LS_THREADS_BAD_REGION"), graph(), ThreadMachine(("aic",)))


# ---- what is refused -------------------------------------------------------------------------


def refusal(graph: TaskGraph, machine: ThreadMachine = MACHINE, **options: Any) -> str:
    with pytest.raises(UsageError) as refused:
        run_graph(graph, machine, clock_hz=1, **options)
    return str(refused.value)


def one(**options: Any) -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("A", **{"kind": "aic", **options})
    return builder.graph()


def test_every_kind_that_the_machine_lacks_is_named() -> None:
    builder = GraphBuilder("g")
    for kind in ("sm", "aiv", "gpu"):
        builder.task("A", kind=kind)
    assert refusal(builder.graph()) == (
        "g needs cores of kind sm, gpu; the machine has aiv=2, aic=1"
    )


@pytest.mark.parametrize(
    "graph",
    [
        one(blocks=2),
        one(partners=1),
        one(wait_ns=1),
        build_workload("mixed", {"rounds": "1"}),
        build_workload("vector", {"tiles": "1", "elements": "4"}),
    ],
)
def test_what_only_chips_run_is_refused(graph: TaskGraph) -> None:
    assert refusal(graph) == (
        f"{graph.name} has tasks made of pipe operations, of several cores or of none, which only "
        "simulated chips run; choose one with --platform"
    )


def test_a_matrix_may_be_as_large_as_the_most_and_no_larger(told: type[Told]) -> None:
    most = constant("LS_MOST_MATMUL_ROWS")
    run_graph(one(work=WorkKind.MATMUL, amount=most), MACHINE, clock_hz=1)
    assert refusal(one(work=WorkKind.MATMUL, amount=most + 1)) == (
        f"a task of g multiplies {most + 1} rows; {most} is the most"
    )
    run_graph(one(work=WorkKind.COPY, amount=most + 1), MACHINE, clock_hz=1)


def test_a_call_needs_a_function(told: type[Told]) -> None:
    calling = one(work=WorkKind.CALLBACK)
    assert refusal(calling) == "g has tasks that call a function, but none was given"
    run_graph(calling, MACHINE, clock_hz=1, callback=1)
    assert told.last.fields["callback"] == 1


@pytest.mark.parametrize(
    "cancel", [np.zeros(2, np.uint64), np.zeros(0, np.uint64), np.zeros(1, np.int64)]
)
def test_a_run_is_cancelled_by_one_word(cancel: Array) -> None:
    assert refusal(one(), cancel=cancel) == (
        f"cancel must be one uint64, not {cancel.size} of {cancel.dtype}"
    )


@pytest.mark.parametrize(
    ("text", "cores"),
    [
        ("aic=1", ("aic",)),
        (" aiv = 2 ,aic=1", ("aiv", "aiv", "aic")),
        ("a=65535,b=1", ("a",) * 65535 + ("b",)),
        ("sm=10", ("sm",) * 10),
    ],
)
def test_cores_are_kinds_and_counts(text: str, cores: tuple[str, ...]) -> None:
    assert parse_cores(text) == cores


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("aic=1, aiv", "cores are written KIND=COUNT, for example aic=1,aiv=2; 'aiv' is not"),
        ("aic=01", "cores are written KIND=COUNT, for example aic=1,aiv=2; 'aic=01' is not"),
        (
            "aic=1234567890",
            "cores are written KIND=COUNT, for example aic=1,aiv=2; 'aic=1234567890' is not",
        ),
        ("a=1,b=1,a=1", "the cores 'a=1,b=1,a=1' name the kind 'a' twice"),
        ("a=65535,b=2", "the cores 'a=65535,b=2' are more than 65536"),
        ("a=123456789", "the cores 'a=123456789' are more than 65536"),
    ],
)
def test_cores_that_cannot_be_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_cores(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"cores": ()}, "a machine needs at least one core"),
        ({"schedulers": 0}, "2 cores need 1 to 2 schedulers, not 0"),
        ({"schedulers": 3}, "2 cores need 1 to 2 schedulers, not 3"),
        ({"cores": ("a",), "schedulers": 2}, "1 core needs 1 scheduler, not 2"),
        ({"pre_dispatch": -1}, "a core can hold 0 to 2 tasks in advance, not -1"),
        ({"pre_dispatch": 3}, "a core can hold 0 to 2 tasks in advance, not 3"),
    ],
)
def test_a_machine_that_cannot_be_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        ThreadMachine(**{"cores": ("a", "b"), **options})
    assert str(refused.value) == sentence


def test_a_machine_may_have_as_many_schedulers_as_cores_and_has_one() -> None:
    ThreadMachine(("a", "b"), schedulers=2, pre_dispatch=2)
    ThreadMachine(("a",), pre_dispatch=0)
    usual = ThreadMachine(("a",))
    assert (usual.schedulers, usual.pre_dispatch, usual.pin) == (1, 1, False)
