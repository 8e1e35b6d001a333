"""Writes the tensors that a program recorded as a dump, NAME.tensors, beside its trace.

The records of a tensor are its facts, then its bytes; `ls_tensor` in kinds.h draws them. They are
read some buffers at a time and appended to the dump, so memory does not grow with the tensors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, constants, layout
from lanescope.dump.manifest import AFTER, BEFORE, STORED, Totals
from lanescope.dump.write import DumpFile, DumpRequest

if TYPE_CHECKING:
    from lanescope.capture.assemble import CaptureContents

ENDING = ".tensors"
_TENSOR = "tensor"
_ROLES = ("input", "output", "inout")
_STAGES = (BEFORE, AFTER)
_MOST_CARRIED = 1 << 18
"""No more records than these of one tensor go on to the next part of a capture."""


def suffixed(folder: Path, suffix: str) -> Path:
    """Return the folder for the tensors of one of several processes; `suffix` tells them apart."""
    return folder.with_name(f"{folder.stem}{suffix}{folder.suffix}")


def tensor_lanes(head: Head) -> list[int]:
    """Return the numbers of the lanes that hold tensors."""
    lanes: list[int] = np.flatnonzero(head.lanes["kind"] == KINDS.index(_TENSOR)).tolist()
    return lanes


def dump_recorded(capture: CaptureContents, folder: Path) -> Totals | None:
    """Write the tensors of a capture into a folder; return the counts; None without such lanes.

    The limits were the program's: none is applied here.

    Raises:
        OutputError: the folder cannot be written.
    """
    lanes = tensor_lanes(capture.head)
    if not lanes:
        return None
    asked = capture.note.dump
    request = DumpRequest(
        folder=folder,
        select=asked.select,
        tensor_limit_bytes=asked.tensor_bytes,
        total_limit_bytes=asked.total_bytes,
    )
    with DumpFile(request, capture.name) as file:
        for lane in lanes:
            reader = TensorReader(capture, lane, file)
            for records in _chunks(capture, lane):
                reader.take(records)
            file.drop(reader.finish())
    return file.totals


def _chunks(capture: CaptureContents, lane: int) -> Iterator[Array]:
    """Yield the records of a lane without those that go on to the next part."""
    gathered, handing_on = capture.gathered, capture.handing_on
    left = int(gathered.counts()[lane])
    if handing_on is not None and handing_on.carried is not None:
        left -= int(handing_on.carried.counts[lane])
    for places in gathered.chunks(lane):
        records = gathered.read(places)[:left]
        left -= len(records)
        yield records


class TensorReader:
    """Makes tensors of the records of one lane, in their order."""

    def __init__(self, capture: CaptureContents, lane: int, file: DumpFile) -> None:
        self._head, self._file = capture.head, file
        self._facts: Any = None
        """The facts of the tensor that is being read; None where there is none that can be."""
        self._number = capture.first_numbers.get(lane, -1)
        """The number of the last tensor."""
        self._part = 0
        """The last part of it that was read."""
        self._kept = 0
        """Number of its bytes so far."""
        self._missing = 0
        """Number of tensors that are not in the dump."""
        self._last: int | None = None
        """How many tensors the program was asked for in all; None where that is not known yet."""
        if capture.handing_on is None and lane not in capture.counts.damaged:
            self._last = int(capture.head.lanes["source_made"][lane])

    def take(self, records: Array) -> None:
        """Read the next records."""
        heads = np.flatnonzero(records["part"] == 0)
        for part in np.split(records, heads):
            if len(part) and part["part"][0] == 0:
                self._begin(part[0])
                part = part[1:]
            if len(part) and self._facts is not None:
                self._append(part)

    def finish(self) -> int:
        """End the last tensor; return how many tensors of the lane are not in the dump.

        Those that were given up after the last one in records are known at the end of a capture.
        """
        self._end()
        after = 0 if self._last is None else self._last - 1 - self._number
        return self._missing + max(after, 0)

    def _begin(self, record: Any) -> None:
        self._end()
        number = int(record["number"])
        ahead = (number - self._number - 1) & 0xFFFFFFFF
        self._missing += ahead if ahead < 1 << 31 else 0
        self._number = number
        facts = record["words"].copy().view(layout("ls_tensor_facts"))[0]
        self._part = self._kept = 0
        if is_sound(facts):
            self._facts = facts
            self._file.begin()
        else:
            self._missing += 1

    def _append(self, records: Array) -> None:
        """Append the bytes of records as far as they follow each other."""
        wanted = self._part + 1 + np.arange(len(records))
        follows = (records["number"] == self._number & 0xFFFFFFFF) & (records["part"] == wanted)
        records = records[: int(np.argmin(np.append(follows, False)))]
        room = int(self._facts["kept"]) - self._kept
        values = np.ascontiguousarray(records["words"]).view(np.uint8).reshape(-1)[:room]
        self._part += len(records)
        self._kept += len(values)
        self._file.append(values)
        if not follows.all():
            self._part = -2  # nothing follows this

    def _end(self) -> None:
        facts, self._facts = self._facts, None
        if facts is None:
            return
        shape = tuple(facts["shape"][: int(facts["dimensions"])].tolist())
        strides = tuple(facts["strides"][: len(shape)].tolist())
        func = int(facts["func"])
        self._file.end(
            task=int(facts["task"]),
            functions=(self._head.functions.get(func, f"func_{func}"),),
            arg_index=int(facts["argument"]),
            role=_ROLES[int(facts["role"])],
            stage=_STAGES[int(facts["stage"])],
            dtype=_dtypes()[int(facts["dtype"])],
            shape=shape,
            strides=strides,
            start_offset=int(facts["start_offset"]),
            numel=prod(shape),
            is_contiguous=strides == _contiguous(shape),
            truncated=self._kept < int(facts["bytes"]),
        )


def is_sound(facts: Any) -> bool:
    """Say whether the facts of a tensor can be right."""
    if int(facts["dimensions"]) > constant("LS_TENSOR_DIMENSIONS"):
        return False
    if int(facts["role"]) >= len(_ROLES) or int(facts["stage"]) >= len(_STAGES):
        return False
    dtype = _dtypes().get(int(facts["dtype"]))
    if dtype is None:
        return False
    size = (
        prod(facts["shape"][: int(facts["dimensions"])].tolist()) * np.dtype(STORED[dtype]).itemsize
    )
    return bool(size == int(facts["bytes"]) and int(facts["kept"]) <= size)


@cache
def _dtypes() -> dict[int, str]:
    """Return the name of each type of elements by its code."""
    prefix = "LS_DTYPE_"
    found = {
        v: name.removeprefix(prefix) for name, v in constants().items() if name.startswith(prefix)
    }
    return {value: name.lower() for value, name in found.items()}


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def unfinished(gathered: Gathered, lane: int) -> tuple[Array, int | None]:
    """Return the records of a tensor that the last buffer of a lane cuts, and the number before it.

    There are none where the last tensor is whole. The number is that of the last whole tensor; None
    where there is none.
    """
    own = gathered.of_lane(lane)
    counts = gathered.buffers["count"][own.start : own.stop].astype(np.int64)
    first = int(np.searchsorted(np.cumsum(counts[::-1]), _MOST_CARRIED)) + 1
    places = range(max(own.stop - first, own.start), own.stop)
    records = gathered.read(places) if len(places) else np.empty(0, layout("ls_tensor"))
    heads = np.flatnonzero(records["part"] == 0)
    if not len(heads):
        return records[:0], None
    last = int(heads[-1])
    number = int(records["number"][last])
    facts = records["words"][last].copy().view(layout("ls_tensor_facts"))[0]
    size = constant("LS_TENSOR_WORDS") * 8
    if len(records) - last - 1 >= -(-int(facts["kept"]) // size):
        return records[:0], number
    return records[last:], number - 1
