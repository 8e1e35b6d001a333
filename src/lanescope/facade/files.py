"""Writing other people's files, with what an analysis adds to them: export."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from lanescope import formats
from lanescope.analyze.graph.highlight import critical_lanes
from lanescope.facade.job_export import export_job
from lanescope.facade.opening import TraceLike, opened_in_part
from lanescope.formats.written import Export
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.recognising import is_job
from lanescope.trace import Trace


def export(
    trace: TraceLike | Job,
    path: str | PathLike[str],
    *,
    to: str,
    table: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Export:
    """Writes a trace in another tool's format, with the critical path where the format draws.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files; or a
            job, which becomes one file with all ranks on their common clock.
        path: The file, or for some formats the folder; a file in .gz or .zst is compressed.
        to: Name of the exporter: `perfetto`, `chrome`, `simpler`, `csv`, `kanata`, or another
            package's.
        table: For `csv`: only this table.
        options: Options of exporters of other packages, by name.

    Returns:
        What was written: counts of what was drawn, or names of files.

    Raises:
        OutputError: The place cannot be written.
        UsageError: The format or an option is unknown, or the trace lacks what it needs.

    Examples:
        >>> lanescope.export("examples/small_run", "tables", to="csv").files[:2]
        ('tasks.csv', 'phases.csv')
    """
    if isinstance(trace, Job):
        return export_job(trace, path, to=to)
    if not isinstance(trace, Trace) and is_job(trace):
        return export_job(open_job(trace), path, to=to)
    whole = opened_in_part(trace)
    return formats.export(
        whole, path, to=to, table=table, highlight=critical_lanes, options=options
    )
