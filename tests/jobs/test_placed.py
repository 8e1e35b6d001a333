"""A rank's trace on the job's common axis."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from tests.jobs.hand_made import Made, Row, meeting, trace_of

import lanescope
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.moved import MOMENTS
from lanescope.jobs.placed import CommonAxis
from lanescope.render.cells import time_text
from lanescope.trace.schema import MISSING
from lanescope.trace.tables import SCHEMA


def stored(folder: Path, *ranks: Made) -> Job:
    for number, made in enumerate(ranks):
        lanescope.save(trace_of(number, made), folder / "train.job" / f"rank{number}.lanes")
    return open_job(folder / "train.job", workers=0)


def test_every_moment_of_the_schema_is_moved_and_no_length() -> None:
    every = {c.name for table in SCHEMA.values() for c in table.columns if c.name.endswith("_ns")}
    assert every - MOMENTS == {"slack_ns"}


def test_offset_and_drift_are_taken_out_and_the_job_starts_at_0(tmp_path: Path) -> None:
    """The second clock is ahead by 5 ms and runs faster by 100 ppm."""
    ends = [1_000_000 * k for k in range(1, 101)]

    def ahead(true_ns: int) -> int:
        return round(true_ns * 1.0001) + 5_000_000

    rows = [[Row(k, end - 1_000, end) for k, end in enumerate(ends)]]
    rows.append([Row(k, ahead(end - 1_000), ahead(end)) for k, end in enumerate(ends)])
    job = stored(
        tmp_path,
        Made(rows[0], [(2_500_000, 2_700_000)]),
        Made(rows[1], [(ahead(500_000), ahead(600_000)), (ahead(90_200_000), ahead(90_700_000))]),
    )
    first, second = (CommonAxis(job).trace(place) for place in range(2))
    assert int(second.tasks["start_ns"].min()) == 0
    both = first.collectives["end_ns"], second.collectives["end_ns"]
    assert np.abs(both[0] - both[1]).max() <= 2
    assert np.abs(np.diff(first.collectives["end_ns"]) - 1_000_000).max() <= 60
    late = second.tasks["start_ns"][1] - second.tasks["start_ns"][0]
    assert abs(int(late) - 89_700_000) <= 100 * 90
    assert second.meta.name == "rank 1"


def test_what_is_not_known_stays_so(tmp_path: Path) -> None:
    rows = meeting([1_000_000, 2_000_000, 3_000_000], [0, 7_000_000])
    job = stored(tmp_path, *(Made(one) for one in rows))
    trace = CommonAxis(job).trace(1)
    error_ns = job.clock.ranks[1].error_ns
    assert error_ns is not None
    assert trace.meta.notes[-1] == (
        f"Times are on the common clock of the job {job.name}, by {job.clock.ranks[1].basis}; "
        f"known: to {time_text(error_ns)}."
    )
    assert (trace.tasks["dispatch_ns"] == MISSING).all()
    assert trace.collectives.text("group") == ["world"] * 3
    assert trace.tasks["task"].tolist() == [0, 1, 2]


def test_ranks_that_nothing_joins_both_begin_at_0(tmp_path: Path) -> None:
    job = stored(tmp_path, Made(work=[(5_000, 6_000)]), Made(work=[(70_000, 80_000)]))
    placed = [CommonAxis(job).trace(place) for place in range(2)]
    assert [int(trace.tasks["start_ns"][0]) for trace in placed] == [0, 0]
    assert placed[1].meta.notes[-1].endswith("; known: nobody knows how well.")


def test_clocks_of_the_old_axis_are_dropped(tmp_path: Path) -> None:
    rows = meeting([1_000_000, 2_000_000, 3_000_000], [0, 7_000_000])
    for number, one in enumerate(rows):
        trace = trace_of(number, Made(one))
        meta = msgspec.structs.replace(trace.meta, epoch_ns=10**18, base_cycles=5)
        lanescope.save(replace(trace, meta=meta), tmp_path / "train.job" / f"r{number}.lanes")
    placed = CommonAxis(open_job(tmp_path / "train.job", workers=0)).trace(0).meta
    assert (placed.epoch_ns, placed.base_cycles) == (None, None)
