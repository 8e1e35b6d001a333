"""Writes a trace as Chrome Trace Event JSON: one process per view, one thread per lane.

Text is joined column by column by Arrow, a chunk at a time. Times are microseconds with exactly
three decimals, made from whole nanoseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lanescope.formats.drawn import KEY, AboutWriter
from lanescope.formats.exporter import ExportOptions
from lanescope.formats.output import atomic_output
from lanescope.formats.views import (
    Argument,
    Bars,
    Series,
    View,
    origin_ns,
    series_of,
    views,
)
from lanescope.formats.written import DrawnExport
from lanescope.trace import Trace
from lanescope.trace.highlight import Highlighter
from lanescope.trace.table import Array

_CHUNK_ROWS = 1 << 16
# Perfetto merges tid 0, and any tid that is also a pid, into the process: pids are 1 to 5.
_FIRST_TID = 11
_TEXT = pa.large_string()
_DECIMALS = pa.array([f".{rest:03}" for rest in range(1000)], _TEXT)
_FLOW = ',"name":"dependency","cat":"dependency"}'


def write(trace: Trace, path: Path, options: ExportOptions) -> DrawnExport:
    """The exporter's entry: see `write_chrome`."""
    return write_chrome(trace, path, highlight=options.highlight)


def write_chrome(
    trace: Trace, path: str | PathLike[str], *, highlight: Highlighter | None = None
) -> DrawnExport:
    """Write one process per view and one thread per lane.

    A name that ends in .gz or .zst is compressed. When the trace has times before its base, the
    file's times start at the earliest one, and `otherData.shifted_ns` says by how much.
    """
    bars = lanes = arrows = lost = pid = 0
    about = AboutWriter(trace)
    with atomic_output(path) as stream:
        stream.write(_header(trace).encode())
        for pid, view in enumerate(views(trace, highlight), 1):
            writer = _ViewWriter(view, pid, _FIRST_TID + lanes)
            for text in writer.texts():
                stream.write(text)
            about.add_view(view, _FIRST_TID + lanes)
            bars += len(view.row)
            lanes += len(view.lanes)
            arrows += len(view.arrows.source)
            lost += view.arrows.not_drawn
        _write_series(stream, trace, about, pid + 1)
        stream.write(f'\n],"{KEY}":'.encode() + about.text() + b"}\n")
    return DrawnExport(
        output=str(path),
        format="chrome",
        slices=bars,
        lanes=lanes,
        arrows=arrows,
        arrows_not_drawn=lost,
        bytes=Path(path).stat().st_size,
    )


def _header(trace: Trace) -> str:
    """The text up to the first event; every later event starts with a comma."""
    about = {"name": trace.meta.name, "tool": trace.meta.tool, "shifted_ns": -origin_ns(trace)}
    first = '{"ph":"M","pid":1,"name":"process_labels","args":{"labels":"lanescope"}}'
    return f'{{"displayTimeUnit":"ns","otherData":{json.dumps(about)},"traceEvents":[\n{first}'


class _ViewWriter:
    """The events of one view; lane k is thread `first_tid` + k.

    Both ends of an arrow carry the start of their bar: Perfetto binds an end to the innermost
    bar that is open on its thread at that time.
    """

    def __init__(self, view: View, pid: int, first_tid: int) -> None:
        self._view = view
        self._pid = pid
        self._first_tid = first_tid
        self._names = [pa.array(map(_quoted, part.names), _TEXT) for part in view.parts]
        arrows = view.arrows
        arriving = np.argsort(arrows.target, kind="stable")
        leaving = np.arange(len(arriving))
        self._flows = (
            ("s", "", arrows.source, leaving + 1),
            ("f", ',"bp":"e"', arrows.target[arriving], arriving + 1),
        )

    def texts(self) -> Iterator[bytes | pa.Buffer]:
        """The events as text, in chunks: first names of process and threads, then bars."""
        yield _process(self._pid, self._view.name).encode()
        for rank, name in enumerate(self._view.lanes):
            yield _thread((self._pid, self._first_tid + rank), rank, name).encode()
        for first in range(0, len(self._view.row), _CHUNK_ROWS):
            yield self._chunk(first, min(first + _CHUNK_ROWS, len(self._view.row)))

    def _chunk(self, first: int, last: int) -> pa.Buffer:
        """Bars `first` to `last`, each followed by the ends of its arrows."""
        owners, texts = [], []
        for k, part in enumerate(self._view.parts):
            index = first + np.flatnonzero(self._view.part[first:last] == k)
            owners.append(index)
            texts.append(self._bars(k, part, index))
        for phase, binding, owner, ids in self._flows:
            low, high = np.searchsorted(owner, [first, last])
            owners.append(owner[low:high])
            texts.append(self._flow(phase, binding, (owner[low:high], ids[low:high])))
        order = np.argsort(np.concatenate(owners), kind="stable")
        return _content(pa.concat_arrays(texts).take(pa.array(order)))

    def _bars(self, k: int, part: Bars, index: Array) -> Any:
        view, row = self._view, self._view.row[index]
        return _join(
            self._place("X", index),
            ',"dur":',
            _microseconds(view.end_ns[index] - view.start_ns[index]),
            f',"cat":"{part.category}","name":',
            self._names[k].take(pa.array(part.name[row])),
            ',"args":{',
            _arguments(part, row),
            "}}",
        )

    def _flow(self, phase: str, binding: str, ends: tuple[Array, Array]) -> Any:
        owner, ids = ends
        place = self._place(phase, owner)
        return _join(place, f'{binding},"id":', _text(ids), _FLOW)

    def _place(self, phase: str, index: Array) -> Any:
        return _join(
            f',\n{{"ph":"{phase}","pid":{self._pid},"tid":',
            _text(self._view.lane[index] + self._first_tid),
            ',"ts":',
            _microseconds(self._view.start_ns[index]),
        )


def _write_series(stream: BinaryIO, trace: Trace, about: AboutWriter, pid: int) -> None:
    for rank, series in enumerate(series_of(trace)):
        about.add_series(series)
        if rank == 0:
            stream.write(_process(pid, "counters").encode())
        for first in range(0, len(series.value), _CHUNK_ROWS):
            stream.write(_samples(series, slice(first, first + _CHUNK_ROWS), pid))


def _samples(series: Series, rows: slice, pid: int) -> pa.Buffer:
    place = f',\n{{"ph":"C","pid":{pid},"name":{_quoted(series.name)},"ts":'
    time, value = _microseconds(series.time_ns[rows]), _text(series.value[rows])
    return _content(_join(place, time, ',"args":{"value":', value, "}}"))


def _process(pid: int, name: str) -> str:
    place = f',\n{{"ph":"M","pid":{pid},"name":'
    return (
        f'{place}"process_name","args":{{"name":{_quoted(name)}}}}}'
        f'{place}"process_sort_index","args":{{"sort_index":{pid}}}}}'
    )


def _thread(place: tuple[int, int], rank: int, name: str) -> str:
    pid, tid = place
    event = f',\n{{"ph":"M","pid":{pid},"tid":{tid},"name":'
    return (
        f'{event}"thread_name","args":{{"name":{_quoted(name)}}}}}'
        f'{event}"thread_sort_index","args":{{"sort_index":{rank}}}}}'
    )


def _quoted(text: str) -> str:
    """A JSON string in UTF-8; Perfetto does not resolve \\u escapes."""
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)


def _arguments(part: Bars, row: Array) -> Any:
    """Per row the text `"name":value` of every known argument, with commas between them."""
    nothing = pa.scalar("", _TEXT)
    texts = [pa.nulls(len(row), _TEXT)]
    for argument in part.arguments:
        taken = argument.rows(row)
        values = _values(taken)
        texts.append(_join(f",{_quoted(argument.name)}:", values))
    joined = pc.binary_join_element_wise(
        *texts, nothing, null_handling="replace", null_replacement=""
    )
    return pc.ascii_ltrim(joined, characters=",")


def _values(argument: Argument) -> Any:
    """The values as JSON, null where they are not known."""
    values = pa.array(argument.values, mask=~argument.known)
    if not argument.words:
        return values.cast(_TEXT)
    return pa.array(map(_quoted, argument.words), _TEXT).take(values)


def _microseconds(ns: Array) -> Any:
    whole, rest = np.divmod(ns, 1000)
    return _join(_text(whole), _DECIMALS.take(pa.array(rest)))


def _text(values: Array) -> Any:
    return pa.array(values).cast(_TEXT)


def _join(*parts: Any) -> Any:
    """Join texts row by row; a row is null where any of its texts is."""
    texts = [pa.scalar(part, _TEXT) if isinstance(part, str) else part for part in (*parts, "")]
    return pc.binary_join_element_wise(*texts)


def _content(texts: Any) -> pa.Buffer:
    """The bytes of all texts, one after another."""
    _, _, characters = texts.buffers()
    return characters
