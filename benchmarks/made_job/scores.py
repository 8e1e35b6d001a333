"""How near what lanescope says of a made job comes to the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.jobs.job import Job


@dataclass(frozen=True, slots=True)
class AlignmentScore:
    """How far the common clock is from true time, at the worst moment of each rank's trace."""

    ranks: int
    placed: int
    """Ranks with a stated error."""
    inside: int
    """Ranks whose error is at most the stated one."""
    axes: int
    median_ns: float
    """Of the errors of the ranks with a stated one."""
    worst_ns: float
    stated_median_ns: float
    outside: tuple[tuple[int, float, float], ...]
    """Rank, its error and the stated one, of the ranks that are not inside."""

    @property
    def share(self) -> float:
        """Ranks inside their stated error / ranks with a stated one; 1 where there is none."""
        return self.inside / self.placed if self.placed else 1.0


def alignment(job: Job, told: dict[str, Any]) -> AlignmentScore:
    """Compare the job's clock with the true one.

    No clock of a job knows true time itself: an axis may lie anywhere and run at any rate, so one
    straight line per axis is free.
    """
    clock = job.clock
    knots = {one["rank"]: one for one in told["clock"]["ranks"]}
    local = np.array([knots[number]["local_ns"] for number in job.numbers], np.int64)
    true = np.array([knots[number]["true_ns"] for number in job.numbers], np.float64)
    places = np.arange(len(job.numbers))
    common = np.stack([clock.common(place, local[place]) for place in places]).astype(np.float64)
    stated, wrong = clock.errors, np.zeros(len(places))
    for axis in np.unique(clock.axes):
        mine = clock.axes == axis
        wrong[mine] = _off_line(true[mine], (common - true)[mine], stated[mine])
    known = np.isfinite(stated)
    bad = np.flatnonzero(known & (wrong > stated))
    return AlignmentScore(
        ranks=len(places),
        placed=int(known.sum()),
        inside=int(known.sum()) - len(bad),
        axes=len(np.unique(clock.axes)),
        median_ns=float(np.median(wrong[known])) if known.any() else 0.0,
        worst_ns=float(wrong[known].max()) if known.any() else 0.0,
        stated_median_ns=float(np.median(stated[known])) if known.any() else 0.0,
        outside=tuple((job.numbers[k], float(wrong[k]), float(stated[k])) for k in bad.tolist()),
    )


def _off_line(time: np.ndarray, wrong: np.ndarray, stated: np.ndarray) -> np.ndarray:
    """Largest distance of each row of `wrong` from the line that most rows lie near.

    A row counts the more the smaller its stated error is: an axis may be that of one rank.
    """
    weight = 1 / np.clip(np.where(np.isfinite(stated), stated, 1e12), 1.0, None)
    middle, each = time.mean(), np.ones_like(time)
    use = np.ones(len(time), bool)
    distance = np.zeros(len(time))
    for _ in range(4):
        lean = (each[use] * weight[use, None]).ravel()
        slope, offset = np.polyfit((time[use] - middle).ravel(), wrong[use].ravel(), 1, w=lean)
        distance = np.abs(wrong - offset - slope * (time - middle)).max(axis=1)
        far = distance / np.maximum(stated, 1.0)
        use = far <= max(4 * float(np.median(far)), 1e-9)
    return distance
