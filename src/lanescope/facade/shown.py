"""What a page shows of what people name: traces below each other, or a job of many ranks alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lanescope.errors import UsageError
from lanescope.facade.opening import TraceLike
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.recognising import is_job
from lanescope.jobs.report import job_report
from lanescope.jobs.view import job_view
from lanescope.trace.run_parts import run_name, single_runs
from lanescope.trace.some import has_some, limits_of, select_some
from lanescope.trace.trace import Trace
from lanescope.trace.window import numbers_of
from lanescope.viewer import JobPanel

Viewable: TypeAlias = TraceLike | Job
"""A trace or a job, or the path of one."""
_MOST_RUNS = 26
"""Runs of a page that are told apart: each has a letter."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The traces of a page."""

    traces: tuple[Trace, ...]
    options: dict[str, Any]
    """What else `write_page` and `make_server` are told about them."""
    unread: int = 0
    """Traces of the job that could not be read; the page's notes name them."""


def shown(
    things: Sequence[Viewable],
    opening: Callable[[TraceLike], Trace],
    *,
    by_run: bool = False,
    **part: Any,
) -> Shown:
    """Open what is named, cut to a part as `select` does; of a job `rank` chooses the ranks.

    With `by_run` every run of a trace is shown as a trace of its own.

    Raises:
        UsageError: there is a job and something beside it, it has no such rank, nothing is in the
            part, or there are no runs to show apart, or too many.
    """
    jobs = [one for one in things if isinstance(one, Job) or _names_job(one)]
    if jobs and len(things) > 1:
        name = jobs[0].name if isinstance(jobs[0], Job) else jobs[0]
        raise UsageError(
            f"{name} is a job of many ranks, which has a page of its own: name it alone"
        )
    if jobs and by_run:
        raise UsageError("a job is shown by rank; --by-run is for traces that hold several runs")
    if jobs:
        return _of_job(jobs[0], **part)
    traces = tuple(select_some(opening(one), **part) for one in things if not isinstance(one, Job))
    if by_run:
        return Shown(_runs(traces), {})
    return Shown(traces, {"places": [_place(one) for one in things]})


def _runs(traces: Sequence[Trace]) -> tuple[Trace, ...]:
    """Every run as a trace, called as its trace and its run are."""
    if not any(len(trace.runs) > 1 for trace in traces):
        raise UsageError(f"{traces[0].meta.name} has one run; leave out --by-run")
    found = tuple(run for trace in traces for run in _named_runs(trace))
    if len(found) > _MOST_RUNS:
        raise UsageError(
            f"{len(found)} runs are more than the {_MOST_RUNS} that a page shows apart; choose "
            "some with --run"
        )
    return found


def _named_runs(trace: Trace) -> Iterator[Trace]:
    if len(trace.runs) < 2:
        yield trace
        return
    for run in single_runs(trace):
        yield run.with_meta(name=f"{trace.meta.name} {run_name(run, 0)}")


def _place(thing: Viewable) -> str | None:
    """The whole path or the URL of what was named; None of a trace that is in memory."""
    if isinstance(thing, Trace):
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
