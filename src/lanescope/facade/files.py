"""Other people's files: import_trace and export."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from lanescope import formats
from lanescope.analyze.graph.highlight import critical_lanes
from lanescope.facade.opening import TraceLike, opened
from lanescope.formats.available import exporter
from lanescope.formats.written import Export
from lanescope.trace.trace import Trace


def import_trace(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    format: str = "auto",
    keep_damaged: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Trace:
    """Reads one run from another tool's files.

    Args:
        path: A run's folder or file, or several files of one run.
        format: Name of the importer; `auto` tells the format by the content.
        keep_damaged: Keeps records that are duplicate, backward or cyclic, flagged, instead of
            refusing them.
        options: What the files do not say about themselves, by the importer's option names.

    Returns:
        The run as a trace; `trace.meta.name` is its name.

    Raises:
        InputError: A file cannot be read, or there is no run.
        UsageError: There are several runs, or the format or an option is unknown.

    Example:
        >>> lanescope.import_trace("examples/small_run").meta.name
        'small_run'
    """
    return formats.import_trace(path, format=format, keep_damaged=keep_damaged, options=options)


def export(
    trace: TraceLike,
    path: str | PathLike[str],
    *,
    to: str,
    table: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Export:
    """Writes a trace in another tool's format, with the critical path where the format draws.

    Args:
        trace: A Trace, or the path of a stored one or of another tool's files.
        path: The file, or for some formats the folder; a file in .gz is compressed.
        to: Name of the exporter: `perfetto`, `chrome`, `simpler`, `csv`, `kanata`, or another
            package's.
        table: For `csv`: only this table.
        options: Options of exporters of other packages, by name.

    Returns:
        What was written: counts of what was drawn, or names of files.

    Raises:
        OutputError: The place cannot be written.
        UsageError: The format or an option is unknown, or the trace lacks what it needs.

    Example:
        >>> lanescope.export("examples/small_run", "tables", to="csv").files[:2]
        ('tasks.csv', 'phases.csv')
    """
    whole = opened(trace)
    highlight = critical_lanes(whole) if exporter(to).draws_highlight else None
    return formats.export(whole, path, to=to, table=table, highlight=highlight, options=options)
