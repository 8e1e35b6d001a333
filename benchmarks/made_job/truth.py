"""What is true of a made job: who came last, who waited how long, and what was done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from benchmarks.made_job.clocks import Clocks
from benchmarks.made_job.plan import JobPlan

_KNOTS = 9
"""Moments of every trace at which the true time is told."""


@dataclass(slots=True)
class Account:
    """Written down while the job runs, in true ns, one element per rank."""

    plan: JobPlan
    step: int = 0
    compute_ns: np.ndarray = field(default_factory=lambda: np.empty(0))
    last: np.ndarray = field(default_factory=lambda: np.empty(0))
    """How often each rank came last to a collective of more than two ranks."""
    wait_ns: dict[str, np.ndarray] = field(default_factory=dict)
    """Kind → time that each rank waited for others."""
    collectives: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Nothing has happened yet."""
        self.compute_ns = np.zeros(self.plan.ranks)
        self.last = np.zeros(self.plan.ranks, np.int64)

    def collective(
        self, kind: str, names: Sequence[str], sequence: int, members: np.ndarray, came: np.ndarray
    ) -> None:
        """All came at these moments (groups × members); a broadcast waits for its root alone."""
        until = came[:, :1] if kind == "broadcast" else came.max(axis=1, keepdims=True)
        waited = np.maximum(until - came, 0)
        self._waited(kind, members, waited)
        ordered = np.sort(came, axis=1)
        for k, name in enumerate(names):
            late = int(members[k, int(np.argmax(came[k]))])
            if kind != "broadcast" and members.shape[1] > 2:
                self.last[late] += 1
            self.collectives.append(
                {
                    "group": name,
                    "sequence": sequence,
                    "kind": kind,
                    "step": self.step,
                    "last": late,
                    "margin_ns": round(float(ordered[k, -1] - ordered[k, -2])),
                    "wait_ns": round(float(waited[k].sum())),
                }
            )

    def pair(
        self,
        senders: np.ndarray,
        receivers: np.ndarray,
        sent: np.ndarray,
        came: np.ndarray,
        *,
        eager: bool,
    ) -> None:
        """Ranks sent and received; the sender waits only where it is not eager."""
        self._waited("recv", receivers, np.maximum(sent - came, 0))
        if not eager:
            self._waited("send", senders, np.maximum(came - sent, 0))

    def _waited(self, kind: str, ranks: np.ndarray, ns: np.ndarray) -> None:
        by_rank = self.wait_ns.setdefault(kind, np.zeros(self.plan.ranks))
        by_rank[ranks] += ns


def truth(
    plan: JobPlan, account: Account, clocks: Clocks, zeros: dict[int, tuple[int, int, int]]
) -> dict[str, Any]:
    """What truth.json says.

    Args:
        plan: The job.
        account: What happened.
        clocks: The ranks' clocks.
        zeros: Rank → what its clock showed at 0 ns of its trace, and the true ns of its first and
            last row.
    """
    ranks = []
    for rank, (zero, first, last) in sorted(zeros.items()):
        true = np.linspace(first, last, _KNOTS).astype(np.int64)
        local = clocks.shown(rank, true) - zero
        ranks.append({"rank": rank, "true_ns": true.tolist(), "local_ns": local.tolist()})
    cause = "none"
    if plan.straggler is not None:
        cause = "ran longer"
    elif plan.late_ranks.any():
        cause = "launched late"
    return {
        "plan": asdict(plan),
        "missing": plan.absent.tolist(),
        "clock": {
            "offset_ns": clocks.offset_ns.tolist(),
            "drift_ppb": clocks.drift_ppb.tolist(),
            "ranks": ranks,
        },
        "trouble": {
            "straggler": plan.straggler,
            "cause": cause,
            "late_ranks": np.flatnonzero(plan.late_ranks).tolist(),
            "slow_stage": plan.slow_stage,
            "heavy_ranks": np.flatnonzero(plan.heavy).tolist(),
        },
        "compute_ns": np.rint(account.compute_ns).astype(int).tolist(),
        "times_last": account.last.tolist(),
        "wait_ns": {kind: np.rint(ns).astype(int).tolist() for kind, ns in account.wait_ns.items()},
        "collectives": account.collectives,
    }
