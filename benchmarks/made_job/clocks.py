"""The clocks of a made job: what each rank's clock shows at a moment of true time.

True time is ns from the job's begin. A clock shows UTC, wrong by an offset, a drift and a swing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.made_job.plan import JobPlan

BEGIN_NS = 1_760_000_000_000_000_000
"""UTC at which the job begins."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """One clock per rank."""

    offset_ns: np.ndarray
    drift_ppb: np.ndarray
    wander_ns: float
    turns_per_s: np.ndarray
    phase: np.ndarray
    resolution_ns: int

    @classmethod
    def of(cls, plan: JobPlan, span_ns: float) -> Clocks:
        """The clocks of a job that takes so long."""
        chance = plan.chance("clocks")
        hosts = plan.hosts
        count = int(hosts.max()) + 1
        of_host = chance.uniform(-1, 1, count) * plan.offset_ms * 1e6
        own = chance.uniform(-1, 1, plan.ranks) * plan.rank_offset_us * 1e3
        drift = chance.uniform(-1, 1, count) * plan.drift_ppm * 1e3
        turns = chance.uniform(1, 2, count) / (span_ns * 1e-9)
        phase = chance.uniform(0, 2 * np.pi, count)
        return cls(
            np.rint(of_host[hosts] + own).astype(np.int64),
            np.rint(drift[hosts]).astype(np.int64),
            plan.wander_us * 1e3,
            turns[hosts],
            phase[hosts],
            plan.resolution_ns,
        )

    def shown(self, rank: int, true_ns: np.ndarray) -> np.ndarray:
        """What a rank's clock shows, in ns of UTC."""
        error = true_ns * (int(self.drift_ppb[rank]) * 1e-9)
        if self.wander_ns:
            turn = 2 * np.pi * self.turns_per_s[rank] * 1e-9 * true_ns + self.phase[rank]
            error = error + self.wander_ns * np.sin(turn)
        exact = BEGIN_NS + int(self.offset_ns[rank]) + true_ns + np.rint(error).astype(np.int64)
        return exact - exact % self.resolution_ns
