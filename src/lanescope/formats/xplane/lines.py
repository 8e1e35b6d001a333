"""What the lines of an XSpace are: streams, engines, annotations, steps, host threads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from lanescope.formats.streams import DeviceLane, HostThread
from lanescope.formats.xplane import fields as f
from lanescope.formats.xplane.space import Space
from lanescope.trace.table import Array

WORK, ASYNC, ANNOTATION, STEP, HOST, LEFT_OUT = range(6)
_STREAM = re.compile(r"Stream #(\d+)")
_DEVICE = re.compile(r"(?:/device:|#Chip)\D*(\d{1,10})(?!\d)")


@dataclass(slots=True)
class Lines:
    """The role of every line, and its lane or thread."""

    role: Array
    lane: Array
    """Of WORK and ASYNC the lane; of ANNOTATION the lane it is drawn on; else -1."""
    thread: Array
    """Of HOST the thread, else -1."""
    lanes: list[DeviceLane] = field(default_factory=list)
    threads: list[HostThread] = field(default_factory=list)
    unknown_planes: list[str] = field(default_factory=list)


def classify(space: Space) -> Lines:
    """Give every line its role. Lines of one plane with the same id are one lane or thread."""
    count = len(space.line_plane)
    lines = Lines(np.full(count, LEFT_OUT), np.full(count, -1), np.full(count, -1))
    for plane, name in enumerate(space.plane_name):
        own = np.flatnonzero(space.line_plane == plane).tolist()
        if name.startswith(f.DEVICE_PLANES):
            _device(space, lines, plane, own)
        elif name.startswith(f.HOST_PLANES):
            _host(space, lines, name, own)
        elif own:
            lines.unknown_planes.append(name)
    return lines


def _device(space: Space, lines: Lines, plane: int, own: list[int]) -> None:
    name = space.plane_name[plane]
    device = _device_number(space, plane)
    has_streams = any(_STREAM.match(space.line_name[line]) for line in own)
    lane_of: dict[tuple[int, str], int] = {}
    for line in own:
        role, kind = _role(space.line_name[line], has_streams)
        lines.role[line] = role
        if role not in (WORK, ASYNC):
            continue
        key = int(space.line_id[line]), space.line_name[line]
        if key not in lane_of:
            lane_of[key] = len(lines.lanes)
            lines.lanes.append(_lane(name, device, key, kind))
        lines.lane[line] = lane_of[key]
    first = next((lane for lane in lane_of.values()), None)
    for line in own:
        if lines.role[line] == ANNOTATION:
            if first is None:
                first = len(lines.lanes)
                key = int(space.line_id[line]), space.line_name[line]
                lines.lanes.append(_lane(name, device, key, "engine"))
            lines.lane[line] = first


def _role(name: str, has_streams: bool) -> tuple[int, str]:
    """What a device's line is, and which kind of lane. Beside streams, lines of ops are derived:
    the streams have what really ran."""
    if _STREAM.match(name):
        return WORK, "stream"
    if name in f.STEP_LINES:
        return STEP, ""
    if name in f.MODULE_LINES or name in f.ANNOTATION_LINES:
        return ANNOTATION, ""
    if name in f.OP_LINES:
        return (ANNOTATION, "") if has_streams else (WORK, "engine")
    if name in f.ASYNC_LINES:
        return (LEFT_OUT, "") if has_streams else (ASYNC, "engine")
    if name in f.DERIVED_LINES:
        return LEFT_OUT, ""
    return WORK, "track"


def _lane(plane: str, device: int | None, key: tuple[int, str], kind: str) -> DeviceLane:
    number, name = key
    stream = _STREAM.match(name)
    return DeviceLane(
        name=f"{plane.removeprefix('/device:')} {name}",
        lane=kind,
        device=device,
        queue=int(stream[1]) if stream else number,
    )


def _device_number(space: Space, plane: int) -> int | None:
    told = _DEVICE.match(space.plane_name[plane])
    return int(told[1]) if told and int(told[1]) < 1 << 31 else None


def _host(space: Space, lines: Lines, plane: str, own: list[int]) -> None:
    thread_of: dict[tuple[int, str], int] = {}
    for line in own:
        lines.role[line] = HOST
        key = int(space.line_id[line]), space.line_name[line]
        if key not in thread_of:
            thread_of[key] = len(lines.threads)
            shown = key[1] or f"{plane} {key[0]}"
            lines.threads.append(HostThread(name=shown))
        lines.thread[line] = thread_of[key]
