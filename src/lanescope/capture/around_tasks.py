"""What surrounds the tasks of recorded kernels: launches, their CTAs, and the host's threads."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.capture.host_log import HostEvents
from lanescope.capture.host_rows import NotedRows, host_rows
from lanescope.capture.launches import RecordedLaunches
from lanescope.capture.pieces import NEVER
from lanescope.capture.slices import SliceRecords, are_beside
from lanescope.capture.stamps import StampWindow, TimeAxis
from lanescope.device.head import Array, Head
from lanescope.trace.filling import RowSink
from lanescope.trace.task_rows import TaskRows


@dataclass(frozen=True, slots=True, eq=False)
class AroundTasks:
    """RecordedLaunches and the host's rows; None stands for what the capture does not tell."""

    launches: RecordedLaunches | None
    host: NotedRows | None

    @staticmethod
    def of(slices: SliceRecords | None, events: HostEvents | None, head: Head) -> AroundTasks:
        """Return what the openings of lanes and the host's log say.

        Slices beside core records are no tasks; then nobody knows the launch of a task.
        """
        host = host_rows(events, head)
        if slices is None or are_beside(head) or not slices.openings.number.any():
            return AroundTasks(None, host)
        calls = host.calls if host is not None else []
        return AroundTasks(
            RecordedLaunches(slices.openings, calls, int(head.header["pipe_count"])), host
        )

    def earliest(self, window: StampWindow) -> int:
        """Return the first moment that can be right, in cycles; NEVER without one."""
        moments = [one.moments() for one in (self.launches, self.host) if one is not None]
        right = [some[~window.wild(some)] for some in moments]
        return min((int(some.min(initial=NEVER)) for some in right), default=NEVER)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the host's log, a sentence each."""
        return self.host.notes if self.host is not None else ()

    def task_columns(self, rows: TaskRows) -> dict[str, Array]:
        """Return the launch of each task, where the capture tells it."""
        if self.launches is None:
            return {}
        return {"launch": self.launches.of_tasks(rows.key, rows.func)}

    def add(self, tables: RowSink, axis: TimeAxis) -> None:
        """Add the rows of launches, CTAs, phases and host threads; those of tasks come before."""
        if self.launches is not None:
            tables.add("launches", axis.timed(self.launches.columns(tables.words)))
            tables.add("blocks", axis.timed(self.launches.block_columns()))
        if self.host is not None:
            tables.add("phases", axis.timed(self.host.phase_columns(tables.words)))
            tables.add("controllers", self.host.thread_columns(tables.words))
