"""Bars and the samples of series as packets of bytes, whole chunks at a time.

Perfetto calls a bar a slice and a series a counter. Only flows differ in number from bar to bar,
so rows of fixed width are put together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.flows import FLOW_BYTES, Flows
from lanescope.formats.perfetto.wire import (
    BYTES,
    FIXED64,
    VARINT,
    Row,
    as_bytes,
    number,
    tag,
    varint,
    varint_width,
)
from lanescope.formats.views import Argument, Bars, Series, View
from lanescope.native import scatter_rows
from lanescope.trace import MISSING
from lanescope.trace.rows import Rows, as_slice
from lanescope.trace.table import Array

# SLICE ENCODING (hexadecimal; [..] is a hole filled per row, all of one width within a view)
#
#     begin     0A [packet bytes] 40 [time] 50 [sequence] 5A [event bytes] 48 01 18 CATEGORY
#               50 [name], then the arguments of the slice, then its flows
#     argument  22 LL 08 IID 20 [number]         a whole number
#               22 LL 08 IID 29 [8 bytes]        a double
#               22 LL 08 IID 88 01 [number]      a text, by the number that stands for it
#               78 in place of 20, 79 in place of 29, 98 06 in place of 88 01: not known; readers
#               skip the field, so the argument has no value and the row keeps its width
#     flow      F9 02 [id, 8 bytes]              an arrow leaves this slice
#               81 03 [id, 8 bytes]              an arrow arrives at this slice
#     end       0A LL 40 [time] 50 [sequence] 5A 02 48 02
#
# COUNTER ENCODING
#
#     sample    0A LL 40 [time] 50 [sequence] 5A 0C 48 04 E1 02 [8 bytes, a double]
#
# Flows are the end of their packet: begins, flows and ends are each copied to their places.

# The field of a known value, and one of the same wire type that readers of annotations skip.
_INT, _NO_INT = tag(f.ANNOTATION_INT, VARINT), tag(f.ANNOTATION_UNUSED, VARINT)
_DOUBLE, _NO_DOUBLE = tag(f.ANNOTATION_DOUBLE, FIXED64), tag(f.ANNOTATION_UNUSED, FIXED64)
_TEXT, _NO_TEXT = tag(f.ANNOTATION_TEXT_IID, VARINT), tag(f.ANNOTATION_UNUSED_WIDE, VARINT)


@dataclass(frozen=True, slots=True)
class Interned:
    """The first numbers (iids) that stand for names in one part of a view.

    Parts share the sequences of their lanes, so no two parts of a view use the same number.
    """

    category: int
    first_name: int
    first_argument: int
    first_texts: tuple[int, ...]
    """Per argument the number of its first word."""


def interned(view: View) -> list[Interned]:
    """Number names, arguments and words from 1 through the parts; one result per part."""
    names, arguments, texts, result = 1, 1, 1, []
    for category, part in enumerate(view.parts, 1):
        first_texts = []
        for argument in part.arguments:
            first_texts.append(texts)
            texts += len(argument.words)
        result.append(Interned(category, names, arguments, tuple(first_texts)))
        names += len(part.names)
        arguments += len(part.arguments)
    return result


class SliceEncoder:
    """Turns begins and ends of a view's bars into packets; lane k is on sequence `first` + k."""

    def __init__(self, view: View, first: int) -> None:
        self._view = view
        self._first = first
        self._flows = Flows(view.arrows, len(view.row))
        time = varint_width(0, int(view.end_ns.max(initial=0)))
        self._widths = time, varint_width(0, first + len(view.lanes))
        self._parts = [
            _Part(part, iids, self._begin(part, iids))
            for part, iids in zip(view.parts, interned(view), strict=True)
        ]
        self._end = _packet(self._widths, Row().fixed(number(f.EVENT_TYPE, f.TYPE_SLICE_END)))

    def encode(self, first: int, last: int) -> Array:
        """Encode `view.order[first:last]` as packets."""
        view = self._view
        index = view.order[first:last] >> 1
        is_end = (view.order[first:last] & 1).astype(bool)
        begins, ends = np.flatnonzero(~is_end), np.flatnonzero(is_end)
        bars = _span(index[begins])
        widths = np.array([len(part.row) for part in self._parts])
        size = np.full(len(index), len(self._end))
        size[begins] = widths[view.part[bars]] + FLOW_BYTES * self._flows.count[bars]
        at = np.cumsum(size) - size
        target = np.empty(int(size.sum()), np.uint8)
        self._put_ends(target, at[ends], index[ends])
        self._put_begins(target, at[begins], bars)
        self._flows.put(target, (at + size)[begins], bars)
        return target

    def _begin(self, part: Bars, iids: Interned) -> Row:
        event = _begin_event(part, iids)
        longest = len(event) + FLOW_BYTES * int(self._flows.count.max(initial=0))
        time, sequence = self._widths
        width = varint_width(0, longest + time + sequence + 16)
        row = Row().fixed(tag(f.TRACE_PACKET, BYTES)).hole("packet bytes", width)
        row.then(_head(self._widths)).fixed(tag(f.PACKET_TRACK_EVENT, BYTES))
        return row.hole("event bytes", width).then(event)

    def _put_ends(self, target: Array, at: Array, index: Array) -> None:
        rows, bars = self._end.make(len(index)), as_slice(index)
        self._put_head(self._end, rows, self._view.end_ns[bars], self._view.lane[bars])
        scatter_rows(target, at, as_bytes(rows))

    def _put_begins(self, target: Array, at: Array, bars: slice) -> None:
        of_part = self._view.part[bars]
        for k, part in enumerate(self._parts):
            mine = as_slice(np.flatnonzero(of_part == k))
            places = at[mine]
            if not len(places):
                continue
            row = self._view.row[bars][mine]
            rows = part.rows(as_slice(row), FLOW_BYTES * self._flows.count[bars][mine])
            lane = self._view.lane[bars][mine]
            self._put_head(part.row, rows, self._view.start_ns[bars][mine], lane)
            scatter_rows(target, places, as_bytes(rows))

    def _put_head(self, row: Row, rows: Array, time: Array, lane: Array) -> None:
        row.put_varints(rows, "time", time)
        row.put_varints(rows, "sequence", lane + self._first)


class _Part:
    """The begin row of the bars of one part, and the columns that fill it."""

    def __init__(self, bars: Bars, iids: Interned, row: Row) -> None:
        self._bars = bars
        self._iids = iids
        self.row = row
        self._event_bytes = len(row) - row.end_of("event bytes")
        self._packet_bytes = len(row) - row.end_of("packet bytes")

    def rows(self, row: Rows, flow_bytes: Array) -> Array:
        """Begin rows for these bars, whose packets end in so many bytes of flows."""
        made = self.row.make(len(flow_bytes))
        put = self.row.put_varints
        put(made, "packet bytes", self._packet_bytes + flow_bytes)
        put(made, "event bytes", self._event_bytes + flow_bytes)
        put(made, "name", self._bars.name[row] + self._iids.first_name)
        for k, argument in enumerate(self._bars.arguments):
            self._put_argument(made, k, argument.rows(row))
        return made

    def _put_argument(self, made: Array, k: int, argument: Argument) -> None:
        if argument.values.dtype == np.float64:
            made[f"value {k}"] = argument.values.astype("<f8").view("V8")
            unknown = _NO_DOUBLE
        elif argument.words:
            self.row.put_varints(made, f"value {k}", argument.values + self._iids.first_texts[k])
            unknown = _NO_TEXT
        else:
            self.row.put_varints(made, f"value {k}", argument.values)
            unknown = _NO_INT
        known = argument.known
        if not known.all():
            made[f"tag {k}"][~known] = np.void(unknown)


class CounterEncoder:
    """Turns the samples of one series into packets on one sequence.

    Whole values take fewer bytes than others.
    """

    def __init__(self, series: Series, sequence: int) -> None:
        self._series = series
        self._sequence = sequence
        time = varint_width(0, int(series.time_ns.max(initial=0)))
        least, most = series.value.min(initial=0), series.value.max(initial=0)
        self._whole = bool(
            least >= 0 and most < 2.0**53 and (series.value == np.floor(series.value)).all()
        )
        event = Row().fixed(number(f.EVENT_TYPE, f.TYPE_COUNTER))
        if self._whole:
            event.fixed(tag(f.EVENT_COUNTER, VARINT)).hole("value", varint_width(0, int(most)))
        else:
            event.fixed(tag(f.EVENT_DOUBLE_COUNTER, FIXED64)).hole("value", 8)
        self._row = _packet((time, varint_width(0, sequence)), event)

    def encode(self, first: int, last: int) -> Array:
        """Encode the samples `first` to `last` as packets."""
        time, value = self._series.time_ns[first:last], self._series.value[first:last]
        rows = self._row.make(len(time))
        self._row.put_varints(rows, "time", time)
        self._row.put_varints(rows, "sequence", np.full(len(time), self._sequence))
        if self._whole:
            self._row.put_varints(rows, "value", value.astype(np.int64))
        else:
            rows["value"] = value.astype("<f8").view("V8")
        return as_bytes(rows).reshape(-1)


def _head(widths: tuple[int, int]) -> Row:
    time, sequence = widths
    row = Row().fixed(tag(f.PACKET_TIMESTAMP, VARINT)).hole("time", time)
    return row.fixed(tag(f.PACKET_SEQUENCE, VARINT)).hole("sequence", sequence)


def _packet(widths: tuple[int, int], event: Row) -> Row:
    """A packet whose length is the same in every row."""
    body = _head(widths).fixed(tag(f.PACKET_TRACK_EVENT, BYTES), varint(len(event))).then(event)
    return Row().fixed(tag(f.TRACE_PACKET, BYTES), varint(len(body))).then(body)


def _begin_event(bars: Bars, iids: Interned) -> Row:
    row = Row().fixed(number(f.EVENT_TYPE, f.TYPE_SLICE_BEGIN))
    row.fixed(number(f.EVENT_CATEGORY_IID, iids.category))
    width = varint_width(0, iids.first_name + len(bars.names))
    row.fixed(tag(f.EVENT_NAME_IID, VARINT)).hole("name", width)
    for k, argument in enumerate(bars.arguments):
        body = Row().fixed(number(f.ANNOTATION_NAME_IID, iids.first_argument + k))
        if argument.values.dtype == np.float64:
            body.named(f"tag {k}", _DOUBLE).hole(f"value {k}", 8)
        elif argument.words:
            most = iids.first_texts[k] + len(argument.words)
            body.named(f"tag {k}", _TEXT).hole(f"value {k}", varint_width(0, most))
        else:
            body.named(f"tag {k}", _INT).hole(f"value {k}", _value_width(argument))
        row.fixed(tag(f.EVENT_DEBUG_ANNOTATION, BYTES), varint(len(body))).then(body)
    return row


def _value_width(argument: Argument) -> int:
    values = argument.values
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    if least == MISSING:
        least = int(values.min(initial=0, where=argument.known))
    return varint_width(least, most)


def _span(rising: Array) -> slice:
    return slice(int(rising[0]), int(rising[-1]) + 1) if len(rising) else slice(0, 0)
