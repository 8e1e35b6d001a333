"""Questions to jobs: what `lanescope ranks` prints."""

from __future__ import annotations

from concurrent.futures import Executor
from os import PathLike

from lanescope.jobs.job import Job, open_job
from lanescope.jobs.plots import job_plots
from lanescope.jobs.report import JobReport, job_report
from lanescope.trace.places import PlaceLike, local_path


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


def write_job_plots(report: JobReport, folder: str | PathLike[str]) -> list[str]:
    """Write the pictures of a job into a folder; gives their names."""
    from lanescope.errors import OutputError

    place = local_path(folder)
    pictures = job_plots(report)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures.items():
            (place / name).write_text(picture, encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"{place} could not be written ({error.strerror or error}); choose another place"
        ) from error
    return list(pictures)
