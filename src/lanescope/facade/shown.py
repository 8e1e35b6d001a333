"""What a page shows of what people name: traces below each other, or a job of many ranks alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lanescope.errors import UsageError
from lanescope.facade.opening import TraceLike
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.recognising import is_job
from lanescope.jobs.report import job_report
from lanescope.jobs.view import job_view
from lanescope.trace.some import has_some, limits_of, select_some
from lanescope.trace.trace import Trace
from lanescope.trace.window import numbers_of
from lanescope.viewer import JobPanel

Viewable: TypeAlias = TraceLike | Job
"""A trace or a job, or the path of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The traces of a page."""

    traces: tuple[Trace, ...]
    options: dict[str, Any]
    """What else `write_page` and `make_server` are told about them."""
    unread: int = 0
    """Traces of the job that could not be read; the page's notes name them."""


def shown(things: Sequence[Viewable], opening: Callable[[TraceLike], Trace], **part: Any) -> Shown:
    """Open what is named, cut to a part as `select` does; of a job `rank` chooses the ranks.

    Raises:
        UsageError: there is a job and something beside it, it has no such rank, or nothing is in
            the part.
    """
    jobs = [one for one in things if isinstance(one, Job) or _names_job(one)]
    if jobs and len(things) > 1:
        name = jobs[0].name if isinstance(jobs[0], Job) else jobs[0]
        raise UsageError(
            f"{name} is a job of many ranks, which has a page of its own: name it alone"
        )
    if jobs:
        return _of_job(jobs[0], **part)
    traces = tuple(select_some(opening(one), **part) for one in things if not isinstance(one, Job))
    return Shown(traces, {"places": [_place(one) for one in things]})


def _place(thing: Viewable) -> str | None:
    """The whole path or the URL of what was named; None of a trace that is in memory."""
    if isinstance(thing, Trace | Job):
        return None
    return str(thing) if "://" in str(thing) else str(Path(str(thing)).resolve())


def _names_job(thing: TraceLike) -> bool:
    return not isinstance(thing, Trace) and is_job(thing)


def _of_job(thing: Any, *, rank: Any = None, **part: Any) -> Shown:
    job = thing if isinstance(thing, Job) else open_job(thing)
    numbers = None if rank is None else numbers_of(rank, "rank")
    view = job_view(job_report(job), rank=numbers, **part)
    if not any(has_some(trace, **part) for trace in view.traces):
        raise UsageError(
            f"no rank on this page has anything in the part that is asked for "
            f"({limits_of(view.traces[0])}); choose another part, or other ranks with --rank"
        )
    return Shown(view.traces, {"job": JobPanel(view.about, view.meets)}, len(job.unread))
