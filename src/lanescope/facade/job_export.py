"""Writing all ranks of a job as one file, on their common clock."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from os import PathLike

import numpy as np

from lanescope.errors import UsageError
from lanescope.formats.available import exporter, exporters
from lanescope.formats.exporter import RankPart
from lanescope.formats.views import origin_ns
from lanescope.formats.written import Export
from lanescope.jobs.job import Job
from lanescope.jobs.moved import on_common_axis
from lanescope.render.names import file_name
from lanescope.trace.places import local_path

_SHOWN = 8
"""How many ranks a refusal names."""


def export_job(
    job: Job,
    path: str | PathLike[str] | None,
    *,
    to: str,
    ranks: Collection[int] | None = None,
) -> Export:
    """Write a job in another tool's format: one file with every rank.

    Args:
        job: The job.
        path: The file; named after the job, in this folder, where it is None.
        to: Name of the exporter.
        ranks: Only these ranks, by number; those that the job does not have are left out.

    Raises:
        UsageError: The format holds one trace only, or the job has none of the ranks.
        OutputError: The place cannot be written.
    """
    chosen = exporter(to)
    if chosen.write_ranks is None:
        able = ", ".join(one.name for one in exporters() if one.write_ranks is not None)
        raise UsageError(
            f"{to} holds one trace, and {job.place} is a job of {len(job):,} ranks; "
            f"export one of its traces, or the whole job to: {able}"
        )
    places = [place for place, number in enumerate(job.numbers) if ranks is None or number in ranks]
    if not places:
        there = ", ".join(map(str, job.numbers[:_SHOWN])) + ", …" * (len(job.numbers) > _SHOWN)
        raise UsageError(f"{job.place} has none of the ranks that were asked for; it has {there}")
    target = local_path(file_name(job.name) + chosen.ranks_ending if path is None else path)
    facts = {"job": job.name, "ranks": job.present, "times": "on the common clock of the job"}
    return chosen.write_ranks(_parts(job, places), target, facts)


def _parts(job: Job, places: list[int]) -> list[RankPart]:
    clock, axes = job.clock, job.clock.axes
    zeros: dict[int, int] = {}
    for place in places:
        first = np.array([origin_ns(job.ranks[place].trace())])
        moment = int(clock.common(place, first)[0])
        axis = int(axes[place])
        zeros[axis] = min(moment, zeros.get(axis, moment))
    return [
        RankPart(
            job.numbers[place],
            partial(on_common_axis, job, place, zeros[int(axes[place])]),
            _facts(job, place),
        )
        for place in places
    ]


def _facts(job: Job, place: int) -> dict[str, int | str]:
    one = job.clock.ranks[place]
    known: dict[str, int | str] = {
        "axis": one.axis,
        "basis": one.basis,
        "offset_ns": round(one.offset_ns),
        "drift_ppb": round(one.drift_ppb),
    }
    return known if one.error_ns is None else {**known, "error_ns": round(one.error_ns)}
