"""Makes a trace of slices on tracks: every slice is a task with a depth, every name a function."""

from __future__ import annotations

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.streams.host import depths
from lanescope.formats.tracks.recording import SliceRows, Track, TrackRecording
from lanescope.render.cells import many_text
from lanescope.trace import MISSING, LedgerEntry, Meta, Table, Trace, Words
from lanescope.trace.numbering import nth
from lanescope.trace.table import Array

_LONGEST_NAME = 4096
INSTANT = "instant"
"""The pipe of marks that are moments of a track."""


def track_trace(recording: TrackRecording, bundle: Bundle) -> Trace:
    """The trace of a recording; 0 ns is its earliest moment."""
    _require_short_names(recording, bundle)
    words = Words()
    base = _base(recording)
    slices = recording.slices
    number, tracks = _used(recording)
    order = np.lexsort((-slices.end, slices.start, number[slices.track]))
    return Trace(
        meta=_meta(recording, bundle, base),
        tasks=_tasks(slices, order, number, base, words),
        marks=_marks(recording.moments, number, base, words),
        edges=_edges(recording.arrows, order, words),
        counters=_counters(recording, base, words),
        cores=_cores(tracks, words),
        functions=_functions(slices, words),
        words=words.freeze(),
    )


def _require_short_names(recording: TrackRecording, bundle: Bundle) -> None:
    names = [*recording.slices.names, *recording.moments.names, *recording.counters.names]
    names += [text for track in recording.tracks for text in (track.name, track.group)]
    longest = max(map(len, names), default=0)
    if longest > _LONGEST_NAME:
        problem = f"a name has {longest:,} characters, at most {_LONGEST_NAME:,} are taken"
        raise InputError(bundle.main.path, problem)


def _base(recording: TrackRecording) -> int:
    times = [recording.slices.start, recording.moments.start, recording.counters.time]
    return min((int(some.min()) for some in times if len(some)), default=0)


def _meta(recording: TrackRecording, bundle: Bundle, base: int) -> Meta:
    count, lost = len(recording.slices.start), recording.unmatched
    facts = dict(recording.facts)
    notes = [*bundle.notes, *facts.pop("notes", ())]
    if lost:
        notes.append(f"Not shown: {many_text(lost, 'slice')} with a begin or an end alone.")
    if recording.utc_ns is not None:
        facts.setdefault("epoch_clock", "realtime")
        facts["epoch_ns"] = recording.utc_ns + base
    return bundle.meta(
        ledger=(LedgerEntry("all lanes", "slice", count + lost, count, unmatched=lost),),
        notes=tuple(notes),
        **facts,
    )


def _used(recording: TrackRecording) -> tuple[Array, list[Track]]:
    """Number of each track among those that have slices or moments, and those tracks."""
    used = np.zeros(len(recording.tracks), bool)
    used[recording.slices.track] = True
    used[recording.moments.track] = True
    number = np.cumsum(used) - 1
    return number, [recording.tracks[place] for place in np.flatnonzero(used).tolist()]


def _tasks(slices: SliceRows, order: Array, number: Array, base: int, words: Words) -> Table:
    """One row per slice, by track, start, and the longest first."""
    lane = number[slices.track][order].astype(np.int32)
    start, end = slices.start[order] - base, slices.end[order] - base
    return Table.build(
        "tasks",
        {
            "task": np.arange(len(order)),
            "kind": np.full(len(order), words.code("run"), np.int32),
            "core": lane,
            "token": nth(lane),
            "func": _func(slices)[order],
            "flags": np.zeros(len(order), np.int32),
            "start_ns": start,
            "end_ns": end,
            "depth": depths(lane, start, end),
        },
    )


def _func(slices: SliceRows) -> Array:
    """The function of each slice: one per name that slices use."""
    used = np.unique(slices.name)
    return np.searchsorted(used, slices.name).astype(np.int32)


def _functions(slices: SliceRows, words: Words) -> Table:
    names = [slices.names[code] for code in np.unique(slices.name).tolist()]
    func = np.arange(len(names), dtype=np.int32)
    return Table.build("functions", {"func": func, "name": words.codes(names)})


def _marks(moments: SliceRows, number: Array, base: int, words: Words) -> Table:
    order = np.lexsort((moments.start, number[moments.track]))
    names = words.codes(moments.names)
    when = moments.start[order] - base
    return Table.build(
        "marks",
        {
            "core": number[moments.track][order].astype(np.int32),
            "pipe": np.full(len(order), words.code(INSTANT) if len(order) else 0, np.int32),
            "name": names[moments.name[order]] if len(order) else np.empty(0, np.int32),
            "start_ns": when,
            "end_ns": when,
        },
    )


def _edges(arrows: tuple[Array, Array], order: Array, words: Words) -> Table:
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    source, target = arrows
    kind = np.full(len(source), words.code("flow") if len(source) else 0, np.int32)
    flags = np.zeros(len(source), np.int32)
    pairs = {"pred": place[source], "succ": place[target]}
    return Table.build("edges", {**pairs, "kind": kind, "flags": flags})


def _counters(recording: TrackRecording, base: int, words: Words) -> Table:
    rows = recording.counters
    names = words.codes(rows.names)
    return Table.build(
        "counters",
        {
            "name": names[rows.name] if len(rows.name) else np.empty(0, np.int32),
            "value": rows.value,
            "time_ns": rows.time - base,
        },
    )


def _cores(tracks: list[Track], words: Words) -> Table:
    """One row per track; its kind is what its process is called."""
    process = [MISSING if track.process is None else track.process for track in tracks]
    return Table.build(
        "cores",
        {
            "core": np.arange(len(tracks), dtype=np.int32),
            "name": words.codes([track.name for track in tracks]),
            "kind": words.codes([track.group or "track" for track in tracks]),
            "lane": words.codes(["track"] * len(tracks)),
            "process": np.array(process, np.int64),
        },
    )
