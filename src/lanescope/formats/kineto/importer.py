"""A Kineto file becomes a trace: streams with kernels and copies, host threads and their rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.json_file import JsonFile, map_file
from lanescope.formats.json_rows import TextSpan
from lanescope.formats.kineto.categories import ANNOTATION, DEVICE, HOST, NOT_WORK, SYNC
from lanescope.formats.kineto.collectives import collective_rows
from lanescope.formats.kineto.events import KinetoEvents, read_kineto_events
from lanescope.formats.kineto.facts import file_facts, utc_ns
from lanescope.formats.kineto.lanes import (
    HostThreads,
    StreamLanes,
    device_of,
    host_threads,
    stream_lanes,
    stream_of,
)
from lanescope.formats.kineto.memory import memory_moments, memory_series
from lanescope.formats.kineto.syncs import sync_waits
from lanescope.formats.look import FileLook
from lanescope.formats.streams import (
    AnnotationRows,
    DeviceRows,
    HostRows,
    StepRows,
    StreamRecording,
    stream_trace,
)
from lanescope.formats.streams.kernels import communicates
from lanescope.formats.streams.recording import CATEGORIES, WORK
from lanescope.render.cells import many_text
from lanescope.trace import MISSING, Trace
from lanescope.trace.table import Array

_HEAD_KEYS = ("schemaVersion", "deviceProperties", "distributedInfo")
_SIGNS = tuple(
    f'"{word}"'.encode()
    for word in ("cuda_runtime", "cuda_driver", "gpu_memcpy", "ac2g", "xpu_runtime", "Runtime")
)
_LOOKED_AT = 1 << 18
_NAMED = 6
"""How many categories a sentence names at most."""
_STEP = re.compile(r"ProfilerStep#(\d{1,18})")


def recognises(look: FileLook) -> str | None:
    """A Chrome trace with Kineto's head, or with rows of its categories near the beginning."""
    if look.json is not None and "traceEvents" in look.json:
        if any(key in look.json for key in _HEAD_KEYS):
            return "kineto"
        start = bytes(look.json.values["traceEvents"].data[:_LOOKED_AT])
    elif look.shape == "array":
        start = look.head
    else:
        return None
    return "kineto" if any(sign in start for sign in _SIGNS) else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace: that of one process."""
    file = bundle.main
    # The rows of the file are given back before the trace is built.
    recording, notes = _recording(
        file.json, read_kineto_events(file.path, _events_of(file.path, file.json))
    )
    yield stream_trace(recording, bundle, notes=notes)


def _events_of(path: Any, json: JsonFile | None) -> TextSpan:
    if json is not None:
        return json.values["traceEvents"]
    whole = map_file(path)
    return TextSpan(path, whole, whole)


def _recording(json: JsonFile | None, events: KinetoEvents) -> tuple[StreamRecording, list[str]]:
    """Everything in the file, and sentences about what was left out."""
    complete = events.phase == "X"
    device = np.flatnonzero(complete & events.is_one_of("cat", set(DEVICE)))
    host = np.flatnonzero(complete & events.is_one_of("cat", set(HOST)))
    named = np.flatnonzero(complete & events.is_one_of("cat", {ANNOTATION}))
    sync = np.flatnonzero(complete & events.is_one_of("cat", {SYNC}))
    lanes = stream_lanes(events, np.concatenate([device, named]))
    threads = host_threads(events, host)
    waits, odd = sync_waits(events, sync, lanes)
    memory = memory_moments(events)
    about = _decoded(json, "distributedInfo", dict)
    work = _work(events, device, lanes)
    assert work.work is not None
    talking = work.work == WORK.index("communication")
    recording = StreamRecording(
        lanes=lanes.lanes,
        threads=threads.threads,
        work=work,
        host=_host(events, host, threads),
        annotations=AnnotationRows(
            lane=_lane(events, named, lanes),
            name=_codes(events, named),
            names=_names(events),
            start=events.start[named],
            end=events.end[named],
        ),
        waits=waits,
        collectives=collective_rows(events, device, talking, about),
        steps=_steps(events, host, threads),
        series=memory_series(events, memory),
        utc_ns=utc_ns(json, events, np.concatenate([device, host])),
    )
    properties = _decoded(json, "deviceProperties", list)
    recording.facts = file_facts(json, about, properties, lanes, threads, recording.steps)
    used = np.zeros(len(events.phase), bool)
    for rows in (device, host, named, sync):
        used[rows] = True
    used |= events.is_one_of("cat", set(NOT_WORK))
    other = np.flatnonzero(complete & ~used)
    left_out = _left_out(events, other, odd)
    if left_out:
        total = int(np.count_nonzero(complete))
        why = "; ".join(f"{thing}s {which}" for _, thing, which in left_out)
        recording.ledger = (("slice", total, len(other) + odd, why),)
    moments = int(np.count_nonzero(events.is_one_of("cat", {"cpu_instant_event"}))) - len(memory)
    if moments > 0:
        left_out.append((moments, "moment", "of the host"))
    notes = [f"Left out: {many_text(many, thing)} {which}." for many, thing, which in left_out]
    if not len(device):
        notes.append("The file has no row of a device: only the host was recorded.")
    return recording, notes


def _decoded(json: JsonFile | None, key: str, kind: type) -> Any:
    """A small value of the file's head; empty where it is absent or of another type."""
    if json is None or key not in json:
        return kind()
    try:
        return json.decode(key, kind)
    except InputError:
        return kind()


def _names(events: KinetoEvents) -> list[str]:
    return [*events.texts("name"), "(no name)"]


def _codes(events: KinetoEvents, rows: Array) -> Array:
    codes = events.rows["name"][rows]
    return np.where(codes == MISSING, len(events.rows.values["name"]), codes)


def _lane(events: KinetoEvents, rows: Array, lanes: StreamLanes) -> Array:
    return lanes.of(device_of(events, rows), stream_of(events, rows))


def _launch(events: KinetoEvents, rows: Array) -> Array:
    """Correlation ids begin at 1; 0 says that there is none."""
    given = events.arg("correlation")[rows]
    return np.where(given == 0, MISSING, given)


def _work(events: KinetoEvents, rows: Array, lanes: StreamLanes) -> DeviceRows:
    names = _names(events)
    work_of = [WORK.index(DEVICE.get(cat.lower(), "compute")) for cat in events.texts("cat")]
    work = np.array(work_of, np.int64)[events.rows["cat"][rows]]
    name = _codes(events, rows)
    used = np.unique(name)
    talks = np.zeros(len(names), bool)
    talks[used] = communicates([names[code] for code in used.tolist()])
    told = events.arg("Collective name")[rows] != MISSING
    kernel = work == WORK.index("compute")
    work = np.where(kernel & (talks[name] | told), WORK.index("communication"), work)
    return DeviceRows(
        lane=_lane(events, rows, lanes),
        name=name,
        names=names,
        work=work,
        start=events.start[rows],
        end=events.end[rows],
        launch=_launch(events, rows),
        op=events.external_id()[rows],
        values=_values(events, rows),
    )


def _values(events: KinetoEvents, rows: Array) -> dict[str, Array]:
    """Counters of the rows that ran on a stream."""
    size = events.arg("bytes")[rows]
    node = events.arg("graph node id")[rows]
    return {
        "bytes": np.where(size >= 0, size, np.nan),
        "blocks": _product(events.arg("grid")[rows]),
        "threads": _product(events.arg("block")[rows]),
        "registers": events.arg("registers per thread")[rows],
        "shared memory": events.arg("shared memory")[rows],
        "occupancy": events.arg("est. achieved occupancy %")[rows],
        "graph node": np.where(node > 0, node, np.nan),
    }


def _product(sizes: Array) -> Array:
    known = (sizes >= 0).all(axis=1)
    return np.where(known, sizes.astype(np.float64).prod(axis=1), np.nan)


def _host(events: KinetoEvents, rows: Array, threads: HostThreads) -> HostRows:
    kinds = [CATEGORIES.index(HOST.get(cat.lower(), "operator")) for cat in events.texts("cat")]
    category = np.array(kinds, np.int64)[events.rows["cat"][rows]]
    is_call = category == CATEGORIES.index("call")
    return HostRows(
        thread=threads.thread,
        name=_codes(events, rows),
        names=_names(events),
        category=category,
        start=events.start[rows],
        end=events.end[rows],
        launch=np.where(is_call, _launch(events, rows), MISSING),
        op=events.external_id()[rows],
        flow=_flows(events, rows, threads, category == CATEGORIES.index("operator")),
    )


def _flows(events: KinetoEvents, rows: Array, threads: HostThreads, operators: Array) -> Array:
    """Number of the arrow from a forward operator to its backward one, on both of their rows.

    An end of an arrow lies where its operator starts, on the same thread.
    """
    flow = np.full(len(rows), MISSING)
    ends = np.flatnonzero(np.isin(events.phase, ["s", "f"]) & events.is_one_of("cat", {"fwdbwd"}))
    place = np.flatnonzero(operators)
    if not len(ends) or not len(place):
        return flow
    order = np.lexsort((-events.end[rows[place]], events.start[rows[place]], threads.thread[place]))
    place = place[order]
    moments, code = np.unique(
        np.concatenate([events.start[rows[place]], events.start[ends]]), return_inverse=True
    )
    code = code.reshape(-1)
    own = threads.thread[place] * len(moments) + code[: len(place)]
    wanted = threads.of(events, ends) * len(moments) + code[len(place) :]
    at = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
    hit = own[at] == wanted
    flow[place[at[hit]]] = events.rows["id"][ends[hit]]
    return flow


def _steps(events: KinetoEvents, rows: Array, threads: HostThreads) -> StepRows:
    """Rows of the host that the profiler calls ProfilerStep#N."""
    names = events.texts("name")
    steps = {code: found for code, name in enumerate(names) if (found := _STEP.fullmatch(name))}
    at = np.flatnonzero(np.isin(events.rows["name"][rows], list(steps)))
    codes = events.rows["name"][rows[at]].tolist()
    return StepRows(
        step=np.array([int(steps[code][1]) for code in codes], np.int64),
        name=[names[code] for code in codes],
        thread=threads.thread[at],
        start=events.start[rows[at]],
        end=events.end[rows[at]],
    )


def _left_out(events: KinetoEvents, other: Array, odd: int) -> list[tuple[int, str, str]]:
    """What nobody knows: how many, of what, and which."""
    left_out = []
    if len(other):
        kinds = sorted({events.text("cat", row) or "(none)" for row in other.tolist()})
        named = f"{', '.join(kinds[:_NAMED])}{', …' if len(kinds) > _NAMED else ''}"
        left_out.append((len(other), "row", f"of unknown category ({named})"))
    if odd:
        left_out.append((odd, "wait", "of unknown kind"))
    return left_out
