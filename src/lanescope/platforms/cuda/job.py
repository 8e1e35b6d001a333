"""One run as the megakernel takes it: the struct ls_mega_job and the arrays it points to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.device.layouts import constant, layout
from lanescope.errors import LanescopeError
from lanescope.native import Array
from lanescope.platforms.cuda.arena import Arena, ArenaMemory
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.program import Check, GpuProgram
from lanescope.render.cells import many_text
from lanescope.workloads.graph import TaskGraph

_POINTED = (
    *("state", "results", "func", "work", "offsets", "successors", "predecessors", "remaining"),
    *("ready_slots", "root_slots", "posts", "finished"),
)
"""Fields of the job that hold the address of the array of the same name."""


@dataclass(frozen=True, slots=True)
class RecordingTarget:
    """Where a run records. Addresses are the device's; 0: nothing is recorded there."""

    region: int = 0
    handle: int = 0
    first_token: int = 0


@dataclass(frozen=True, slots=True)
class JobResult:
    """Times and counts that the kernel left behind."""

    makespan_ns: int
    tasks_per_core: tuple[int, ...]
    units: tuple[int, ...]
    """The SM that each core ran on."""
    clock_step_ns: int
    """Step of the device's clock; 0 where nothing was recorded."""
    clock_error_ns: int
    """Largest error between stamps of two different SMs."""
    bank_cores: int
    """Cores that a scheduler serves in one step."""
    submits_ns: tuple[int, int] | None
    """When the orchestrator began and when all was submitted, on the device's clock; None where
    not all was."""
    interrupted: bool

    @property
    def tasks_done(self) -> int:
        """Tasks that all cores together ran."""
        return sum(self.tasks_per_core)


class MegakernelJob:
    """One run in the device's memory, until `close`; `address` is the kernel's argument."""

    def __init__(
        self,
        memory: ArenaMemory,
        graph: TaskGraph,
        program: GpuProgram,
        machine: GpuMachine,
        *,
        recorder: RecordingTarget,
    ) -> None:
        self._machine, self._graph, self._program = machine, graph, program
        arrays = graph_arrays(graph, machine)
        job = np.zeros(1, layout("ls_mega_job"))
        self._arena = Arena(memory, {**program.tensors, **arrays, "job": job})
        self._arena.write("work", program.works(self._arena.address))
        for name in _POINTED:
            job[name] = self._arena.address(name)
        job["region"], job["handle"] = recorder.region, recorder.handle
        job["limit_ns"] = int(machine.limit_s * 1e9)
        job["task_count"] = len(graph)
        job["worker_count"] = machine.workers
        job["scheduler_count"] = machine.schedulers
        job["pre_dispatch"] = machine.pre_dispatch
        job["first_token"] = recorder.first_token
        job["shared_bytes"] = machine.shared_bytes()
        self._arena.write("job", job)

    @property
    def address(self) -> int:
        """The device's address of the struct ls_mega_job."""
        return self._arena.address("job")

    def cancel(self) -> None:
        """Tell the running kernel to finish what was dispatched, and then to end."""
        stop = np.array([constant("LS_MEGA_CANCELLED")], np.uint64)
        self._arena.write("state", stop)  # the state's first word

    def result(self) -> JobResult:
        """Return the result after the kernel has ended; a kernel that gave up is an error."""
        state = self._arena.read("state")[0]
        stop = int(state["stop"][0])
        if stop > constant("LS_MEGA_CANCELLED"):
            raise LanescopeError(self._gave_up(stop, int(state["done"][0])))
        parts = self._arena.read("results")
        workers = parts[self._machine.schedulers : self._machine.ctas]
        step = int(parts["clock_step_ns"].max())
        begun, submitted = int(state["start_ns"]), int(state["submitted_ns"])
        return JobResult(
            makespan_ns=max(int(state["end_ns"]) - int(state["start_ns"]), 0),
            tasks_per_core=tuple(workers["tasks"].tolist()),
            units=tuple(workers["unit"].tolist()),
            clock_step_ns=step,
            clock_error_ns=step + 2 * int(parts["clock_error_ns"].max()),
            bank_cores=int(state["bank_cores"]),
            submits_ns=(begun, submitted) if submitted else None,
            interrupted=stop == constant("LS_MEGA_CANCELLED"),
        )

    def check(self) -> Check:
        """Compare what the kernel computed with a reference."""
        return self._program.check(self._arena.read)

    def close(self) -> None:
        """Free the device's memory."""
        self._arena.close()

    def _gave_up(self, stop: int, done: int) -> str:
        if stop == constant("LS_MEGA_NO_ROOM"):
            return (
                "a CTA has too little shared memory for "
                f"{many_text(self._machine.workers, 'worker')} and "
                f"{many_text(self._machine.schedulers, 'scheduler')}; use more schedulers"
            )
        return (
            f"the kernel gave up after {self._machine.limit_s:g} s with {done:,} of "
            f"{many_text(len(self._graph), 'task')} of {self._graph.name} done"
        )


def graph_arrays(graph: TaskGraph, machine: GpuMachine) -> dict[str, Array]:
    """Return the job's arrays as they are before the kernel begins, without the tensors."""
    offsets, successors = graph.successors()
    count = len(graph)
    predecessors = graph.predecessor_counts().astype(np.uint32)
    return {
        "state": np.zeros(1, layout("ls_mega_state")),
        "results": np.zeros(machine.ctas + 1, layout("ls_mega_result")),
        "func": graph.func.astype(np.uint32),
        "work": np.zeros(count, layout("ls_mega_work")),
        "offsets": offsets.astype(np.uint32),
        "successors": successors.astype(np.uint32),
        "predecessors": predecessors,
        "remaining": predecessors.copy(),
        "ready_slots": np.zeros(count, np.uint32),
        "root_slots": np.zeros(count, np.uint32),
        "posts": np.zeros((machine.workers, constant("LS_OUTSTANDING")), np.uint64),
        "finished": np.zeros(machine.workers, np.uint64),
    }
