"""Each lane's last records and open work, taken from its newest buffers."""

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
from lanescope.capture.knots import Anchors, nominal_rate
from lanescope.capture.phases import phase_names
from lanescope.capture.slices import (
    PIPE_NAMES,
    LaneSlices,
    lane_slices,
    slice_lanes,
    slice_name,
    timed,
)
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS

_NO_TASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Finished:
    """A task, mark or phase that has ended."""

    what: str
    """`task`, `mark` or `phase`."""
    name: str
    task: int | None
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class LaneEnd:
    """Where a lane was."""

    name: str
    """`core 3`, `core 3 load`, `scheduler 0`."""
    unit: int | None
    """The physical core."""
    held_ns: int | None
    """Since when a kernel has the lane; None: none has it, or that is not known."""
    task: Doing | None
    mark: Doing | None
    waits_ns: int | None
    """Since when it waits for a free buffer."""
    last: tuple[Finished, ...]
    """The newest first."""
    recorded: int
    dropped: int


def lane_ends(newest: Gatherer, head: Head, now: Array, *, last: int) -> tuple[LaneEnd, ...]:
    """One per lane of tasks, slices and phases; `now` has an ls_slice_now per lane."""
    gathered = newest.gather()
    slices = {lane: lane_slices(gathered, lane) for lane in slice_lanes(head)}
    ended = ended_marks(list(slices.values()), head)
    rate = nominal_rate(Anchors.of([each.clocks for each in slices.values()])) if slices else 0.0
    found = []
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
        found.append(_lane_end(lane, head, records, opened))
    return tuple(found)


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


def _slices(lane: LaneSlices, head: Head, rate: float, last: int) -> list[Finished]:
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
    found = []
    for row in gathered.records[lane][-_MOST:].tolist():
        word, func = int(row[2]), ""
        if shift:
            func = head.functions.get(word >> shift, f"func_{word >> shift}")
            word &= (1 << shift) - 1
        found.append(Finished("task", func, word, _ns(row[0], head), _ns(row[1], head)))
    return found


def _phases(gathered: Gathered, lane: int, head: Head) -> list[Finished]:
    records = gathered.records[lane][-_MOST:]
    names = phase_names(KINDS[head.lanes["kind"][lane]])
    return [
        Finished(
            "phase",
            names.get(int(row["kind"]), f"kind_{row['kind']}"),
            None if int(row["task"]) == _NO_TASK else int(row["task"]),
            _ns(int(row["start"]), head),
            _ns(int(row["end"]), head),
        )
        for row in records
    ]


_MOST = 10_000
"""More records of a lane than anybody reads."""
_RECORDS: dict[str, Callable[[Gathered, int, Head], list[Finished]] | None] = {
    "core_task": _core_tasks,
    "controller_task": None,
    "scheduler_phase": _phases,
    "orchestrator_phase": _phases,
    "pmu": None,
    "burst": None,
}
"""How the records of a kind that is no slice are read; None: its lanes are not shown."""


def _ns(cycles: int, head: Head) -> int:
    return int(cycles) * 1_000_000_000 // int(head.header["clock_hz"])
