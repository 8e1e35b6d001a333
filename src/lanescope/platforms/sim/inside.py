"""What a task did inside its core: its kernel, and the exact timeline of its pipes.

The counters and the trace engines both take it from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lanescope.platforms.sim.timeline import Timeline, alone
from lanescope.workloads.graph import WorkKind
from lanescope.workloads.pipes import CoreRates, PipeKernel

if TYPE_CHECKING:
    from lanescope.platforms.sim.machine import SimCore, SimMachine


@dataclass(frozen=True, slots=True)
class TaskInside:
    """One run of a task on a core. Without a kernel the timeline has a length but no spans."""

    kernel: PipeKernel | None
    rates: CoreRates
    timeline: Timeline


class Insides:
    """Says what the tasks of one machine did inside their cores."""

    def __init__(self, machine: SimMachine) -> None:
        graph = machine.graph
        self._kernels = graph.kernels or (None,) * len(graph.functions)
        self._func: list[int] = machine.func
        self._kind: list[int] = machine.kind
        self._runs_pipes: list[bool] = (graph.work == WorkKind.PIPES).tolist()
        self._duration_ps = machine.duration_ps
        self.rates = [machine.rates[kind] for kind in machine.chip.core_kinds()]

    def of(
        self, core: SimCore, task: int, begin_ps: int, *, shared: Timeline | None = None
    ) -> TaskInside:
        """Return what a task did that began at `begin_ps`.

        `shared` is its timeline where it shared the chip's memory with other cores.
        """
        rates = self.rates[core.number]
        if shared is None and not self.runs_kernel(core, task):
            return TaskInside(None, rates, Timeline(begin_ps, self._duration_ps[task], ()))
        kernel = self._kernels[self._func[task]]
        assert kernel is not None  # graph.check() saw to that
        return TaskInside(kernel, rates, shared or alone(kernel, rates, begin_ps))

    def runs_kernel(self, core: SimCore, task: int) -> bool:
        """Say whether the core runs a kernel for this task.

        A task of stated length has no kernel, and the partners of a cube core run none.
        """
        return core.kind == self._kind[task] and self._runs_pipes[task]
