"""Dispatches on queues, copies on engines and calls of threads, as every profiler of streams gives.

A lane is a queue, not a stream: a queue carries many streams, and a stream moves between queues.
The stream is a counter of the task. Times count from the machine's boot, so there is no UTC.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from lanescope.formats.columns import different_rows
from lanescope.formats.rocprof.rows import Calls, RocRows
from lanescope.formats.streams import (
    CollectiveRows,
    DeviceLane,
    DeviceRows,
    HostRows,
    HostThread,
    StreamRecording,
)
from lanescope.formats.streams.kernels import communicates, kind_of_kernel
from lanescope.formats.streams.recording import CATEGORIES, WORK
from lanescope.render.cells import many_text
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_ENGINE = -1
"""In place of a queue: the engines of a device that copy."""
_BITS = 44


def roc_recording(rows: RocRows) -> StreamRecording:
    """The recording of these rows."""
    lanes, lane = _lanes(rows)
    thread, threads = _threads(rows)
    processes = _Processes(rows)
    work = _work(rows, lane, processes)
    used = {lane.device for lane in lanes}
    chips = dict.fromkeys(
        agent.name
        for agent in rows.agents.values()
        if agent.device is not None and agent.device in used and agent.name
    )
    devices = sorted(device for device in used if device is not None)
    facts: dict[str, Any] = {
        "chip": " and ".join(chips)[:256],
        "device": devices[0] if len(devices) == 1 else None,
        "process": int(processes.ids[0]) if len(processes.ids) == 1 else None,
    }
    facts |= rows.facts
    if facts["process"] == MISSING:
        facts["process"] = None
    facts["notes"] = tuple(
        f"Not read: {many_text(count, 'record')} of kind {kind}."
        for kind, count in rows.left_out.items()
        if count
    )
    return StreamRecording(
        lanes=lanes,
        threads=threads,
        work=work,
        host=_host(rows.calls, thread, processes),
        collectives=_collectives(work),
        facts=facts,
    )


class _Processes:
    """Numbers for (process, correlation): a correlation is unique in its process only."""

    def __init__(self, rows: RocRows) -> None:
        parts = (rows.dispatches.process, rows.copies.process, rows.calls.process)
        self.ids = np.unique(np.concatenate(parts))

    def launch(self, process: Array, correlation: Array) -> Array:
        known = (correlation > 0) & (correlation < 1 << _BITS)
        place = np.searchsorted(self.ids, process)
        return np.where(known, place * (1 << _BITS) + np.where(known, correlation, 0), MISSING)


def _lanes(rows: RocRows) -> tuple[list[DeviceLane], Array]:
    """The queues and engines that ran something, and the lane of each dispatch, then each copy."""
    dispatches, copies = rows.dispatches, rows.copies
    gpus = [number for number, agent in rows.agents.items() if agent.device is not None]
    mover = np.where(np.isin(copies.target, gpus), copies.target, copies.source)
    used, place = different_rows(
        np.append(dispatches.process, copies.process),
        np.append(dispatches.agent, mover),
        np.append(dispatches.queue, np.full(len(mover), _ENGINE)),
    )
    names = _names(used.tolist(), rows)
    lanes = [
        DeviceLane(
            name=name,
            lane="engine" if queue == _ENGINE else "queue",
            device=_device(rows, agent),
            queue=None if queue in (_ENGINE, MISSING) else queue,
            process=None if process == MISSING else process,
        )
        for name, (process, agent, queue) in zip(names, used.tolist(), strict=True)
    ]
    return lanes, place


def _device(rows: RocRows, agent: int) -> int | None:
    known = rows.agents.get(agent)
    return None if known is None else known.device


def _names(keys: list[list[int]], rows: RocRows) -> list[str]:
    """Names that are as short as they can be and still different."""
    several = len({agent for _, agent, _ in keys}) > 1
    names = []
    for _, agent, queue in keys:
        device = _device(rows, agent)
        place = f"device {device}" if device is not None else f"agent {agent}"
        what = "copies" if queue == _ENGINE else f"queue {queue}" if queue != MISSING else "queue"
        names.append(f"{place} {what}" if several else what)
    times = Counter(names)
    return [
        name if times[name] == 1 else f"process {process} {name}"
        for name, (process, _, _) in zip(names, keys, strict=True)
    ]


def _work(rows: RocRows, lane: Array, processes: _Processes) -> DeviceRows:
    kernels, copies = rows.dispatches, rows.copies
    talks = communicates(kernels.names)
    work = np.where(talks, WORK.index("communication"), WORK.index("compute"))
    kinds = work[kernels.name] if len(kernels.name) else kernels.name
    return DeviceRows(
        lane=lane,
        name=np.concatenate([kernels.name, copies.name + len(kernels.names)]),
        names=[*kernels.names, *copies.names],
        work=np.concatenate([kinds, np.full(len(copies.start), WORK.index("copy"))]),
        start=np.concatenate([kernels.start, copies.start]),
        end=np.concatenate([kernels.end, copies.end]),
        launch=np.concatenate(
            [
                processes.launch(kernels.process, kernels.correlation),
                processes.launch(copies.process, copies.correlation),
            ]
        ),
        values=_values(rows),
    )


def _values(rows: RocRows) -> dict[str, Array]:
    """Counters of the dispatches, and the bytes of the copies."""
    kernels, copies = rows.dispatches, rows.copies
    groups = -(-kernels.grid // np.maximum(kernels.workgroup, 1))
    known = ((kernels.grid > 0) & (kernels.workgroup > 0)).all(axis=1)
    of_kernels = {
        "blocks": np.where(known, groups.astype(np.float64).prod(axis=1), np.nan),
        "threads": np.where(known, kernels.workgroup.astype(np.float64).prod(axis=1), np.nan),
        "registers": _number(kernels.registers),
        "shared memory": _number(kernels.shared),
        "stream": _number(kernels.stream),
    }
    none = np.full(len(copies.start), np.nan)
    values = {name: np.concatenate([value, none]) for name, value in of_kernels.items()}
    values["bytes"] = np.concatenate([np.full(len(kernels.start), np.nan), _number(copies.bytes)])
    return {name: value for name, value in values.items() if not np.isnan(value).all()}


def _number(values: Array) -> Array:
    return np.where(values >= 0, values, np.nan)


def _threads(rows: RocRows) -> tuple[Array, list[HostThread]]:
    """The thread of each call, and the threads."""
    used, place = different_rows(rows.calls.process, rows.calls.thread)
    several = len({process for process, _ in used.tolist()}) > 1
    threads = []
    for process, thread in used.tolist():
        name = rows.threads.get((process, thread)) or f"thread {thread}"
        threads.append(HostThread(name=f"process {process} {name}" if several else name))
    return place, threads


def _host(calls: Calls, thread: Array, processes: _Processes) -> HostRows:
    annotation, call = CATEGORIES.index("annotation"), CATEGORIES.index("call")
    launch = processes.launch(calls.process, calls.correlation)
    return HostRows(
        thread=thread,
        name=calls.name,
        names=calls.names,
        category=np.where(calls.is_range, annotation, call),
        start=calls.start,
        end=calls.end,
        launch=np.where(calls.is_range, MISSING, launch),
    )


def _collectives(work: DeviceRows) -> CollectiveRows:
    """Kernels that communicate; neither their group nor their number is recorded."""
    assert work.work is not None
    at = np.flatnonzero(work.work == WORK.index("communication"))
    kinds = {code: kind_of_kernel(work.names[code]) for code in np.unique(work.name[at]).tolist()}
    return CollectiveRows(
        row=at, group=[""] * len(at), kind=[kinds[code] for code in work.name[at].tolist()]
    )
