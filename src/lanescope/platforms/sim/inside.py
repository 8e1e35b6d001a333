"""What a task did inside its core: its kernel, and the exact timeline of its pipes.

The counters and the trace engines both take it from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanescope.platforms.sim.setup import SimRun
from lanescope.platforms.sim.timeline import CODES, Timeline, alone, by_start
from lanescope.workloads.pipes import CoreRates, PipeKernel


@dataclass(frozen=True, slots=True)
class TaskInside:
    """One run of a task on a core. Without a kernel the timeline has a length but no spans."""

    kernel: PipeKernel | None
    rates: CoreRates
    timeline: Timeline


class Insides:
    """Says what the tasks of one run did inside their cores."""

    def __init__(self, run: SimRun) -> None:
        self._run = run
        self._kernels = run.graph.kernels or (None,) * len(run.graph.functions)

    def of(
        self, core: int, task: int, span_ps: tuple[int, int], *, shared: Timeline | None = None
    ) -> TaskInside:
        """Return what a task did; `span_ps` is when it began and how long it took.

        `shared` is its timeline where it shared the chip's memory with other cores.
        """
        rates, begin_ps = self._run.rates[core], span_ps[0]
        if shared is None and not self.runs_kernel(core, task):
            return TaskInside(None, rates, Timeline(*span_ps, ()))
        kernel = self._kernels[self._run.func[task]]
        assert kernel is not None  # graph.check() saw to that
        return TaskInside(kernel, rates, shared or alone(kernel, rates, begin_ps))

    def shared(self, task: int, begin_ps: int, spans: Sequence[tuple[int, int, int]]) -> Timeline:
        """Return the timeline of a run whose operations (number, start, end) are these."""
        kernel = self._kernels[self._run.func[task]]
        assert kernel is not None
        found = [(CODES[kernel.ops[op].pipe], start, end, op) for op, start, end in spans]
        length_ps = max((end for _, _, end, _ in found), default=0)
        return Timeline(begin_ps, length_ps, by_start(found))

    def runs_kernel(self, core: int, task: int) -> bool:
        """Say whether the core runs a kernel for this task.

        A task of stated length has no kernel, and the partners of a cube core run none.
        """
        run = self._run
        return run.core_kinds[core] == run.kind[task] and run.runs_pipes[task]
