"""What each lane finished last and what it is doing, read from its newest buffers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lanescope.capture.flight_open import (
    Doing,
    OpenWork,
    ended_marks,
    mark_name,
    open_work,
    task_name,
    task_number,
)
from lanescope.capture.gather import Gathered, Gatherer
from lanescope.capture.knots import ClockReadings, nominal_rate
from lanescope.capture.phases import phase_codes, phase_names
from lanescope.capture.slice_records import LaneRecords, lane_slices
from lanescope.capture.slices import PIPE_NAMES, slice_lanes, slice_name, timed
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.results import Result

_NO_TASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Finished(Result):
    """A task, mark or phase that has ended. Times are ns of the device's clock."""

    what: str
    """`task`, `mark` or `phase`."""
    name: str
    task: int | None
    """Number of the task that it is or belongs to; None where there is none."""
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class LaneEnd(Result):
    """What one lane did last, and what it is doing. Times are ns of the device's clock."""

    name: str
    """Whose lane it is, and which pipe where a core has several: `core 3`, `core 3 load`."""
    unit: int | None
    """Number of the physical core; None where it is not known."""
    held_ns: int | None
    """When a kernel took the lane; None where no kernel has it, or where that is not known."""
    task: Doing | None
    """The task that has begun and not ended."""
    mark: Doing | None
    """The mark that has begun and not ended."""
    waits_ns: int | None
    """Since when the lane waits for a free buffer; None where it does not wait."""
    last: tuple[Finished, ...]
    """The last records, the newest first."""
    recorded: int
    """Number of records that the lane wrote."""
    dropped: int
    """Number of records that the lane had to give up."""


def lane_ends(newest: Gatherer, head: Head, now: Array, *, last: int) -> tuple[LaneEnd, ...]:
    """Return the end of every lane that holds tasks, slices or phases.

    `newest` has the newest buffers, `now` an ls_slice_now per lane. `last` is how many finished
    records of each lane to return.
    """
    gathered = newest.gather()
    slices = {lane: lane_slices(gathered, lane) for lane in slice_lanes(head)}
    ended = ended_marks(list(slices.values()), head)
    clocks = [each.clocks for each in slices.values()]
    rate = nominal_rate(ClockReadings.of(clocks)) if clocks else 0.0
    ends = []
    for lane in range(len(head.lanes)):
        kind = KINDS[head.lanes["kind"][lane]]
        if kind == "slice":
            records = _slices(slices[lane], head, rate, last)
            own = ended[int(head.lanes["owner"][lane])]
            opened = open_work(slices[lane], head, now[lane], ended=own, rate=rate)
        else:
            ended_records = _RECORDS[kind]
            if ended_records is None:
                continue
            records, opened = ended_records(gathered, lane, head)[-last:], OpenWork()
        ends.append(_lane_end(lane, head, records, opened))
    return tuple(ends)


def _lane_end(lane: int, head: Head, records: list[Finished], opened: OpenWork) -> LaneEnd:
    row = head.lanes[lane]
    waits = int(row["wait_start"]) if not int(row["wait_end"]) else 0
    return LaneEnd(
        name=_lane_name(lane, head),
        unit=opened.unit,
        held_ns=opened.held_ns,
        task=opened.task,
        mark=opened.mark,
        waits_ns=_ns(waits, head) if waits else None,
        last=tuple(reversed(records)),
        recorded=int(row["recorded"]),
        dropped=int(row["dropped"]),
    )


def _lane_name(lane: int, head: Head) -> str:
    if KINDS[head.lanes["kind"][lane]] != "slice" or int(head.header["pipe_count"]) == 1:
        return head.lane_name(lane)
    pipe = int(head.lanes["pipe"][lane])
    return f"core {head.lanes['owner'][lane]} {slice_name(head, PIPE_NAMES + pipe, 'pipe', pipe)}"


def _slices(lane: LaneRecords, head: Head, rate: float, last: int) -> list[Finished]:
    times = timed(lane, rate)
    rows = np.flatnonzero(times.is_task | times.is_mark)[-last:]
    return [
        Finished(
            what="task" if times.is_task[row] else "mark",
            name=(task_name if times.is_task[row] else mark_name)(head, int(times.id[row])),
            task=task_number(int(lane.slices["task"][row])),
            start_ns=int(times.start[row]),
            end_ns=int(times.end[row]),
        )
        for row in rows.tolist()
    ]


def _core_tasks(gathered: Gathered, lane: int, head: Head) -> list[Finished]:
    shift = int(head.header["func_shift"])
    tasks = []
    for row in gathered.records[lane][-_MOST:].tolist():
        word, func = int(row[2]), ""
        if shift:
            func = head.functions.get(word >> shift, f"func_{word >> shift}")
            word &= (1 << shift) - 1
        tasks.append(Finished("task", func, word, _ns(row[0], head), _ns(row[1], head)))
    return tasks


def _phases(gathered: Gathered, lane: int, head: Head) -> list[Finished]:
    records = gathered.records[lane][-_MOST:]
    names = phase_names(KINDS[head.lanes["kind"][lane]], head)
    codes = phase_codes(records)
    return [
        Finished(
            "phase",
            names.get(int(code), f"kind_{code}"),
            None if int(row["task"]) == _NO_TASK else int(row["task"]),
            _ns(int(row["start"]), head),
            _ns(int(row["end"]), head),
        )
        for row, code in zip(records, codes, strict=True)
    ]


_MOST = 10_000
"""How many of the last records of a lane are looked at."""
_RECORDS: dict[str, Callable[[Gathered, int, Head], list[Finished]] | None] = {
    "core_task": _core_tasks,
    "controller_task": None,
    "scheduler_phase": _phases,
    "orchestrator_phase": _phases,
    "pmu": None,
    "burst": None,
    "edge": None,
    "host_phase": _phases,
    "tensor": None,
}
"""Kind of record to the function that reads it; slices are read by `_slices`. Lanes of a kind with
None are not shown."""


def _ns(cycles: int, head: Head) -> int:
    return int(cycles) * 1_000_000_000 // int(head.header["clock_hz"])
