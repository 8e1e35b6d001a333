"""What ran on the lanes of devices, with the call that launched it, as columns in one order.

All questions about streams share it. A row whose work is WAIT is not work: the stream stood still,
so it counts as idle time with a known reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lanescope.trace.lanes import core_name
from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

COMPUTE, COMMUNICATION, MEMORY, WAIT = range(4)
"""Classes of work. Work that the source does not name counts as compute."""
_CLASSES = {"communication": COMMUNICATION, "copy": MEMORY, "fill": MEMORY, "wait": WAIT}


@dataclass(frozen=True, slots=True)
class StreamLane:
    """A stream, queue or engine that ran something."""

    core: int
    """Its number in the trace."""
    name: str
    device: int
    """Place of its device in `DeviceWork.devices`."""
    first: int
    """Its rows are those from here …"""
    last: int
    """… to before here."""


@dataclass(frozen=True, slots=True)
class DeviceName:
    """A device of a trace; None where the source does not tell."""

    rank: int | None
    device: int | None

    def __str__(self) -> str:
        device = "the device" if self.device is None else f"device {self.device}"
        return device if self.rank is None else f"rank {self.rank} {device}"


@dataclass(frozen=True, slots=True, eq=False)
class DeviceWork:
    """Rows that ran, sorted by lane, then start, then end."""

    devices: tuple[DeviceName, ...]
    lanes: tuple[StreamLane, ...]
    row: Array
    """Row in the trace's tasks."""
    lane: Array
    """Place of the lane in `lanes`."""
    device: Array
    """Place of the device in `devices`."""
    start: Array
    end: Array
    work: Array
    """COMPUTE, COMMUNICATION, MEMORY or WAIT."""
    func: Array
    launch: Array
    """Number of the launch, MISSING where it is not known."""
    call: Array
    """Row of the launching call in the trace's phases, -1 where it is not recorded."""
    call_start: Array
    """MISSING where there is no call."""
    call_end: Array
    thread: Array
    """Number of the host thread of the call, MISSING32 where there is none."""

    def __len__(self) -> int:
        return len(self.row)

    def slices(self) -> Iterator[tuple[StreamLane, slice]]:
        """Every lane with its part of the rows."""
        for lane in self.lanes:
            yield lane, slice(lane.first, lane.last)

    @property
    def busy(self) -> Array:
        """Mask of the rows that are work."""
        mask: Array = self.work != WAIT
        return mask

    @property
    def launched(self) -> Array:
        """Mask of the rows whose call is recorded."""
        mask: Array = self.call >= 0
        return mask


def device_work(trace: Trace) -> DeviceWork:
    """Collect the work of all lanes of a trace."""
    tasks = trace.tasks
    known = np.flatnonzero(trace.ran() & (tasks["core"] != MISSING32))
    order = known[
        np.lexsort((tasks["end_ns"][known], tasks["start_ns"][known], tasks["core"][known]))
    ]
    kinds = _classes(trace, tasks["func"][order])
    core = tasks["core"][order]
    first = np.flatnonzero(np.append(True, core[1:] != core[:-1])[: len(core)])
    devices, lanes = _lanes(trace, core[first].tolist(), [*first.tolist(), len(core)])
    sizes = [lane.last - lane.first for lane in lanes]
    call = _calls(trace, tasks["launch"][order])
    phases, has_call = trace.phases, call >= 0
    return DeviceWork(
        devices=devices,
        lanes=lanes,
        row=order,
        lane=np.repeat(np.arange(len(lanes)), sizes),
        device=np.repeat(np.array([lane.device for lane in lanes], np.int64), sizes),
        start=tasks["start_ns"][order],
        end=tasks["end_ns"][order],
        work=kinds,
        func=tasks["func"][order],
        launch=tasks["launch"][order],
        call=call,
        call_start=_at(phases["start_ns"], call, has_call, MISSING),
        call_end=_at(phases["end_ns"], call, has_call, MISSING),
        thread=_at(phases["controller"], call, has_call, MISSING32),
    )


def _at(column: Array, rows: Array, known: Array, missing: int) -> Array:
    result = np.full(len(rows), missing, np.int64)
    result[known] = column[rows[known]]
    return result


def _classes(trace: Trace, func: Array) -> Array:
    """Class of work of each function id in a column."""
    ids = trace.functions["func"]
    words = [_CLASSES.get(text, COMPUTE) for text in trace.text("functions", "work")]
    classes = np.array([*words, COMPUTE], np.int8)
    return classes[find(ids, func)] if len(ids) else np.full(len(func), COMPUTE, np.int8)


def _lanes(
    trace: Trace, cores: list[int], bounds: list[int]
) -> tuple[tuple[DeviceName, ...], tuple[StreamLane, ...]]:
    """The devices and lanes that have rows; lane k has the rows bounds[k] to bounds[k + 1]."""
    table = trace.cores
    names = trace.text("cores", "name")
    at = {core: row for row, core in enumerate(table["core"].tolist())}
    devices: dict[DeviceName, int] = {}
    lanes = []
    for place, core in enumerate(cores):
        row = at.get(core, -1)
        device = DeviceName(_known(table["rank"], row), _known(table["device"], row))
        lanes.append(
            StreamLane(
                core=core,
                name=(names[row] if row >= 0 else "") or core_name(core),
                device=devices.setdefault(device, len(devices)),
                first=bounds[place],
                last=bounds[place + 1],
            )
        )
    return tuple(devices), tuple(lanes)


def _known(column: Array, row: int) -> int | None:
    return None if row < 0 or column[row] == MISSING32 else int(column[row])


def _calls(trace: Trace, launch: Array) -> Array:
    """Row of the call of each launch in the phases; -1 where it is not recorded.

    Of several rows with the same launch the last counts, which is the innermost.
    """
    rows = np.flatnonzero(trace.phases["launch"] != MISSING)[::-1]
    found = find(trace.phases["launch"][rows], np.where(launch == MISSING, -1, launch))
    return np.append(rows, -1)[np.where(launch == MISSING, -1, found)]
