"""Writes a trace for the Perfetto viewer, view by view and in chunks: memory stays bounded."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from lanescope.formats.ahead import ahead
from lanescope.formats.drawn import AboutWriter
from lanescope.formats.exporter import ExportOptions
from lanescope.formats.output import WriteBehind, atomic_output
from lanescope.formats.perfetto import tracks
from lanescope.formats.perfetto.rows import CounterEncoder, SliceEncoder
from lanescope.formats.views import View, series_of, views
from lanescope.formats.written import DrawnExport
from lanescope.trace import Trace
from lanescope.trace.highlight import Highlight

_CHUNK_ROWS = 1 << 18


def write(trace: Trace, path: Path, options: ExportOptions) -> DrawnExport:
    """The exporter's entry: see `write_perfetto`."""
    return write_perfetto(trace, path, highlight=options.highlight)


def write_perfetto(
    trace: Trace, path: str | PathLike[str], *, highlight: Highlight | None = None
) -> DrawnExport:
    """Write one process per view and one thread per lane.

    A name that ends in .gz or .zst is compressed. When the trace has times before its base, the
    file's times start at the earliest one.
    """
    bars = lanes = arrows = lost = pid = 0
    uuid = 1
    about = AboutWriter(trace)
    with atomic_output(path) as file, WriteBehind(file) as stream:
        for pid, view in enumerate(views(trace, highlight), 1):
            _write_view(stream, view, uuid, pid)
            about.add_view(view, uuid + 1)
            uuid += 1 + len(view.lanes)
            bars += len(view.row)
            lanes += len(view.lanes)
            arrows += len(view.arrows.source)
            lost += view.arrows.not_drawn
        uuid += _write_series(stream, trace, about, (uuid, pid + 1))
        stream.write(tracks.about(uuid + 1, about.text()))
    return DrawnExport(
        output=str(path),
        format="perfetto",
        slices=bars,
        lanes=lanes,
        arrows=arrows,
        arrows_not_drawn=lost,
        bytes=Path(path).stat().st_size,
    )


def _write_view(stream: WriteBehind, view: View, uuid: int, pid: int) -> None:
    stream.write(b"".join(tracks.view_tracks(view, uuid, pid)))
    _write_packets(stream, SliceEncoder(view, uuid + 1), len(view.order))


def _write_series(
    stream: WriteBehind, trace: Trace, about: AboutWriter, place: tuple[int, int]
) -> int:
    """Write all series below a process of their own; returns how many tracks that took."""
    uuid, pid = place
    rank = -1
    for rank, series in enumerate(series_of(trace)):
        if rank == 0:
            stream.write(tracks.process(uuid, pid, "counters"))
        stream.write(tracks.counter(uuid, rank, series.name))
        about.add_series(series, uuid + 1 + rank)
        _write_packets(stream, CounterEncoder(series, uuid + 1 + rank), len(series.time_ns))
    return rank + 2


def _write_packets(stream: WriteBehind, encoder: SliceEncoder | CounterEncoder, count: int) -> None:
    chunks = range(0, count, _CHUNK_ROWS)
    for packets in ahead(lambda first: encoder.encode(first, first + _CHUNK_ROWS), chunks):
        stream.write(packets.data)
