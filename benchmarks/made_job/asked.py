"""Reads a job, or reads it and asks who holds it up; prints seconds and peak MiB as JSON.

    python -m benchmarks.made_job.asked FOLDER read|ask

A module of its own, because worker processes import the main module again.
"""

from __future__ import annotations

import argparse
import json
import resource
import time

from lanescope.jobs.job import open_job
from lanescope.jobs.roles import roles
from lanescope.jobs.steps import job_steps
from lanescope.jobs.stragglers import stragglers
from lanescope.jobs.waits import waits


def main(folder: str, what: str) -> None:
    """Do it once."""
    begin = time.perf_counter()
    job = open_job(folder)
    if what == "ask":
        found = waits(job)
        stragglers(job, found, job_steps(job, found), roles(job))
    took = time.perf_counter() - begin
    print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder")
    asked.add_argument("what", choices=("read", "ask"))
    words = asked.parse_args()
    main(words.folder, words.what)
