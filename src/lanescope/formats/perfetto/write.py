"""Writes a trace for the Perfetto viewer: one file with all its views."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from lanescope.formats.exporter import ExportOptions
from lanescope.formats.output import WriteBehind, atomic_output
from lanescope.formats.perfetto.draw import draw
from lanescope.formats.written import DrawnExport
from lanescope.trace import Trace
from lanescope.trace.highlight import Highlighter


def write(trace: Trace, path: Path, options: ExportOptions) -> DrawnExport:
    """The exporter's entry: see `write_perfetto`."""
    return write_perfetto(trace, path, highlight=options.highlight)


def write_perfetto(
    trace: Trace, path: str | PathLike[str], *, highlight: Highlighter | None = None
) -> DrawnExport:
    """Write one process per view and one thread per lane.

    A name that ends in .gz or .zst is compressed. When the trace has times before its base, the
    file's times start at the earliest one.
    """
    with atomic_output(path) as file, WriteBehind(file) as stream:
        drawn = draw(stream, trace, highlight=highlight)
    return DrawnExport(
        output=str(path),
        format="perfetto",
        slices=drawn.bars,
        lanes=drawn.lanes,
        arrows=drawn.arrows,
        arrows_not_drawn=drawn.arrows_not_drawn,
        bytes=Path(path).stat().st_size,
    )
