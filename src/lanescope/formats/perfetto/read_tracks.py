"""Descriptors of tracks: what each is called, whose it is, and which are shown as one."""

from __future__ import annotations

from dataclasses import dataclass, field

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.packets import Packets
from lanescope.formats.proto_rows import ProtoFile, content, number, optional
from lanescope.formats.tracks import Track
from lanescope.trace import MISSING
from lanescope.trace.table import Array


@dataclass(slots=True)
class Described:
    """One track as its descriptors tell."""

    name: str = ""
    parent: int = 0
    process: int | None = None
    """pid"""
    process_name: str = ""
    is_thread: bool = False
    is_process: bool = False
    merges: bool = True
    multiplier: int = 1
    incremental: bool = False


@dataclass(slots=True)
class Descriptions:
    """All described tracks by uuid, in the order of the file."""

    tracks: dict[int, Described] = field(default_factory=dict)

    def lane_key(self, uuid: int) -> tuple[int, str] | int:
        """What tracks share that are one lane: plain tracks of one name under one parent."""
        one = self.tracks.get(uuid)
        if one is None or one.is_thread or one.is_process or not one.merges or not one.name:
            return uuid
        return one.parent, one.name

    def track(self, uuid: int) -> Track:
        """The track as a lane of a trace."""
        one = self.tracks.get(uuid, Described())
        owner = self._owner(uuid)
        name = one.name or one.process_name or f"track {uuid & (1 << 64) - 1}"
        if one.process is not None and not one.name and one.is_thread:
            name = f"thread of {one.process_name or one.process}"
        group = owner.process_name or (owner.name if owner is not one else "")
        return Track(name=name, group=group, process=owner.process)

    def _owner(self, uuid: int) -> Described:
        """The track, or what is above it: the first that knows its process, or the topmost."""
        seen = set()
        one = self.tracks.get(uuid, Described())
        while one.process is None and one.parent in self.tracks and one.parent not in seen:
            seen.add(one.parent)
            one = self.tracks[one.parent]
        return one


def read_descriptions(packets: Packets) -> Descriptions:
    """Read all descriptors; a later one of the same track adds to the earlier."""
    file = packets.file
    spans = packets.descriptor[packets.descriptor[:, 0] >= 0]
    uuid, name, static, atrace, process, thread, parent, counter, merge = file.columns(
        spans,
        number(f.TRACK_UUID),
        content(f.TRACK_NAME),
        content(f.TRACK_STATIC_NAME),
        content(f.TRACK_ATRACE_NAME),
        content(f.TRACK_PROCESS),
        content(f.TRACK_THREAD),
        number(f.TRACK_PARENT_UUID),
        content(f.TRACK_COUNTER),
        number(f.TRACK_SIBLING_MERGE),
    )
    found = Descriptions()
    about = _Parts(file, process, thread, counter)
    for row, key in enumerate(uuid.tolist()):
        one = found.tracks.setdefault(key, Described())
        texts = (file.text(spans[row]) for spans in (name, static, atrace))
        one.name = next((text for text in texts if text), "") or one.name
        one.parent = int(parent[row]) or one.parent
        one.merges = one.merges and int(merge[row]) != f.MERGE_NONE
        about.add(one, row)
    names = {one.process: one.process_name for one in found.tracks.values() if one.process_name}
    for one in found.tracks.values():
        one.process_name = one.process_name or names.get(one.process, "")
    return found


class _Parts:
    """The messages inside descriptors, as columns."""

    def __init__(self, file: ProtoFile, process: Array, thread: Array, counter: Array) -> None:
        self._file = file
        self._process, self._thread, self._counter = process, thread, counter
        self._pid, self._process_name = file.columns(
            process, optional(f.PROCESS_PID), content(f.PROCESS_NAME)
        )
        self._owner, self._tid, self._thread_name = file.columns(
            thread, optional(f.THREAD_PID), optional(f.THREAD_TID), content(f.THREAD_NAME)
        )
        self._multiplier, self._incremental = file.columns(
            counter, number(f.COUNTER_MULTIPLIER, missing=1), number(f.COUNTER_INCREMENTAL)
        )

    def add(self, one: Described, row: int) -> None:
        """Add what the descriptor at this row says of process, thread and counter."""
        if self._counter[row, 0] >= 0:
            one.multiplier = max(int(self._multiplier[row]), 1)
            one.incremental = bool(self._incremental[row])
        for pid in (int(self._pid[row]), int(self._owner[row])):
            if pid != MISSING:
                one.process = pid
        if self._process[row, 0] >= 0:
            one.is_process = True
            one.process_name = self._file.text(self._process_name[row]) or one.process_name
        if self._thread[row, 0] >= 0:
            one.is_thread = True
            tid = int(self._tid[row])
            said = self._file.text(self._thread_name[row])
            one.name = one.name or said or ("" if tid == MISSING else f"thread {tid}")
