"""A table of kernels by itself becomes a recording: streams and communicators, no host."""

from __future__ import annotations

import numpy as np

from lanescope.formats.ascend.kernels import KernelTable
from lanescope.formats.ascend.lanes import NO_STREAM, LaneNumbers
from lanescope.formats.ascend.names import COMMUNICATION, Operation, sequences
from lanescope.formats.ascend.source import RankSource, with_utc
from lanescope.formats.streams import CollectiveRows, DeviceRows, StepRows, StreamRecording
from lanescope.trace import MISSING
from lanescope.trace.table import Array


def kernels_source(table: KernelTable) -> RankSource:
    """Rows on their streams; operations among ranks, which have no stream, on their group's lane.

    A function is the kernel's type, because names carry a running number (`Cast66`).
    """
    lanes = LaneNumbers()
    lane = np.empty(len(table.start), np.int64)
    on_stream = (table.work != COMMUNICATION) | (table.stream != NO_STREAM)
    lane[on_stream] = lanes.streams(table.device[on_stream], table.stream[on_stream])
    operations = np.flatnonzero(table.work == COMMUNICATION)
    told = [Operation.of(table.names[k]) for k in table.name[operations].tolist()]
    for row, one in zip(operations.tolist(), told, strict=True):
        if not on_stream[row]:
            lane[row] = lanes.group(int(table.device[row]), one.group)
    name, names = functions(table)
    groups = [one.group for one in told]
    devices = np.unique(table.device[table.device != MISSING])
    recording = StreamRecording(
        lanes=lanes.lanes,
        work=DeviceRows(
            lane=lane,
            name=name,
            names=names,
            work=table.work,
            start=table.start,
            end=table.end,
            values=table.values,
        ),
        collectives=CollectiveRows(
            row=operations,
            group=groups,
            sequence=sequences(groups, [one.sequence for one in told]),
            kind=[one.kind for one in told],
            matched="name",
        ),
        steps=steps(table),
        facts={"device": int(devices[0])} if len(devices) == 1 else {},
    )
    return RankSource(with_utc(recording), [table.names[k] for k in table.name[operations]])


def functions(table: KernelTable) -> tuple[Array, list[str]]:
    """Type of each kernel, its name where the file has no type."""
    names = [*table.types, *table.names]
    return np.where(table.type >= 0, table.type, table.name + len(table.types)), names


def steps(table: KernelTable) -> StepRows:
    """From the first to the last kernel of each step: the file does not know the host's step."""
    rows = np.flatnonzero(table.step != MISSING)
    if not len(rows):
        return StepRows()
    numbers, place = np.unique(table.step[rows], return_inverse=True)
    start = np.full(len(numbers), np.iinfo(np.int64).max)
    end = np.full(len(numbers), np.iinfo(np.int64).min)
    np.minimum.at(start, place.reshape(-1), table.start[rows])
    np.maximum.at(end, place.reshape(-1), table.end[rows])
    return StepRows(
        step=numbers,
        name=[f"step {number}" for number in numbers.tolist()],
        thread=np.full(len(numbers), -1, np.int64),
        start=start,
        end=end,
    )
