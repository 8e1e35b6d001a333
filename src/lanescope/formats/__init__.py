"""Other people's files: read into a Trace, written from a Trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lanescope.trace import Trace


def import_paths(paths: Sequence[Path], *, keep_damaged: bool = False) -> list[Trace]:
    """Every run found under the paths as a Trace; `trace.meta.name` is the run's name."""
    from lanescope.formats.discover import find_jobs

    jobs = find_jobs(paths)
    return [trace for job in jobs for trace in job.traces(keep_damaged=keep_damaged)]
