"""Other people's files: read into a Trace, written from a Trace.

`registry.py` lists the formats; `discover.py` finds out which files belong together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.errors import InputError, UsageError
from lanescope.formats.exporter import Exporter, ExportOptions
from lanescope.formats.importer import Importer
from lanescope.formats.option import FormatOption, parsed
from lanescope.formats.written import DrawnExport, Export, FilesExport, RanksExport

if TYPE_CHECKING:
    from lanescope.trace import Trace
    from lanescope.trace.highlight import Highlighter

__all__ = [
    "DrawnExport",
    "Export",
    "ExportOptions",
    "Exporter",
    "FilesExport",
    "FormatOption",
    "Importer",
    "RanksExport",
    "export",
    "import_paths",
    "import_trace",
]


def import_trace(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    format: str = "auto",
    keep_damaged: bool = False,
    options: Mapping[str, Any] | None = None,
    per_rank: bool = False,
) -> Trace:
    """Read one run from another tool's files.

    Args:
        path: A run's folder or file, or several files of one run.
        format: Name of the importer; `auto` tells the format by the content.
        keep_damaged: Keep records that are duplicate, backward or cyclic, flagged, instead of
            refusing them.
        options: What the files do not say about themselves, by the importer's option names.
        per_rank: Keep ranks and runs that lie in folders of their own apart.

    Returns:
        The run as a trace; `trace.meta.name` is its name.

    Raises:
        InputError: A file cannot be read, or there is no run.
        UsageError: There are several runs, or the format or an option is unknown.

    Examples:
        >>> lanescope.import_trace("examples/small_run").meta.name
        'small_run'
    """
    from lanescope.trace.places import local_path

    named = [path] if isinstance(path, str | PathLike) else path
    paths = [local_path(one) for one in named]
    traces = import_paths(
        paths, format=format, keep_damaged=keep_damaged, options=options, per_rank=per_rank
    )
    if len(traces) == 1:
        return traces[0]
    place = ", ".join(map(str, paths))
    if not traces:
        raise InputError(place, "has no run to import; see 'lanescope import --help'")
    names = ", ".join(trace.meta.name for trace in traces[:4]) + (", …" if len(traces) > 4 else "")
    raise UsageError(f"{place} holds {len(traces)} runs ({names}); name one of them")


def import_paths(
    paths: Sequence[Path],
    *,
    format: str = "auto",
    keep_damaged: bool = False,
    options: Mapping[str, Any] | None = None,
    per_rank: bool = False,
) -> list[Trace]:
    """Read every run of these folders and files; the arguments are those of `import_trace`."""
    from lanescope.formats.available import AUTO, importer
    from lanescope.formats.discover import find_batches

    chosen = None if format == AUTO else importer(format)
    if chosen is None and options:
        raise UsageError("options belong to one format: name it with format=")
    values = parsed(chosen.name, chosen.options, options or {}) if chosen is not None else {}
    with find_batches(paths, chosen, apart=per_rank) as batches:
        return [
            trace
            for batch in batches
            for trace in batch.traces(keep_damaged=keep_damaged, options=values)
        ]


def export(
    trace: Trace,
    path: str | PathLike[str],
    *,
    to: str,
    table: str | None = None,
    highlight: Highlighter | None = None,
    options: Mapping[str, Any] | None = None,
) -> Export:
    """Write a trace in another tool's format.

    Args:
        trace: What to write.
        path: The file, or for some formats the folder; a file in .gz or .zst is compressed.
        to: Name of the exporter.
        table: For `csv`: only this table.
        highlight: Makes bars to draw on lanes of their own, such as the critical path. Formats
            that draw nothing do not call it.
        options: Options of exporters of other packages, by name.

    Returns:
        What was written: a `DrawnExport` with counts, or a `FilesExport` with names.

    Raises:
        OutputError: The place cannot be written.
        UsageError: The format or an option is unknown, or the trace lacks what it needs.
    """
    from lanescope.formats.available import exporter
    from lanescope.trace.places import local_path

    chosen = exporter(to)
    values = parsed(chosen.name, chosen.options, {**(options or {}), "table": table})
    return chosen.write(trace, local_path(path), ExportOptions(highlight, values))
