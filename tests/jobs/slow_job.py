"""A small job in which one rank is slow: what the page of a job is tried with."""

from __future__ import annotations

from pathlib import Path

from tests.jobs.hand_made import Made, Row, trace_of

import lanescope

STEP = 10_000_000
STEPS = 6
AHEAD = 3_000_000
"""The clock of every odd rank is ahead by so much."""


def slow_made(rank: int, ranks: int, slow: int) -> Made:
    """Steps of 10 ms: work of 4 ms, on the slow rank 6 ms, then an all-reduce of all ranks.

    Ranks begin their steps 20 µs after each other, so that nobody is last by chance.
    """
    ahead = AHEAD * (rank % 2)
    work, rows, steps = [], [], []
    for step in range(STEPS):
        begin = step * STEP
        length = 6_000_000 if rank == slow else 4_000_000 + 20_000 * (rank % 50)
        work.append((begin + ahead, begin + length + ahead))
        rows.append(Row(step, begin + length + 1_000 + ahead, begin + 6_100_000 + ahead))
        steps.append((step, begin + ahead, begin + STEP + ahead))
    return Made(rows, work, steps, {"world": ranks, "host": f"host{rank // 2}"})


def slow_job(folder: Path, ranks: int = 4, slow: int = 2) -> Path:
    """The job on disk; its path."""
    place = folder / "slow.job"
    for rank in range(ranks):
        trace = trace_of(rank, slow_made(rank, ranks, slow))
        lanescope.save(trace, place / f"rank{rank}.lanes")
    return place
