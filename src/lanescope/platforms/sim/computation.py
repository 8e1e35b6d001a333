"""What a run computes while it is simulated, and which values are dumped.

Computing takes no simulated time. The memory changes only when a task's last block ends on its
core. Controllers report dispatches and finishes with times ahead of the kernel's time. So captures
wait, in the order of their times, until the memory is about to change.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from lanescope.dump.manifest import AFTER, BEFORE, Stage
from lanescope.dump.write import DumpFile
from lanescope.platforms.sim.selection import Selection
from lanescope.workloads.arrays import Arrays
from lanescope.workloads.graph import TaskGraph


class Computation:
    """Is told of every dispatch and end; computes each task once, and captures what is selected."""

    def __init__(
        self,
        graph: TaskGraph,
        *,
        file: DumpFile | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.arrays = Arrays(graph)
        self._graph = graph
        self._file = file
        self._selected = selection.tasks if selection and file else frozenset()
        self._stages = selection.stages if selection and file else frozenset()
        self._selection = selection
        blocks = np.ones(len(graph), np.int64) if graph.blocks is None else graph.blocks
        partners = 0 * blocks if graph.partners is None else graph.partners
        parts = (blocks * (1 + partners)).tolist()
        assert graph.arguments is not None  # Arrays saw to that
        self._by_task = graph.arguments.by_task
        self._running = {task: parts[task] for task in self._by_task}
        self._dispatched: set[int] = set()
        self._due: list[tuple[int, int, Stage, int]] = []
        """(time_ps, counter, stage, task) of the captures that are still to be made."""
        self._count = 0

    def dispatched(self, task: int, time_ps: int) -> None:
        """Note that a block of the task goes to a core; the first block is the task's dispatch."""
        if task in self._selected and task not in self._dispatched:
            self._dispatched.add(task)
            self._capture_at(time_ps, BEFORE, task)

    def ended(self, task: int, time_ps: int) -> None:
        """Note that a block of the task ended on its core; the task computes with the last one."""
        if task not in self._running:
            return
        self._running[task] -= 1
        if not self._running[task]:
            self.capture_until(time_ps)
            self.arrays.compute(task)

    def finished(self, task: int, time_ps: int) -> None:
        """Note that a controller has seen the end of the task's last block."""
        if task in self._selected:
            self._capture_at(time_ps, AFTER, task)

    def capture_until(self, time_ps: float) -> None:
        """Make all captures that are due by then."""
        while self._due and self._due[0][0] <= time_ps:
            _, _, stage, task = heappop(self._due)
            self._capture(stage, task)

    def _capture_at(self, time_ps: int, stage: Stage, task: int) -> None:
        if stage in self._stages:
            self._count += 1
            heappush(self._due, (time_ps, self._count, stage, task))

    def _capture(self, stage: Stage, task: int) -> None:
        assert self._file is not None
        arguments = self._by_task[task]
        first = 0 if stage == BEFORE else len(arguments.reads)
        views = arguments.reads if stage == BEFORE else arguments.writes
        for number, view in enumerate(views, first):
            values = self.arrays.of(view)
            if values is None or not (self._selection and self._selection.has(number)):
                continue
            self._file.add(
                values,
                task=task,
                functions=(self._graph.functions[self._graph.func[task]],),
                tensor=view.tensor.name,
                arg_index=number,
                role=arguments.role(number),
                stage=stage,
                strides=view.strides,
                start_offset=view.offset,
                is_contiguous=view.is_contiguous,
            )
