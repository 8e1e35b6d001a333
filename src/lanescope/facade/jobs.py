"""Questions to jobs: what `lanescope ranks` prints."""

from __future__ import annotations

from concurrent.futures import Executor

from lanescope.jobs.job import Job, open_job
from lanescope.jobs.report import JobReport, job_report
from lanescope.trace.places import PlaceLike


def ranks(
    job: Job | PlaceLike,
    *,
    replay: str | None = None,
    cluster: str | Executor | None = None,
    workers: int | None = None,
) -> JobReport:
    """Answers every question about the ranks of a job: what `lanescope ranks` prints.

    Args:
        job: A Job, or the folder of its traces, by its path or URL.
        replay: Also replays the job with ideal lengths of tasks: `peers`, as long as on ranks that
            do the same work, or `job`, as long as the function takes in the whole job.
        cluster: Who reads the traces; see `open_job`.
        workers: How many read at the same time; see `open_job`.

    Returns:
        The answers: `report.stragglers`, `report.waits`, `report.clock`, … by name,
        `report.text()` as a page, `report.to_dict()` for JSON.

    Raises:
        InputError: There is no stored trace, or none could be read.
        UsageError: There is no such ideal.

    Examples:
        >>> report = lanescope.ranks("train.job")
        >>> report.stragglers.sentence
        'No single rank holds up the job.'
    """
    opened = job if isinstance(job, Job) else open_job(job, cluster=cluster, workers=workers)
    return job_report(opened, replay=replay)
