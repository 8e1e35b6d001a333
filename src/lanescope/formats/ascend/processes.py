"""What the lanes of a timeline are: streams, groups of ranks, host threads, or rows derived."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.formats.ascend.timeline import TimelineEvents
from lanescope.formats.streams import DeviceLane, HostThread
from lanescope.trace.table import Array

_HARDWARE = "Ascend Hardware"
_COMMUNICATION = ("HCCL", "Communication")
_DERIVED = "Overlap Analysis"
_HOST = ("Python", "CANN")
_STREAM = re.compile(r"Stream (\d{1,18})")
_PLANE = re.compile(r"Plane .*")


@dataclass(slots=True)
class Processes:
    """Per lane of the timeline: what it is, and its place among its like; -1 where it is none."""

    device: Array
    """Place in `lanes`, of streams, groups and tracks."""
    plane: Array
    """1 where the lane shows tasks of a group that also lie on streams."""
    host: Array
    """Place in `threads`; the lanes of one thread in two processes are one thread."""
    derived: Array
    """1 where the profiler made the rows from others."""
    group: Array
    """1 where the lane shows whole operations among ranks."""
    lanes: list[DeviceLane] = field(default_factory=list)
    threads: list[HostThread] = field(default_factory=list)

    @classmethod
    def of(cls, count: int) -> Processes:
        """Nothing known yet of this many lanes."""
        device, plane, host, derived, group = (np.full(count, -1, np.int64) for _ in range(5))
        return cls(device=device, plane=plane, host=host, derived=derived, group=group)


def processes(timeline: TimelineEvents) -> Processes:
    """Tell the lanes that have a slice apart, by the names of their processes."""
    names = _metadata(timeline, "process_name", "args.name")
    labels = _metadata(timeline, "process_labels", "args.labels")
    process = {pid: name for (pid, _), name in names}
    label = {pid: name for (pid, _), name in labels}
    thread = dict(_metadata(timeline, "thread_name", "args.name"))
    found = Processes.of(len(timeline.lanes))
    used = np.unique(timeline.lane[timeline.phase == "X"])
    numbered: dict[Any, int] = {}
    chips = [pid for pid, name in process.items() if name.startswith(_HARDWARE)]
    for lane in used.tolist():
        pid, tid = timeline.lanes[lane]
        title = thread.get((pid, tid), f"{tid}")
        name = process.get(pid, "")
        if name.startswith(_DERIVED):
            found.derived[lane] = 1
        elif name.startswith(_HOST) or (label.get(pid) == "CPU" and _HARDWARE not in name):
            found.host[lane] = numbered.setdefault(tid, len(numbered))
            if found.host[lane] == len(found.threads):
                found.threads.append(HostThread(name=title))
        else:
            found.device[lane] = len(found.lanes)
            chip = f" of {pid}" if len(chips) > 1 else ""
            found.lanes.append(_device_lane(name, title, tid, chip))
            of_group = name.startswith(_COMMUNICATION)
            found.plane[lane] = int(of_group and _PLANE.fullmatch(title) is not None)
            found.group[lane] = int(of_group and not found.plane[lane])
    return found


def _device_lane(process: str, title: str, tid: Any, chip: str) -> DeviceLane:
    """The lane; `chip` tells the streams of several devices apart, whose numbers are not known."""
    stream = _STREAM.fullmatch(title)
    if process.startswith(_HARDWARE) and (stream or isinstance(tid, int)):
        number = int(stream[1]) if stream else int(tid)
        return DeviceLane(name=f"stream {number}{chip}", queue=number)
    if process.startswith(_COMMUNICATION):
        return DeviceLane(name=title, lane="communicator")
    return DeviceLane(name=f"{process} {title}".strip(), lane="track")


def _metadata(
    timeline: TimelineEvents, what: str, key: str
) -> Iterator[tuple[tuple[Any, Any], str]]:
    """What the metadata events of one name say, by process and thread."""
    names, values = timeline.words("name"), timeline.words(key)
    if what not in names:
        return
    rows = np.flatnonzero((timeline.phase == "M") & (timeline.columns["name"] == names.index(what)))
    for row in rows.tolist():
        code = int(timeline.columns[key][row])
        if code >= 0:
            yield timeline.lanes[int(timeline.lane[row])], values[code]
