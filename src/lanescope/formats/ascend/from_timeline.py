"""A timeline becomes a recording: streams, groups of ranks, host threads, and what joins them."""

from __future__ import annotations

import numpy as np

from lanescope.formats.ascend.arrows import BETWEEN_PHASES, LAUNCHES, LEADS, TimelineBars, arrows
from lanescope.formats.ascend.host_marks import mark_waits, steps_of, waits_of
from lanescope.formats.ascend.names import (
    COMMUNICATION,
    WAIT,
    Operation,
    launches,
    operation_type,
    sequences,
    work_column,
)
from lanescope.formats.ascend.processes import Processes, processes
from lanescope.formats.ascend.source import RankSource, with_utc
from lanescope.formats.ascend.timeline import TimelineEvents
from lanescope.formats.streams import (
    CollectiveRows,
    DeviceRows,
    HostRows,
    StreamRecording,
)
from lanescope.formats.streams.recording import CATEGORIES
from lanescope.render.cells import many_text
from lanescope.trace import MISSING
from lanescope.trace.numbering import places
from lanescope.trace.table import Array

_CATEGORY = {
    "cpu_op": "operator",
    "user_annotation": "annotation",
    "mstx": "annotation",
    "python_function": "function",
}
_CALL = CATEGORIES.index("call")


def timeline_source(timeline: TimelineEvents) -> RankSource:
    """Everything that the timeline tells about devices and the host."""
    told = processes(timeline)
    bars = TimelineBars.of(timeline)
    rows = timeline.rows("X")
    planes = rows[told.plane[timeline.lane[rows]] == 1]
    device = rows[(told.device[timeline.lane[rows]] >= 0) & (told.plane[timeline.lane[rows]] != 1)]
    shown, on = _shown_twice(timeline, planes, device)
    device = np.concatenate([device, planes[~shown]])
    host = rows[told.host[timeline.lane[rows]] >= 0]
    joined = _Joined(timeline, bars, device, host)
    work = _work(timeline, told, device, joined)
    _name_planes(timeline, work, planes[shown], on)
    operations = np.flatnonzero(told.group[timeline.lane[device]] == 1)
    labels = [timeline.words("name")[k] for k in timeline.columns["name"][device[operations]]]
    host_rows = _host(timeline, told, host, joined)
    mark_waits(host_rows)
    recording = StreamRecording(
        lanes=told.lanes,
        threads=told.threads,
        work=work,
        host=host_rows,
        waits=waits_of(host_rows),
        collectives=_collectives(operations, labels, told, timeline, device),
        steps=steps_of(host_rows),
        facts={"notes": _left_out(timeline, told, rows, int(shown.sum()))},
    )
    return RankSource(with_utc(recording), labels, timeline.columns["Task Id"][device])


class _Joined:
    """Which call launched a device row, which operator led to it, which phases an arrow joins.

    A call may launch several tasks, one after the other. Then each task is joined with the moment
    of its own launch, which is where its arrow begins, inside the call.
    """

    def __init__(
        self, timeline: TimelineEvents, bars: TimelineBars, device: Array, host: Array
    ) -> None:
        count = len(timeline.phase)
        self.launch = np.full(count, MISSING)
        self.op = np.full(count, MISSING)
        self.flow = np.full(count, MISSING)
        is_device, is_host = np.zeros(count, bool), np.zeros(count, bool)
        is_device[device], is_host[host] = True, True
        self._by_connection(timeline, device, host)
        for category, columns in ((LEADS, (self.op, self.launch)), (LAUNCHES, (self.launch,))):
            source, target, begin = arrows(timeline, bars, category)
            good = is_host[source] & is_device[target]
            source, target, begin = source[good], target[good], begin[good]
            for column in columns:
                column[target] = source
        several = np.bincount(source, minlength=count)[source] > 1
        self.launch[target[several]] = begin[several]
        self.moments = begin[several]
        for column in (self.launch, self.op):
            led = np.unique(column[device])
            led = led[led != MISSING]
            column[led] = led
        number = 0
        for category in BETWEEN_PHASES:
            source, target, _ = arrows(timeline, bars, category)
            good = is_host[source] & is_host[target]
            numbers = number + np.arange(int(good.sum()))
            self.flow[source[good]] = numbers
            self.flow[target[good]] = numbers
            number += len(numbers)

    def _by_connection(self, timeline: TimelineEvents, device: Array, host: Array) -> None:
        """Where arrows are absent a call and its tasks may have the same connection."""
        connection = launches(timeline.columns["connection_id"])
        calls = host[connection[host] != MISSING]
        calls = calls[np.argsort(connection[calls], kind="stable")]
        at = places(connection[calls], connection[device])
        self.launch[device] = np.where(at >= 0, np.append(calls, MISSING)[at], MISSING)


def _shown_twice(timeline: TimelineEvents, planes: Array, device: Array) -> tuple[Array, Array]:
    """Which rows of planes are rows of streams, too, and which: they have the same times."""
    if not len(planes) or not len(device):
        return np.zeros(len(planes), bool), np.empty(0, np.int64)
    times = np.stack([timeline.start, timeline.end], axis=1)
    both = np.concatenate([times[device], times[planes]])
    _, number = np.unique(both, axis=0, return_inverse=True)
    number = number.reshape(-1)
    own, order = np.unique(number[: len(device)], return_index=True)
    at = places(own, number[len(device) :])
    return at >= 0, order[at[at >= 0]]


def _name_planes(timeline: TimelineEvents, work: DeviceRows, planes: Array, on: Array) -> None:
    """A task of a group is called what its plane calls it, and has its size."""
    if not len(planes):
        return
    number = {text: k for k, text in enumerate(work.names)}
    as_name = np.array([number[text] for text in timeline.words("name")])
    work.name[on] = as_name[timeline.columns["name"][planes]]
    size = timeline.columns["size(Byte)"][planes]
    if (size != MISSING).any():
        values = dict(work.values)
        values.setdefault("bytes", np.full(len(work.start), np.nan))
        values["bytes"][on] = np.where(size == MISSING, np.nan, size.astype(np.float64))
        work.values = values
    is_wait = work_column([""], work.names, np.zeros(len(on), np.int64), work.name[on]) == WAIT
    assert work.work is not None
    work.work[on] = np.where(is_wait, WAIT, COMMUNICATION)


def _work(timeline: TimelineEvents, told: Processes, device: Array, joined: _Joined) -> DeviceRows:
    names = [*timeline.words("name"), "(no name)"]
    code = timeline.columns["name"][device]
    name = np.where(code >= 0, code, len(names) - 1)
    kind = timeline.columns["args.Task Type"][device]
    work = work_column(timeline.words("args.Task Type"), names, kind, name)
    lane = timeline.lane[device]
    inside = (told.group[lane] == 1) | ((told.plane[lane] == 1) & (work != WAIT))
    work = np.where(inside, COMMUNICATION, work)
    size = timeline.columns["size(Byte)"][device]
    values = {"bytes": np.where(size == MISSING, np.nan, size.astype(np.float64))}
    types = [operation_type(label) for label in names]
    number = {text: k for k, text in enumerate(dict.fromkeys([*names, *types]))}
    as_type = np.array([number[text] for text in types])
    as_name = np.array([number[text] for text in names])
    return DeviceRows(
        lane=told.device[lane],
        name=np.where(told.group[lane] == 1, as_type[name], as_name[name]),
        names=list(number),
        work=work,
        start=timeline.start[device],
        end=timeline.end[device],
        launch=joined.launch[device],
        op=joined.op[device],
        values=values if (size != MISSING).any() else {},
    )


def _host(timeline: TimelineEvents, told: Processes, host: Array, joined: _Joined) -> HostRows:
    """Rows of the host, and behind them the moments of launches that have one of their own."""
    moments = len(joined.moments)
    categories = timeline.words("cat")
    sorts = [CATEGORIES.index(_CATEGORY.get(name, "call")) for name in categories]
    category = np.array([*sorts, _CALL])[timeline.columns["cat"][host]]
    names = [*timeline.words("name"), LAUNCHES, "(no name)"]
    code = timeline.columns["name"][host]
    name = np.where(code >= 0, code, len(names) - 1)
    rows = np.concatenate([host, joined.moments])
    return HostRows(
        thread=told.host[timeline.lane[rows]],
        name=np.append(name, np.full(moments, len(names) - 2)),
        names=names,
        category=np.append(category, np.full(moments, _CALL)),
        start=timeline.start[rows],
        end=np.append(timeline.end[host], timeline.start[joined.moments]),
        launch=joined.launch[rows],
        op=joined.op[rows],
        flow=joined.flow[rows],
    )


def _collectives(
    operations: Array, labels: list[str], told: Processes, timeline: TimelineEvents, device: Array
) -> CollectiveRows:
    parts = [Operation.of(label) for label in labels]
    lanes = told.device[timeline.lane[device[operations]]].tolist()
    groups = [part.group or told.lanes[lane].name for part, lane in zip(parts, lanes, strict=True)]
    return CollectiveRows(
        row=operations,
        group=groups,
        sequence=sequences(groups, [part.sequence for part in parts]),
        kind=[part.kind for part in parts],
        matched="name",
    )


def _left_out(
    timeline: TimelineEvents, told: Processes, rows: Array, twice: int
) -> tuple[str, ...]:
    """Sentences about events that are not in the recording."""
    derived = int((told.derived[timeline.lane[rows]] == 1).sum())
    counters = len(timeline.rows("C"))
    other = timeline.phase[~np.isin(timeline.phase, list("XsfMC"))]
    letters = ", ".join(sorted(set(other.tolist())))
    sentences = (
        ("No work", derived, "row", " of Overlap Analysis, made by the profiler of the others"),
        ("Shown once, on streams", twice, "row", " of planes with the same times"),
        ("Not read", counters, "counter event", ""),
        ("Not read", len(other), "event", f" with 'ph' {letters}"),
    )
    return tuple(
        f"{what}: {many_text(count, thing)}{which}."
        for what, count, thing, which in sentences
        if count
    )
