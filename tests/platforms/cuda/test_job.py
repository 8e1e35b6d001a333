"""A job in a device's memory, and what is made of what the kernel left there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.platforms.cuda.emulator import HostMemory

from lanescope.device.layouts import constant, layout
from lanescope.errors import LanescopeError
from lanescope.native import Array
from lanescope.platforms.cuda.arena import Arena
from lanescope.platforms.cuda.job import JobResult, MegakernelJob, RecordingTarget, graph_arrays
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.programs import program_of
from lanescope.workloads import build_workload

GRAPH = build_workload("chain", {"tasks": "3", "spin_ns": "2600"})
MACHINE = GpuMachine(workers=3, schedulers=2, pre_dispatch=2, limit_s=1.5)


class Device(HostMemory):
    """One block of memory at a time, whose bytes can be looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def allocate(self, size: int) -> int:
        self.sizes.append(size)
        return super().allocate(size)


def job(device: Device, **recorder: int) -> MegakernelJob:
    return MegakernelJob(
        device, GRAPH, program_of(GRAPH), MACHINE, recorder=RecordingTarget(**recorder)
    )


def read(device: Device, address: int, kind: str, count: int = 1) -> Array:
    out = np.zeros(count, layout(kind))
    device.read(address, out)
    return out


# ---- arena -----------------------------------------------------------------------------------


def test_arrays_lie_256_bytes_apart_and_come_back() -> None:
    device = Device()
    arrays = {
        "empty": np.zeros(0, np.int64),
        "full": np.arange(256, dtype=np.uint8),
        "more": np.arange(257, dtype=np.uint8),
        "grid": np.arange(6.0).reshape(2, 3).T,
    }
    arena = Arena(device, arrays)
    base = arena.address("empty")
    offsets = [arena.address(name) - base for name in arrays]
    assert (offsets, device.sizes) == ([0, 256, 512, 1024], [1280])
    for name, array in arrays.items():
        assert arena.read(name).tolist() == array.tolist()
        assert arena.read(name).dtype == array.dtype
    arena.write("full", np.full(256, 7, np.uint8))
    assert set(arena.read("full").tolist()) == {7}
    assert arena.read("more").tolist() == arrays["more"].tolist()
    arena.close()
    assert device.blocks == {}


# ---- the job ---------------------------------------------------------------------------------


def test_a_job_names_its_arrays_and_its_machine() -> None:
    device = Device()
    own = job(device, region=1 << 40, handle=1 << 41, first_token=9)
    [found] = read(device, own.address, "ls_mega_job")
    numbers = {
        "region": 1 << 40,
        "handle": 1 << 41,
        "limit_ns": 1_500_000_000,
        "task_count": 3,
        "worker_count": 3,
        "scheduler_count": 2,
        "pre_dispatch": 2,
        "first_token": 9,
        "shared_bytes": MACHINE.shared_bytes(),
    }
    assert {name: int(found[name]) for name in numbers} == numbers
    works = read(device, int(found["work"]), "ls_mega_work", 3)
    assert works["passes"].tolist() == [3, 3, 3]
    assert works["size"][:, 0].tolist() == [0, 1, 2]
    for name, values in graph_arrays(GRAPH, MACHINE).items():
        if name != "work":
            out = np.empty_like(values)
            device.read(int(found[name]), out)
            assert np.array_equal(out, values), name
    own.close()
    assert device.blocks == {}


def test_a_run_without_recording_has_no_addresses() -> None:
    device = Device()
    [found] = read(device, job(device).address, "ls_mega_job")
    assert [int(found[name]) for name in ("region", "handle", "first_token")] == [0, 0, 0]


def test_arrays_begin_with_what_the_kernel_counts_down() -> None:
    arrays = graph_arrays(GRAPH, MACHINE)
    shapes = {name: (values.dtype, values.shape) for name, values in arrays.items()}
    word = np.dtype(np.uint32)
    assert shapes == {
        "state": (layout("ls_mega_state"), (1,)),
        "results": (layout("ls_mega_result"), (6,)),
        "func": (word, (3,)),
        "work": (layout("ls_mega_work"), (3,)),
        "offsets": (word, (4,)),
        "successors": (word, (2,)),
        **dict.fromkeys(("predecessors", "remaining", "ready_slots", "root_slots"), (word, (3,))),
        "posts": (np.dtype(np.uint64), (3, constant("LS_OUTSTANDING"))),
        "finished": (np.dtype(np.uint64), (3,)),
    }
    assert arrays["remaining"].tolist() == arrays["predecessors"].tolist() == [0, 1, 1]
    assert arrays["remaining"] is not arrays["predecessors"]
    for name in ("state", "results", "ready_slots", "root_slots", "posts", "finished"):
        assert not arrays[name].view(np.uint8).any()


# ---- what the kernel leaves ------------------------------------------------------------------


def left(stop: int = 0, **state: int) -> MegakernelJob:
    """A job whose kernel stopped so; schedulers 0 and 1, workers 2 to 4, the orchestrator last."""
    device = Device()
    own = job(device)
    [found] = read(device, own.address, "ls_mega_job")
    states = np.zeros(1, layout("ls_mega_state"))
    states["stop"][0, 0] = stop
    for name, value in state.items():
        if name == "done":
            states["done"][0, 0] = value
        else:
            states[name] = value
    device.write(int(found["state"]), states)
    results = np.zeros(6, layout("ls_mega_result"))
    results["tasks"] = [90, 91, 1, 2, 3, 95]
    results["unit"] = [10, 11, 12, 13, 14, 15]
    results["clock_step_ns"] = [0, 0, 32, 0, 0, 0]
    results["clock_error_ns"] = [0, 0, 0, 5, 0, 7]
    device.write(int(found["results"]), results)
    return own


RESULT = JobResult(
    makespan_ns=400,
    tasks_per_core=(1, 2, 3),
    units=(12, 13, 14),
    clock_step_ns=32,
    clock_error_ns=32 + 2 * 7,
    bank_cores=8,
    submits_ns=(100, 300),
    interrupted=False,
)
TIMES = {"start_ns": 100, "end_ns": 500, "submitted_ns": 300, "bank_cores": 8}


def test_a_result_is_that_of_the_workers_and_of_the_worst_clock() -> None:
    assert left(**TIMES).result() == RESULT
    assert RESULT.tasks_done == 6


def test_a_cancelled_kernel_is_no_error_and_may_not_have_submitted_all() -> None:
    times: dict[str, Any] = {**TIMES, "end_ns": 0, "submitted_ns": 0}
    found = left(constant("LS_MEGA_CANCELLED"), **times).result()
    assert (found.interrupted, found.makespan_ns, found.submits_ns) == (True, 0, None)


@pytest.mark.parametrize(
    ("stop", "sentence"),
    [
        ("LS_MEGA_LIMIT", "the kernel gave up after 1.5 s with 2 of 3 tasks of chain done"),
        (
            "LS_MEGA_NO_ROOM",
            "a CTA has too little shared memory for 3 workers and 2 schedulers; use more "
            "schedulers",
        ),
    ],
)
def test_a_kernel_that_gave_up_says_why(stop: str, sentence: str) -> None:
    with pytest.raises(LanescopeError) as raised:
        left(constant(stop), done=2).result()
    assert str(raised.value) == sentence


def test_a_machine_of_one_worker_has_too_little_room_in_the_singular() -> None:
    own = MegakernelJob(
        Device(), GRAPH, program_of(GRAPH), GpuMachine(workers=1), recorder=RecordingTarget()
    )
    assert own._gave_up(constant("LS_MEGA_NO_ROOM"), 0) == (
        "a CTA has too little shared memory for 1 worker and 1 scheduler; use more schedulers"
    )


def test_a_cancelled_job_says_so_in_its_state() -> None:
    device = Device()
    own = job(device)
    own.cancel()
    [found] = read(device, own.address, "ls_mega_job")
    [state] = read(device, int(found["state"]), "ls_mega_state")
    assert state["stop"].tolist() == [constant("LS_MEGA_CANCELLED"), *[0] * 7]
    assert not state["opened"].any() and int(state["end_ns"]) == 0
