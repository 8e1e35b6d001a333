"""How well the overhead model does, on simulated chips, where the truth is known.

    python -m benchmarks.overhead [--protocol producer-rotated] [--json]

Every built-in workload is recorded at level 4, and its corrected makespan is compared with that of
the unrecorded run. Then every workload runs with budgets of 1, 2 and 5 %, which are kept or not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from lanescope.platforms.budget.choice import outcome_of
from lanescope.platforms.budget.choose import allowed, choose_simulated
from lanescope.platforms.budget.limits import RecordingBudget
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import simulate
from lanescope.platforms.sim.setup import SimSetup
from lanescope.replay.correction.corrected import corrected
from lanescope.replay.correction.record_costs import costs_for
from lanescope.trace.flags import Feature
from lanescope.workloads import WORKLOADS, build_workload

CHIPS = ("a2a3", "a5")
BUDGETS = (0.01, 0.02, 0.05)


@dataclass(frozen=True)
class Row:
    """One workload on one chip; shares of the truth, which is 0."""

    workload: str
    chip: str
    recorded: float
    corrected: float
    low: float
    high: float

    @property
    def is_inside(self) -> bool:
        return self.low <= 0 <= self.high

    def cells(self) -> str:
        """As the page has them."""
        inside = "yes" if self.is_inside else "no"
        percent = [f"{100 * value:+.1f}" for value in (self.corrected, self.low, self.high)]
        return (
            f"{100 * self.recorded:+.1f} | {percent[0]} ({percent[1]} to {percent[2]}) | {inside}"
        )


def corrected_row(workload: str, chip: str, protocol: str = "producer-rotated") -> Row:
    graph, machine = build_workload(workload, {}), load_chip(chip)
    truth = simulate(graph, SimSetup(chip=machine, features=Feature(0)), keep_truth=True).truth
    assert truth is not None
    first = min(task.dispatch_ps for task in truth.tasks)
    real_ns = (max(task.finish_ps for task in truth.tasks) - first) / 1000
    trace = run(workload, chip, Recording(protocol=protocol)).trace
    assert trace is not None
    figure = corrected(trace, costs_for(trace, None)).figures[0]
    values = (figure.recorded, figure.corrected, figure.low, figure.high)
    return Row(workload, chip, *(value / real_ns - 1 for value in values))


def run(workload: str, chip: str, recording: Recording) -> RunOutcome:
    with tempfile.TemporaryDirectory() as folder:
        graph = build_workload(workload, {})
        machine = MachineRequest(platform=chip)
        return execute(graph, machine, recording, directory=Path(folder) / "run.capture")


@dataclass(frozen=True)
class Kept:
    """One budget: the level that was chosen, what was expected, what came."""

    workload: str
    chip: str
    budget: float
    level: int
    expected: float
    measured: float

    @property
    def is_kept(self) -> bool:
        return RecordingBudget(self.budget, None).allows(self.measured)


def budgeted(workload: str, chip: str, share: float) -> Kept:
    budget = RecordingBudget(share, None)
    options = allowed(budget, Recording(), lambda _: 0)
    choice = choose_simulated(budget, options, lambda one: run(workload, chip, one))
    chosen = choice.chosen
    assert chosen.recording is not None
    made = outcome_of(choice, run(workload, chip, chosen.recording).makespan_ns, 0)
    return Kept(workload, chip, share, chosen.level, chosen.share or 0.0, made.share or 0.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--protocol", default="producer-rotated")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = [corrected_row(name, chip, args.protocol) for chip in CHIPS for name in WORKLOADS]
    kept = [budgeted(n, chip, share) for chip in CHIPS for n in WORKLOADS for share in BUDGETS]
    if args.json:
        both = {"corrected": rows, "budgets": kept}
        print(json.dumps({name: [asdict(one) for one in of] for name, of in both.items()}))
        return 0
    print("makespan, % off the unrecorded one, as docs/overhead.md has it:")
    for first, second in zip(rows[: len(WORKLOADS)], rows[len(WORKLOADS) :], strict=True):
        print(f"| {first.workload} | {first.cells()} | {second.cells()} |")
    print("budgets: level, expected %, measured %")
    for one in kept:
        word = "kept" if one.is_kept else "NOT KEPT"
        print(
            f"  {one.chip} {one.workload:16} {one.budget:.0%}: level {one.level}, "
            f"{100 * one.expected:+.2f}, {100 * one.measured:+.2f}, {word}"
        )
    inside, kept_count = sum(row.is_inside for row in rows), sum(one.is_kept for one in kept)
    print(f"{inside} of {len(rows)} truths inside, {kept_count} of {len(kept)} budgets kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
