"""One clock for all ranks of a job, with what it rests on and how wrong it may be.

The ends of collectives are best (`ends.py`). Ranks that none of them joins are placed by messages
(`bounds.py`), then by the host's clock, then by UTC. What nothing joins is on an axis of its own,
and nothing is said of the order of things on two axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.arrivals import Arrivals
from lanescope.jobs.ends import RankFit
from lanescope.jobs.placing import (
    Placing,
    axes_note,
    by_ends,
    by_epoch,
    by_host_clock,
    by_messages,
    by_one_trace,
    unplaced,
)
from lanescope.jobs.together import together
from lanescope.render.cells import time_text
from lanescope.results import Result
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job


@dataclass(frozen=True, slots=True)
class RankClock(Result):
    """Where one rank's times lie on the common axis."""

    rank: int
    basis: str
    """What it rests on."""
    axis: int
    """Ranks of the same axis can be compared."""
    island: int
    """Ranks of the same island are joined by collectives."""
    offset_ns: float
    """How far the rank's clock is ahead of the common one, in the middle of the job."""
    drift_ppb: float
    """How much faster it runs, in parts per 10^9."""
    island_error_ns: float
    """The most by which a placed time is expected to be wrong beside ranks of its island."""
    error_ns: float | None
    """The same beside all ranks of its axis; None where it is alone on it."""
    arrivals: int
    """Ends of collectives that it was found from."""
    residual_p50_ns: float | None
    """Half of the ends lie nearer than this to the middle of the ends of their collective."""
    residual_p95_ns: float | None
    residual_worst_ns: float | None


@dataclass(frozen=True, slots=True, eq=False)
class JobClock(Result):
    """The clocks of all ranks, in the order of the job's ranks."""

    ranks: tuple[RankClock, ...]
    drifts: bool
    """Whether clocks were allowed to drift."""
    refused: tuple[str, ...]
    """Groups whose rows cannot be one operation each, so that nothing was taken from them."""
    end_spread_p50_ns: float | None
    """Ends of a collective lie so far apart on the common axis: median over the collectives."""
    end_spread_p95_ns: float | None
    end_spread_worst_ns: float | None
    raw_spread_p50_ns: float | None
    """The same before clocks were aligned."""
    notes: tuple[str, ...]
    zero: Array
    """By rank: ns to add to its times before offset and drift are taken away."""
    middle: float

    def to_dict(self) -> dict[str, object]:
        """The fields as plain values, without the two that only `common` needs."""
        whole = Result.to_dict(self)
        return {name: value for name, value in whole.items() if name not in ("zero", "middle")}

    def common(self, rank: Array | int, times: Array) -> Array:
        """Times of ranks, given by their place in the job, on the common axis; whole ns."""
        offset = np.array([one.offset_ns for one in self.ranks])
        drift = np.array([one.drift_ppb * 1e-9 for one in self.ranks])
        rough = times + self.zero[rank]
        moved = offset[rank] + drift[rank] * (rough - offset[rank] - self.middle)
        result: Array = rough - np.rint(moved).astype(np.int64)
        return result

    def local(self, rank: int, times: Array) -> Array:
        """Times on the common axis as the rank's own; the inverse of `common`, to a ns."""
        one = self.ranks[rank]
        drift = one.drift_ppb * 1e-9
        rough = (times - drift * self.middle) / (1 - drift) + one.offset_ns
        result: Array = np.rint(rough).astype(np.int64) - self.zero[rank]
        return result

    def error(self, one: Array, other: Array) -> Array:
        """Error of the order of two ranks' times in ns, by places; infinite on two axes."""
        island = np.array([rank.island for rank in self.ranks])
        inner = np.array([rank.island_error_ns for rank in self.ranks])
        outer = np.array([rank.error_ns or 0.0 for rank in self.ranks])
        joined = np.where(self.axes[one] == self.axes[other], outer[one] + outer[other], np.inf)
        return np.where(island[one] == island[other], inner[one] + inner[other], joined)

    @property
    def axes(self) -> Array:
        """Axis of each rank."""
        return np.array([one.axis for one in self.ranks], np.int64)

    def __repr__(self) -> str:
        known = [one.error_ns for one in self.ranks if one.error_ns is not None]
        error = f"error ≤ {time_text(max(known))}" if known else "error not known"
        return f"<JobClock of {len(self.ranks):,} ranks: {error}>"


def align(job: Job) -> JobClock:
    """Put the ranks of a job on one clock."""
    zero = _zero(job)
    arrivals = job.arrivals
    start = (arrivals.start + zero[arrivals.rank]).astype(np.float64)
    end = (arrivals.end + zero[arrivals.rank]).astype(np.float64)
    resolution = np.array([rank.facts.resolution_ns for rank in job.ranks], np.float64)
    chosen, refused, found = together(arrivals, start, end, resolution)
    rows = np.flatnonzero(chosen[arrivals.collective])
    placing = unplaced(found)
    by_ends(placing, arrivals, rows, found)
    notes = list(arrivals.notes)
    if any(rank.part is not None for rank in job.ranks):
        by_one_trace(placing, job)
    by_messages(placing, arrivals, (start, end), found.middle)
    by_host_clock(placing, job, zero)
    by_epoch(placing, job)
    notes += [note for note in (_refused_note(refused), axes_note(placing, job)) if note]
    clock = _clock(job, placing, zero, found, arrivals, rows)
    return replace(clock, refused=tuple(refused), notes=tuple(notes))


def _zero(job: Job) -> Array:
    """ns to add to each rank's times so that all lie on the axis of UTC, if they know it."""
    epochs = [rank.facts.epoch_ns for rank in job.ranks]
    known = [one for one in epochs if one is not None]
    least = min(known, default=0)
    return np.array([0 if one is None else one - least for one in epochs], np.int64)


def _clock(
    job: Job, placing: Placing, zero: Array, found: RankFit, arrivals: Arrivals, rows: Array
) -> JobClock:
    size, rank = np.abs(found.residual), arrivals.rank[rows]
    ranks = []
    error = placing.error
    shared = np.bincount(placing.axis, minlength=len(error))[placing.axis] > 1
    for place, one in enumerate(job.ranks):
        mine = size[rank == place]
        ranks.append(
            RankClock(
                rank=one.number,
                basis=placing.basis[place],
                axis=int(placing.axis[place]),
                offset_ns=float(placing.offset[place]),
                drift_ppb=float(placing.drift[place] * 1e9),
                island=int(placing.island[place]),
                island_error_ns=float(placing.inner[place]),
                error_ns=float(error[place]) if shared[place] else None,
                arrivals=len(mine),
                residual_p50_ns=_quantile(mine, 0.5),
                residual_p95_ns=_quantile(mine, 0.95),
                residual_worst_ns=_quantile(mine, 1.0),
            )
        )
    clock = JobClock(
        ranks=tuple(ranks),
        drifts=bool(found.drift.any()),
        refused=(),
        end_spread_p50_ns=None,
        end_spread_p95_ns=None,
        end_spread_worst_ns=None,
        raw_spread_p50_ns=None,
        notes=(),
        zero=zero,
        middle=found.middle,
    )
    raw = _spread(arrivals, rows, arrivals.end + zero[arrivals.rank])
    spread = _spread(arrivals, rows, clock.common(arrivals.rank, arrivals.end))
    return replace(
        clock,
        end_spread_p50_ns=_quantile(spread, 0.5),
        end_spread_p95_ns=_quantile(spread, 0.95),
        end_spread_worst_ns=_quantile(spread, 1.0),
        raw_spread_p50_ns=_quantile(raw, 0.5),
    )


def _spread(arrivals: Arrivals, rows: Array, end: Array) -> Array:
    """Distance of the first and the last end of each collective of these rows."""
    if not len(rows):
        return np.zeros(0)
    first = np.flatnonzero(np.append(True, np.diff(arrivals.collective[rows]) != 0))
    times = end[rows]
    result: Array = np.maximum.reduceat(times, first) - np.minimum.reduceat(times, first)
    return result


def _quantile(values: Array, part: float) -> float | None:
    return float(np.quantile(values, part)) if len(values) else None


def _refused_note(refused: list[str]) -> str:
    if not refused:
        return ""
    some = ", ".join(refused[:3]) + (f" and {len(refused) - 3:,} more" if len(refused) > 3 else "")
    return (
        "In some groups ranks end before others begin, so their rows cannot be one operation; "
        f"clocks and waits leave them out: {some}."
    )
