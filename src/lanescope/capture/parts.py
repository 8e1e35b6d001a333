"""A capture that is cut into parts while it runs: what one part leaves for the next one.

A part is one spool. Its account is that of the buffers in it. Records of tasks whose other record
has not come yet go on to the next part, so a task is in one part. `parts.npz` in the directory of
the capture says which parts are stored, how far their accounts go, and holds those records.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from lanescope.capture.assemble import CaptureContents
from lanescope.capture.carry import CarriedOver
from lanescope.capture.gather import Gathered
from lanescope.capture.tensors import ENDING
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.errors import InputError
from lanescope.trace.store import read_meta

STATE = "parts.npz"
_COUNTED = ("recorded", "dropped", "mismatched", "intruded", "source_made", "source_taken")
"""The counters of a lane that only grow."""


class RemovedPart(msgspec.Struct, frozen=True):
    """A part that was deleted to stay within a quota."""

    name: str
    bytes: int
    records: int


@dataclass(frozen=True, slots=True, eq=False)
class PartState:
    """How far a capture is stored."""

    stored: int
    """Number of parts that are stored."""
    lanes: Array
    """The counters (ls_lane) for which the stored parts account."""
    next: Array
    """By lane: the sequence number that follows its last buffer."""
    numbers: Array
    """By lane: the dispatch number of its last record, or the number of its last whole tensor."""
    strays: int
    """Records of no lane for which the stored parts account."""
    payload: Array
    """Buffers with the records that go on to the next part."""
    removed: tuple[RemovedPart, ...] = ()
    """The parts that were deleted, the oldest first."""

    @staticmethod
    def at_start(head: Head) -> PartState:
        """The state before the first part."""
        count = len(head.lanes)
        return PartState(
            stored=0,
            lanes=np.zeros(count, layout("ls_lane")),
            next=np.zeros(count, np.uint64),
            numbers=np.where(
                head.lanes["kind"] == KINDS.index("tensor"), -1, int(head.header["first_token"]) - 1
            ).astype(np.int64),
            strays=0,
            payload=np.empty(0, np.uint8),
        )

    def save(self, directory: Path) -> None:
        """Write `parts.npz` whole or not at all, and have the disk keep it."""
        draft = directory / f".{STATE}"
        with draft.open("wb") as file:
            np.savez(
                file,
                stored=self.stored,
                strays=self.strays,
                lanes=self.lanes.view(np.uint8),
                next=self.next,
                numbers=self.numbers,
                payload=self.payload,
                removed=np.frombuffer(msgspec.json.encode(self.removed), np.uint8),
            )
            file.flush()
            os.fsync(file.fileno())
        draft.replace(directory / STATE)


def load_state(directory: Path) -> PartState | None:
    """Return how far the capture in a directory is stored; None where no part is.

    Raises:
        InputError: the file is damaged.
    """
    path = directory / STATE
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            return PartState(
                stored=int(file["stored"]),
                lanes=file["lanes"].view(layout("ls_lane")),
                next=file["next"],
                numbers=file["numbers"],
                strays=int(file["strays"]),
                payload=file["payload"],
                removed=msgspec.json.decode(
                    file["removed"].tobytes(), type=tuple[RemovedPart, ...]
                ),
            )
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError) as error:
        raise InputError(
            path, f"is damaged ({error}); without it, what is left can be recovered as one trace"
        ) from error


@dataclass(frozen=True, slots=True, eq=False)
class PartContents:
    """The contents of a part, and what its account and those before it come to."""

    contents: CaptureContents
    lanes: Array | None
    """The counters (ls_lane) of this part and of those before it; None where they are unknown."""
    strays: int

    def state(self, before: PartState, carried: CarriedOver, following: Array) -> PartState:
        """Return the state after this part; `following` are the next sequence numbers."""
        assert self.lanes is not None
        return replace(
            before,
            stored=before.stored + 1,
            lanes=self.lanes,
            next=following,
            numbers=carried.numbers,
            strays=self.strays,
            payload=carried.payload,
        )


def part_contents(contents: CaptureContents, before: PartState, *, ends: bool) -> PartContents:
    """Return the contents as if the part were a capture of its own.

    Counters and headers count from the end of the part before. `ends` says that it is the last
    part, for which the device's own counters are right. Before it, the device has recorded more
    than it has handed over, so the headers of the buffers tell.
    """
    gathered, lanes = contents.gathered, contents.counts.lanes
    total = lanes if ends or lanes is None else _until_now(gathered, lanes, before)
    given = np.zeros(len(before.lanes), np.int64)
    old = gathered.visit < gathered.carried
    np.add.at(given, gathered.buffers["lane"][old], gathered.buffers["count"][old].astype(np.int64))
    header = contents.head.header.copy()
    strays = int(header["strays"])
    header["strays"] = max(strays - before.strays, 0)
    return PartContents(
        replace(
            contents,
            head=replace(contents.head, header=header),
            gathered=replace(gathered, buffers=_headers(gathered, before, given)),
            counts=replace(
                contents.counts, lanes=None if total is None else _since(total, before, given)
            ),
            first_numbers=dict(enumerate(before.numbers.tolist())),
        ),
        total,
        strays,
    )


def _until_now(gathered: Gathered, lanes: Array, before: PartState) -> Array:
    """Return the counters at the end of the last buffer of each lane."""
    total = lanes.copy()
    own = gathered.visit >= gathered.carried
    buffers, lane = gathered.buffers[own], gathered.buffers["lane"][own]
    for name in ("recorded", "dropped"):
        total[name] = before.lanes[name]
    np.maximum.at(total["recorded"], lane, buffers["first"] + buffers["count"])
    np.maximum.at(total["dropped"], lane, buffers["dropped"])
    total["wait_start"] = total["wait_end"] = 0  # a wait that goes on belongs to the next part
    return total


def _since(total: Array, before: PartState, given: Array) -> Array:
    """Return the counters without what the parts before account for, and with what they gave."""
    lanes = total.copy()
    for name in _COUNTED:
        lanes[name] = _less(total[name], before.lanes[name])
    lanes["recorded"] += given.astype(np.uint64)
    lanes["mismatched"] = np.minimum(lanes["mismatched"], lanes["dropped"])
    return lanes


def _headers(gathered: Gathered, before: PartState, given: Array) -> Array:
    """Return the headers of the buffers, which count from the end of the part before."""
    buffers = gathered.buffers.copy()
    own = gathered.visit >= gathered.carried
    lane = buffers["lane"][own]
    first = _less(buffers["first"][own], before.lanes["recorded"][lane])
    buffers["first"][own] = first + given[lane].astype(np.uint64)
    buffers["dropped"][own] = _less(buffers["dropped"][own], before.lanes["dropped"][lane])
    return buffers


def _less(values: Array, amount: Array) -> Array:
    return np.asarray(values - np.minimum(values, amount))


def part_path(target: Path, suffix: str, number: int) -> Path:
    """Return where a part is stored: NAME.0001.lanes."""
    return target.with_name(f"{target.stem}{suffix}.{number:04d}{target.suffix}")


def part_notes(before: PartState) -> tuple[str, ...]:
    """Return what a part says about itself: which it is, and which parts were deleted."""
    notes = [f"Part {before.stored + 1} of a recording that was cut into parts."]
    if before.removed:
        first, last = before.removed[0].name, before.removed[-1].name
        which = f"{first} was" if first == last else f"{first} to {last} were"
        records = sum(part.records for part in before.removed)
        size = sum(part.bytes for part in before.removed)
        notes.append(
            f"{which} deleted to stay within the quota: {records:,} records, {size:,} bytes."
        )
    return tuple(notes)


def within_quota(
    directory: Path, target: Path, suffix: str, *, state: PartState, quota: int
) -> PartState:
    """Delete the oldest parts to make room for one more, which may be as large as the largest.

    What is deleted is noted first, so that it is never unknown. A quota of 0 is no limit.
    """
    numbers = range(1, state.stored + 1)
    paths = [path for n in numbers if (path := part_path(target, suffix, n)).is_dir()]
    sizes = {path: sum(map(_size, _folders(path))) for path in paths}
    largest = max(sizes.values(), default=0)
    for path in paths if quota else []:
        if sum(sizes.values()) + largest <= quota:
            break
        records = sum(entry.total for entry in read_meta(path).ledger)
        removed = RemovedPart(path.name, sizes.pop(path), records)
        state = replace(state, removed=(*state.removed, removed))
        state.save(directory)
        for folder in _folders(path):
            shutil.rmtree(folder)
    return state


def _folders(part: Path) -> list[Path]:
    """Return the folders of a part: its trace, and its tensors where it has any."""
    return [one for one in (part, part.with_suffix(ENDING)) if one.is_dir()]


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())
