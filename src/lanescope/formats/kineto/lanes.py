"""Which lanes a Kineto file has: streams of devices and threads of the host, each told by category.

A device's number may equal a process's number, so the two are never compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.formats.kineto.events import KinetoEvents, as_number
from lanescope.formats.streams import DeviceLane, HostThread
from lanescope.trace import MISSING
from lanescope.trace.table import Array

UNKNOWN_STREAMS = (-1, 0xFFFFFFFF)
"""How CUPTI writes "no stream", with and without sign."""
_LONGEST_NAME = 4096


@dataclass(frozen=True, slots=True)
class StreamLanes:
    """The streams of a file in order of device and stream, and which row lies on which."""

    lanes: list[DeviceLane]
    key: Array
    """(device, stream) of each lane."""
    devices: list[int]

    def of(self, device: Array, stream: Array) -> Array:
        """Number of the lane; -1 where there is no such stream, or it is not known."""
        if not len(self.key):
            return np.full(len(device), -1, np.int64)
        wanted = np.stack([device, stream], axis=1)
        both = np.concatenate([self.key, wanted])
        _, code = np.unique(both, axis=0, return_inverse=True)
        code = code.reshape(-1)
        lane_of = np.full(int(code.max()) + 1, -1, np.int64)
        lane_of[code[: len(self.key)]] = np.arange(len(self.key))
        found: Array = lane_of[code[len(self.key) :]]
        return found


def device_of(events: KinetoEvents, rows: Array) -> Array:
    """The device of each row: `args.device`, else the process; -1 where neither is a number."""
    given = events.arg("device")[rows]
    return np.where(given != MISSING, given, _numbers(events, "pid", rows))


def stream_of(events: KinetoEvents, rows: Array) -> Array:
    """The stream of each row: `args.stream`, else the thread; -1 where neither is a number."""
    given = events.arg("stream")[rows]
    return np.where(given != MISSING, given, _numbers(events, "tid", rows))


def _numbers(events: KinetoEvents, key: str, rows: Array) -> Array:
    values = [as_number(value) for value in events.rows.values[key]]
    known = [-1 if value is None else value for value in values] + [-1]
    codes = events.rows[key][rows]
    found: Array = np.array(known, np.int64)[np.where(codes == MISSING, len(values), codes)]
    return found


def stream_lanes(events: KinetoEvents, rows: Array) -> StreamLanes:
    """The streams on which these rows lie."""
    pairs = np.stack([device_of(events, rows), stream_of(events, rows)], axis=1)
    key = np.unique(pairs, axis=0)
    devices = sorted({int(device) for device in key[:, 0]})
    several = len(devices) > 1
    lanes = [
        DeviceLane(
            name=f"device {device} stream {stream}" if several else f"stream {stream}",
            device=device,
            queue=stream,
        )
        for device, stream in key.tolist()
    ]
    return StreamLanes(lanes, key, devices)


@dataclass(frozen=True, slots=True)
class HostThreads:
    """The threads that have rows, by process and thread, and the thread of each of these rows."""

    threads: list[HostThread]
    thread: Array
    pairs: list[tuple[Any, Any]]
    """Process and thread of each, as the file writes them."""
    processes: list[int]

    def of(self, events: KinetoEvents, rows: Array) -> Array:
        """Number of the thread on which each row lies; -1 where it has no rows of its own."""
        known = {pair: number for number, pair in enumerate(self.pairs)}
        codes = np.stack([events.rows["pid"][rows], events.rows["tid"][rows]], axis=1)
        used, place = np.unique(codes, axis=0, return_inverse=True)
        number = [
            known.get((_value(events, "pid", p), _value(events, "tid", t)), -1) for p, t in used
        ]
        found: Array = np.array([*number, -1], np.int64)[place.reshape(-1)]
        return found


def host_threads(events: KinetoEvents, rows: Array) -> HostThreads:
    """The threads on which these rows lie, in order of process and thread."""
    codes = np.stack([events.rows["pid"][rows], events.rows["tid"][rows]], axis=1)
    used, place = np.unique(codes, axis=0, return_inverse=True)
    pairs = [(_value(events, "pid", p), _value(events, "tid", t)) for p, t in used]
    order = sorted(range(len(pairs)), key=lambda k: (_natural(pairs[k][0]), _natural(pairs[k][1])))
    number = np.empty(len(pairs), np.int64)
    number[order] = np.arange(len(pairs))
    names = _thread_names(events)
    sorted_pairs = [pairs[k] for k in order]
    several = len({pid for pid, _ in sorted_pairs}) > 1
    threads = [HostThread(name=_name(names, pair, several)) for pair in sorted_pairs]
    processes = sorted({pid for pid, _ in sorted_pairs if isinstance(pid, int) and pid > 0})
    return HostThreads(threads, number[place.reshape(-1)], sorted_pairs, processes)


def _name(names: dict[Any, str], pair: tuple[Any, Any], several: bool) -> str:
    pid, tid = pair
    name = names.get(pair) or f"thread {tid}"
    return f"process {pid} {name}" if several else name


def _thread_names(events: KinetoEvents) -> dict[Any, str]:
    names = {}
    for row in np.flatnonzero(events.phase == "M").tolist():
        if events.text("name", row) == "thread_name":
            pid, tid = (_value(events, key, int(events.rows[key][row])) for key in ("pid", "tid"))
            names[pid, tid] = events.text("args.name", row)[:_LONGEST_NAME]
    return names


def _value(events: KinetoEvents, key: str, code: int) -> Any:
    if code == MISSING:
        return ""
    value = events.rows.values[key][code]
    number = as_number(value)
    return str(value) if number is None else number


def _natural(value: Any) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (1 << 62, str(value))
