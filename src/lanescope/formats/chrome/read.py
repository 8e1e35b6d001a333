"""Reads Chrome Trace Event JSON of any tool: a (pid, tid) is a track, every slice a task.

Times are read as exact decimals. `proton.py` knows the traces of one tool whose times need a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.formats.bundle import Bundle
from lanescope.formats.chrome import own
from lanescope.formats.chrome.arrows import chrome_arrows
from lanescope.formats.chrome.events import ChromeEvents, PairedEvents, pair_events, read_events
from lanescope.formats.chrome.proton import as_proton
from lanescope.formats.columns import whole_id
from lanescope.formats.drawn import drawn_trace
from lanescope.formats.look import FileLook
from lanescope.formats.tracks import CounterRows, SliceRows, Track, TrackRecording, track_trace
from lanescope.render.cells import many_text
from lanescope.trace import Trace
from lanescope.trace.table import Array

_FIRST_UTC, _LAST_UTC = 10**18, 2 * 10**18
"""Times of UNIX size, in ns: 2001 to 2033."""
_INSTANTS = ("i", "I", "R", "n")


def recognises(look: FileLook) -> str | None:
    """The file is an array of objects, or an object with `traceEvents`."""
    if look.shape == "array":
        return "chrome" if look.start[1:].lstrip()[:1] in (b"{", b"]", b"") else None
    return "chrome" if look.json is not None and "traceEvents" in look.json else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace."""
    path = bundle.main.path
    about = own.told(path, bundle.main.json)
    if about is not None:
        yield drawn_trace(about, own.drawn_rows(path, about), bundle)
        return
    events = read_events(path)
    yield track_trace(as_proton(_recording(events, bundle)), bundle)


def _recording(events: ChromeEvents, bundle: Bundle) -> TrackRecording:
    slices = pair_events(events)
    moments = np.flatnonzero(np.isin(events.phase, _INSTANTS))
    told = _metadata(events)
    tracks, number = _tracks(events, told)
    return TrackRecording(
        tracks=tracks,
        slices=SliceRows(
            track=number[events.lane[slices.row]],
            start=events.time[slices.row],
            end=slices.end,
            name=events.name[slices.row],
            names=events.names,
        ),
        moments=SliceRows(
            track=number[events.lane[moments]],
            start=events.time[moments],
            end=events.time[moments],
            name=events.name[moments],
            names=events.names,
        ),
        counters=_counters(events, told),
        arrows=chrome_arrows(events, slices),
        unmatched=slices.unmatched,
        utc_ns=_utc_ns(events, slices, bundle),
        facts={"notes": _notes(events)},
    )


def _utc_ns(events: ChromeEvents, slices: PairedEvents, bundle: Bundle) -> int | None:
    """UTC at the file's 0: told by `baseTimeNanoseconds`, or all times are of UNIX size."""
    json = bundle.main.json
    for key in ("baseTimeNanoseconds", "viztracer_metadata"):
        value = json.decode(key, object) if json is not None and key in json else None
        value = value.get("baseTimeNanoseconds") if isinstance(value, dict) else value
        if isinstance(value, int) and _FIRST_UTC < value < _LAST_UTC:
            return value
    times = events.time[slices.row]
    told = len(times) and _FIRST_UTC < int(times.min()) and int(times.max()) < _LAST_UTC
    return 0 if told else None


def _notes(events: ChromeEvents) -> list[str]:
    notes = []
    if not events.ended:
        notes.append("The array of events has no end: the last events may be missing.")
    other = sorted(set(events.phase.tolist()) - set("XBEbesftCM") - set(_INSTANTS))
    if other:
        count = int(np.isin(events.phase, other).sum())
        notes.append(f"Not read: {many_text(count, 'event')} with 'ph' {', '.join(other)}.")
    return notes


@dataclass(slots=True)
class _Told:
    """What metadata events say of processes and threads."""

    process: dict[Any, str]
    thread: dict[Any, str]
    process_order: dict[Any, int]
    thread_order: dict[Any, int]


def _tracks(events: ChromeEvents, told: _Told) -> tuple[list[Track], Array]:
    """Tracks by process sort index, pid, thread sort index, tid; and the number of each lane."""
    keys = []
    for code, (pid, tid) in enumerate(events.lanes):
        process, thread = told.process_order.get(pid, 0), told.thread_order.get((pid, tid), 0)
        keys.append((process, _natural(pid), thread, _natural(tid), code))
    keys.sort()
    number = np.empty(len(keys), np.int64)
    tracks = []
    for place, key in enumerate(keys):
        pid, tid = events.lanes[key[-1]]
        number[key[-1]] = place
        group = told.process.get(pid, str(pid) if isinstance(pid, str) else "")
        name = told.thread.get((pid, tid), f"{pid}/{tid}")
        tracks.append(Track(name=name, group=group, process=whole_id(pid)))
    return tracks, number


def _natural(value: Any) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (1 << 62, str(value))


def _metadata(events: ChromeEvents) -> _Told:
    told = _Told({}, {}, {}, {})
    for row in np.flatnonzero(events.phase == "M").tolist():
        pid, tid = events.lanes[int(events.lane[row])]
        match events.names[int(events.name[row])], events.arguments(row):
            case "process_name", {"name": str(name)}:
                told.process[pid] = name
            case "thread_name", {"name": str(name)}:
                told.thread[pid, tid] = name
            case "process_sort_index", {"sort_index": int(order)}:
                told.process_order[pid] = order
            case "thread_sort_index", {"sort_index": int(order)}:
                told.thread_order[pid, tid] = order
    return told


def _counters(events: ChromeEvents, told: _Told) -> CounterRows:
    """One row per numeric argument of a counter event.

    Where several processes have values of one name, each has its own.
    """
    rows = np.flatnonzero(events.phase == "C")
    processes = [events.lanes[lane][0] for lane in events.lane[rows].tolist()]
    titles = [events.names[name] for name in events.name[rows].tolist()]
    owners = Counter(title for title, _ in {*zip(titles, processes, strict=True)})
    names: dict[str, int] = {}
    name: list[int] = []
    value: list[float] = []
    time: list[int] = []
    for row, title, pid in zip(rows.tolist(), titles, processes, strict=True):
        args = events.arguments(row)
        owner = f", {told.process.get(pid) or 'process'} {pid}" if owners[title] > 1 else ""
        for key, one in args.items() if isinstance(args, dict) else ():
            if isinstance(one, int | float) and abs(one) < 1e300:
                full = (title if len(args) == 1 else f"{title}.{key}") + owner
                name.append(names.setdefault(full, len(names)))
                value.append(float(one))
                time.append(int(events.time[row]))
    return CounterRows(
        time=np.array(time, np.int64),
        value=np.array(value),
        name=np.array(name, np.int64),
        names=list(names),
    )
