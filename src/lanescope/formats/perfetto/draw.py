"""Draws a trace as packets, view by view and in chunks: memory stays bounded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lanescope.formats.ahead import ahead
from lanescope.formats.drawn import AboutWriter
from lanescope.formats.output import WriteBehind
from lanescope.formats.perfetto import tracks
from lanescope.formats.perfetto.rows import CounterEncoder, SliceEncoder
from lanescope.formats.views import View, series_of, views
from lanescope.render.progress import counting
from lanescope.trace import Trace
from lanescope.trace.highlight import Highlighter

MOST_PROCESSES = 5
"""A trace is drawn as at most so many: its views, and one for the series."""
_CHUNK_ROWS = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The first numbers that a drawing may use; traces that are opened together share none.

    Numbers of threads follow from those of tracks and must lie above those of processes.
    """

    track: int = 1
    process: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """How much was drawn."""

    bars: int = 0
    lanes: int = 0
    arrows: int = 0
    arrows_not_drawn: int = 0
    tracks: int = 0
    """Numbers of tracks that were used."""


def draw(
    stream: WriteBehind,
    trace: Trace,
    *,
    highlight: Highlighter | None = None,
    first: Numbers | None = None,
    label: str = "",
) -> Drawn:
    """Write one process per view and one thread per lane; names of processes begin with `label`."""
    first = first or Numbers()
    done, track, process = Drawn(), first.track, first.process
    about = AboutWriter(trace)
    for view in views(trace, highlight):
        _write_view(stream, replace(view, name=label + view.name), track, process)
        about.add_view(view, track + 1)
        done = _more(done, view)
        track, process = track + 1 + len(view.lanes), process + 1
    track += _write_series(stream, trace, about, (track, process), label)
    stream.write(tracks.about(track + 1, about.text()))
    return replace(done, tracks=track + 2 - first.track)


def _more(done: Drawn, view: View) -> Drawn:
    return replace(
        done,
        bars=done.bars + len(view.row),
        lanes=done.lanes + len(view.lanes),
        arrows=done.arrows + len(view.arrows.source),
        arrows_not_drawn=done.arrows_not_drawn + view.arrows.not_drawn,
    )


def _write_view(stream: WriteBehind, view: View, track: int, process: int) -> None:
    stream.write(b"".join(tracks.view_tracks(view, track, process)))
    _write_packets(stream, SliceEncoder(view, track + 1), len(view.order))


def _write_series(
    stream: WriteBehind, trace: Trace, about: AboutWriter, place: tuple[int, int], label: str
) -> int:
    """Write all series below a process of their own; returns how many tracks that took."""
    track, process = place
    rank = -1
    for rank, series in enumerate(series_of(trace)):
        if rank == 0:
            stream.write(tracks.process(track, process, f"{label}counters"))
        stream.write(tracks.counter(track, rank, series.name))
        about.add_series(series, track + 1 + rank)
        _write_packets(stream, CounterEncoder(series, track + 1 + rank), len(series.time_ns))
    return rank + 2


def _write_packets(stream: WriteBehind, encoder: SliceEncoder | CounterEncoder, count: int) -> None:
    chunks = range(0, count, _CHUNK_ROWS)
    with counting("writing bars" if len(chunks) > 1 else "", count) as advance:
        pieces = ahead(lambda first: encoder.encode(first, first + _CHUNK_ROWS), chunks)
        for first, packets in zip(chunks, pieces, strict=True):
            stream.write(packets.data)
            advance(min(_CHUNK_ROWS, count - first))
