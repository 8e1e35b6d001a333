"""What lanescope says of jobs of many ranks, against the truth, and what that takes.

    python -m benchmarks.jobs [--seeds 3] [--first-seed 1] [--sizes 10,100,1024] [--only CASE …]

Every case is a job made by `benchmarks.make_job`. Columns: ranks whose clock is stated, and the
share of them whose true clock lies within the stated error at every moment; the true error (median
and worst) beside the stated one; collectives whose last rank was stated beyond doubt, and how many
of these are wrong; waits against the true ones; who is said to hold up the job. Then time and
memory for jobs of growing size. Exit code 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.made_job.plan import JobPlan
from benchmarks.made_job.scores import (
    AlignmentScore,
    TroubleScore,
    WaitScore,
    alignment,
    trouble,
    waiting,
)
from benchmarks.make_job import make_job
from lanescope.jobs.job import open_job
from lanescope.jobs.waits import waits

LEAST_INSIDE = 0.99
"""Of the ranks of a case: their true clock lies within the stated error."""
MOST_WRONG_LAST = 0.01
"""Of the collectives whose last rank is stated beyond doubt."""
MOST_WAIT_ERROR = 0.01

_USUAL: dict[str, Any] = {"ranks": 32, "stages": 4, "tasks": 600, "steps": 10, "kernel_us": 2000.0}
CASES: dict[str, dict[str, Any]] = {
    "one group": {"stages": 1},
    "one group, 0.3 s": {"stages": 1, "kernel_us": 200.0},
    "one group, 2 steps": {"stages": 1, "steps": 2, "tasks": 60},
    "one group, 10 % missing": {"stages": 1, "missing": 0.1},
    "one group, clocks of 1 µs": {"stages": 1, "resolution_ns": 1000},
    "one group, no UTC": {"stages": 1, "epoch": "none"},
    "one group, wandering clocks": {"stages": 1, "wander_us": 20.0},
    "two ranks": {"stages": 1, "ranks": 2},
    "world": {"groups": "world"},
    "world, 0.3 s": {"groups": "world", "kernel_us": 200.0},
    "world, 10 % missing": {"groups": "world", "missing": 0.1},
    "sharded": {"groups": "sharded", "stages": 1, "ranks": 64},
    "sharded, 10 % missing": {"groups": "sharded", "stages": 1, "ranks": 64, "missing": 0.1},
    "stages": {},
    "stages, no UTC": {"epoch": "none"},
    "stages, 10 % missing": {"missing": 0.1},
    "stages, windows": {"windows": 4},
    "stages, windows, counted": {"windows": 4, "numbering": "group", "epoch": "none"},
    "stages, eager messages": {"p2p": "eager"},
    "frozen stages": {"groups": "frozen", "epoch": "none"},
    "chain of messages": {"ranks": 8, "stages": 8},
    "islands, no UTC": {"groups": "islands", "epoch": "none"},
    "islands, UTC stated": {"groups": "islands", "epoch": "stated"},
    "straggler": {"straggler": 5},
    "straggler, one group": {"straggler": 5, "stages": 1},
    "straggler, last half": {"straggler": 5, "straggler_from": 5},
    "straggler, 1.1 times": {"straggler": 5, "factor": 1.1},
    "straggler, world": {"straggler": 20, "groups": "world"},
    "straggler, sharded": {"straggler": 9, "groups": "sharded", "ranks": 64},
    "straggler, frozen stage": {"straggler": 9, "groups": "frozen"},
    "late rank": {"late_rank": 5},
    "late rank, one group": {"late_rank": 5, "stages": 1},
    "late host": {"late_host": 1, "stages": 1},
    "slow stage": {"slow_stage": 2},
    "imbalance": {"imbalance": 0.1},
}


@dataclass(frozen=True, slots=True)
class Scores:
    """What one job scored."""

    clock: AlignmentScore
    wait: WaitScore | None
    """None where collectives were counted: their numbers are not those of the truth."""
    trouble: TroubleScore


def score(plan: JobPlan) -> Scores:
    """Make a job, ask lanescope, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        told = make_job(plan, Path(folder) / "made.job")
        job = open_job(Path(folder) / "made.job", workers=0)
        found = waits(job)
        counted = plan.numbering != "source"
        return Scores(
            alignment(job, told),
            None if counted else waiting(job, found, told),
            trouble(job, found, told),
        )


def row(name: str, scores: list[Scores]) -> tuple[str, bool]:
    """A line of the table, and whether a limit was missed."""
    clocks = [one.clock for one in scores]
    placed, inside = (sum(getattr(one, what) for one in clocks) for what in ("placed", "inside"))
    everyone = sum(one.ranks for one in clocks)
    share = inside / placed if placed else 0.0
    waited = [one.wait for one in scores if one.wait is not None]
    decided, wrong = (sum(getattr(one, what) for one in waited) for what in ("decided", "wrong"))
    error = max((one.wait_error for one in waited), default=0.0)
    said = sorted({f"{one.trouble.said} {one.trouble.said_cause}".strip() for one in scores})
    missed = []
    if share < LEAST_INSIDE or placed < everyone:
        missed.append("clock")
    if sum(one.inside_island for one in clocks) < LEAST_INSIDE * everyone:
        missed.append("clock in islands")
    if wrong > MOST_WRONG_LAST * decided:
        missed.append("last")
    if error > MOST_WAIT_ERROR:
        missed.append("waits")
    if not all(one.trouble.right for one in scores):
        missed.append(f"who ({scores[0].trouble.expected})")
    if not all(one.trouble.right_cause for one in scores if one.trouble.right):
        missed.append(f"why ({scores[0].trouble.cause})")
    median, worst, stated = (
        (statistics.median(one.median_ns for one in clocks) / 1e3),
        (max(one.worst_ns for one in clocks) / 1e3),
        (statistics.median(one.stated_median_ns for one in clocks) / 1e3),
    )
    line = (
        f"{name:28} {placed:4}/{everyone:<4} {share:7.1%} {median:10.2f} {worst:11.2f} "
        f"{stated:10.2f} {decided:7} {wrong:5} {error:7.2%}  {' | '.join(said)}"
    )
    return line + (f"  MISSED {', '.join(missed)}" if missed else ""), bool(missed)


def sizes(ranks: list[int], tasks: int) -> None:
    """Print what reading and asking take, each in a process of its own."""
    print(f"\n{tasks:,} tasks a rank; seconds, and MiB of the process that asks")
    print(f"{'ranks':>6} {'read s':>8} {'ms a rank':>10} {'and ask s':>10} {'MiB':>6}")
    for count in ranks:
        stages = 4 if count % 4 == 0 else 2
        with tempfile.TemporaryDirectory() as folder:
            plan = JobPlan(ranks=count, stages=stages, tasks=tasks, steps=20, groups="world")
            made = Path(folder) / "made.job"
            make_job(plan, made)
            read, _ = _measured(made, "read")
            whole, peak = _measured(made, "ask")
        print(f"{count:6,} {read:8.2f} {read / count * 1e3:10.1f} {whole:10.2f} {peak:6.0f}")


def _measured(folder: Path, what: str) -> tuple[float, float]:
    """Seconds and peak MiB of a fresh process."""
    command = [sys.executable, "-m", "benchmarks.made_job.asked", str(folder), what]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    took, peak = json.loads(done.stdout.splitlines()[-1])
    return took, peak


def main() -> int:
    """Score all cases, print the tables, and say whether the limits hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1, help="others than those tuned on")
    parser.add_argument("--sizes", default="10,100,1024", help="ranks; empty for none")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", choices=CASES, metavar="CASE")
    args = parser.parse_args()
    print(
        f"{'case':28} {'stated':>9} {'inside':>7} {'error µs':>10} {'worst µs':>11} "
        f"{'stated µs':>10} {'decided':>7} {'wrong':>5} {'waits':>7}  said"
    )
    missed = False
    for name in args.only or CASES:
        plans = [
            JobPlan(**_USUAL | CASES[name] | {"seed": args.first_seed + k})
            for k in range(args.seeds)
        ]
        line, failed = row(name, [score(plan) for plan in plans])
        print(line, flush=True)
        missed |= failed
    print(
        f"limits: every clock stated, inside ≥ {LEAST_INSIDE:.0%}, "
        f"wrong ≤ {MOST_WRONG_LAST:.0%} of decided, "
        f"waits ≤ {MOST_WAIT_ERROR:.0%} off, who holds up the job, and why, named right"
    )
    if args.sizes:
        sizes([int(one) for one in args.sizes.split(",")], args.tasks)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
