"""The report of a job: every answer about its ranks on one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lanescope.analyze.compare.change_points import ChangePoint, change_points
from lanescope.errors import LanescopeError, UsageError
from lanescope.jobs.balance import RoleBalance, balance
from lanescope.jobs.blame import RankBlame, blame
from lanescope.jobs.clock import JobClock
from lanescope.jobs.ideal import Ideal, ideal, ideal_of_peers
from lanescope.jobs.path import RankPath, rank_path
from lanescope.jobs.roles import roles
from lanescope.jobs.steps import JobSteps, job_steps
from lanescope.jobs.stragglers import Stragglers, stragglers
from lanescope.jobs.waits import JobWaits, waits
from lanescope.render.page import Section
from lanescope.render.plain import render_sections
from lanescope.results import Result

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

IDEALS = {"peers": ideal_of_peers, "job": ideal}
"""Where ideal lengths of tasks may come from."""


@dataclass(frozen=True, slots=True)
class JobStepTime(Result):
    """One step of the whole job."""

    step: int
    length_ns: float
    """From the first start of a rank to the last end of one; the longest rank, where the clocks of
    ranks are not joined."""
    ranks: int
    """Ranks that have it."""
    slowest: int
    """The rank that computed longest in it."""
    wait_ns: float
    """What all ranks waited in it together."""


@dataclass(frozen=True, slots=True)
class JobStepTimes(Result):
    """The steps of a job, and where their length changes."""

    basis: str
    """Where steps come from."""
    steps: tuple[JobStepTime, ...]
    changes: tuple[ChangePoint, ...]
    """`index` is the place in `steps`."""


@dataclass(frozen=True, slots=True, eq=False)
class JobReport(Result):
    """Every answer about the ranks of a job."""

    job: Job
    clock: JobClock
    waits: JobWaits
    stragglers: Stragglers
    blame: tuple[RankBlame, ...]
    balance: tuple[RoleBalance, ...]
    path: RankPath | None
    steps: JobStepTimes
    ideal: Ideal | None
    """The job beside itself with ideal lengths of tasks; None where that was not asked for, or
    where it cannot be replayed."""
    notes: tuple[str, ...]
    matrix: JobSteps
    """Time, work and waiting by rank and step."""

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        job = self.job
        whole = {
            "name": job.name,
            "ranks": len(job.ranks),
            "world": job.world,
            "missing": list(job.missing),
            "unread": [{"place": one.place, "why": one.why} for one in job.unread],
        }
        skipped = ("job", "matrix")
        answers = {k: v for k, v in self._plain().items() if k not in skipped}
        return whole | answers

    def _plain(self) -> dict[str, Any]:
        from lanescope.results import plain

        names = ("notes", "stragglers", "blame", "waits", "clock", "steps", "balance", "path")
        return {name: plain(getattr(self, name)) for name in (*names, "ideal")}

    def sections(self) -> list[Section]:
        """The page."""
        from lanescope.jobs.report_sections import job_sections

        return job_sections(self)

    def text(self) -> str:
        """The page as plain text."""
        return render_sections(self.sections())

    def __repr__(self) -> str:
        return f"<JobReport of {self.job.name!r}: {self.stragglers.sentence}>"


def job_report(job: Job, *, replay: str | None = None) -> JobReport:
    """Answer every question about the ranks of a job.

    Args:
        job: the job.
        replay: also replay it with ideal lengths of tasks: `peers`, as long as on ranks that do
            the same work, or `job`, as long as the function takes in the whole job. It reads all
            tasks.

    Raises:
        UsageError: there is no such ideal.
    """
    if replay is not None and replay not in IDEALS:
        raise UsageError(f"expected replay={' or '.join(IDEALS)}, found {replay}")
    waited, play = waits(job), roles(job)
    matrix = job_steps(job, waited)
    notes = [*job.notes, *job.clock.notes]
    found = None
    if replay is not None:
        try:
            found = IDEALS[replay](job)
        except LanescopeError as error:
            notes.append(f"{str(error)[:1].upper()}{str(error)[1:]}.")
    verdict = stragglers(job, waited, matrix, play)
    return JobReport(
        job=job,
        clock=job.clock,
        waits=waited,
        stragglers=verdict,
        blame=blame(job, waited, play, verdict.straggler),
        balance=balance(job, matrix, play),
        path=rank_path(job, waited),
        steps=_step_times(job, matrix),
        ideal=found,
        notes=tuple(notes),
        matrix=matrix,
    )


def _step_times(job: Job, matrix: JobSteps) -> JobStepTimes:
    joined = len(np.unique(job.clock.axes)) == 1
    found = []
    for column, step in enumerate(matrix.step.tolist()):
        here = np.flatnonzero(~np.isnan(matrix.start[:, column]))
        if not len(here):
            continue
        whole = matrix.end[here, column].max() - matrix.start[here, column].min()
        length = whole if joined else matrix.length[here, column].max()
        work = np.nan_to_num(matrix.work[here, column])
        found.append(
            JobStepTime(
                step=step,
                length_ns=float(length),
                ranks=len(here),
                slowest=job.ranks[int(here[work.argmax()])].number,
                wait_ns=float(np.nansum(matrix.wait[here, column])),
            )
        )
    lengths = [one.length_ns for one in found]
    changes = change_points(lengths) if len(lengths) > 1 else ()
    return JobStepTimes(matrix.basis, tuple(found), changes)
