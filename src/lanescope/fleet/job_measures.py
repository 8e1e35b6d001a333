"""A job of many ranks in figures: what its ranks waited, its steps, its slowest rank."""

from __future__ import annotations

import numpy as np

from lanescope.fleet.measured import COUNT, NANOSECONDS, RATIO, Measure, Measured
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.roles import roles
from lanescope.jobs.steps import job_steps
from lanescope.jobs.stragglers import stragglers
from lanescope.jobs.waits import waits


def measure_job(place: str) -> Measured:
    """The figures of one stored job; its ranks are traces of the fleet besides.

    A worker reads it alone: its peers read other traces meanwhile.
    """
    job = open_job(place, workers=0)
    waited = waits(job)
    steps = job_steps(job, waited)
    scores = stragglers(job, waited, steps, roles(job)).ranks
    count = max(len(job.ranks), 1)
    rows: list[Measure] = [
        ("job", "ranks", float(len(job.ranks)), COUNT, None),
        ("job", "missing ranks", float(len(job.missing)), COUNT, None),
        ("job", "collectives", float(waited.collectives), COUNT, None),
        ("job", "wait", waited.wait_ns / count, NANOSECONDS, None),
        ("job", "transfer", waited.transfer_ns / count, NANOSECONDS, None),
    ]
    if not np.isnan(steps.start).all():
        lengths = steps.job_length
        rows.append(("job", "step", float(np.median(lengths)), NANOSECONDS, len(lengths)))
        span = float(np.nanmax(steps.end) - np.nanmin(steps.start))
        rows.append(("run", "makespan", span, NANOSECONDS, None))
    ratios = [score.ratio for score in scores if score.ratio is not None]
    if ratios:
        rows.append(("job", "slowest rank", max(ratios), RATIO, None))
    return Measured(_facts(job), {}, rows)


def _facts(job: Job) -> dict[str, object]:
    """The date is that of the first rank; the host is one where all ranks have the same."""
    ranks = [rank.facts for rank in job.ranks]
    epochs = [rank.epoch_ns for rank in ranks if rank.epoch_ns is not None]
    hosts = {rank.host for rank in ranks}
    return {
        "name": job.name,
        "host": hosts.pop() if len(hosts) == 1 else "",
        "date_ns": min(epochs, default=None),
        "world": job.world,
    }
