"""`lanescope run --budget`: chooses level and buffers, then says whether they kept to it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import recording

if TYPE_CHECKING:
    from lanescope.bench.choose import LevelChoice, LevelOption
    from lanescope.platforms.recording import Recording
    from lanescope.platforms.run import RunOutcome
    from lanescope.workloads.graph import TaskGraph


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--budget",
        metavar="SHARE%,MEMORY",
        help="choose the level and the buffers so that recording adds at most this share to the "
        "makespan and takes at most this memory, like 2%%,64MB, or one of the two; "
        "--chip-swimlane, --buffers and --buffer-records are then the most it may choose",
    )


@dataclass(frozen=True)
class Chosen:
    """A choice, and what to say about it."""

    choice: LevelChoice

    @property
    def recording(self) -> Recording:
        found = self.choice.chosen.recording
        assert found is not None
        return found

    def before(self) -> str:
        """What was chosen, and why nothing higher."""
        choice = self.choice
        option = choice.chosen
        line = f"budget {_budget(choice)}: level {option.level}"
        if option.level:
            line += (
                f", {self.recording.buffers} buffers of {self.recording.buffer_records:,} records "
                f"per lane, {_bytes(option.region_bytes)}"
            )
            line += "" if option.share is None else f"; expected {_expected(option)}"
        higher = [other for other in choice.options if other.level > option.level]
        reasons = [f"level {other.level} {_reason(other)}" for other in higher]
        if reasons:
            line += f"\n  {'; '.join(reasons)}"
        return f"{line}\n  by {choice.basis}"

    def after(self, outcome: RunOutcome) -> str:
        """Whether it kept to it."""
        from lanescope.bench.choose import outcome_of

        choice = self.choice
        found = outcome_of(choice, outcome.makespan_ns, outcome.region_bytes)
        words = {True: "kept", False: "not kept", None: "cannot be told"}[found.kept]
        if not choice.chosen.level:
            return f"budget {words}: nothing was recorded"
        parts = [_bytes(found.region_bytes)]
        if found.share is not None:
            runs = len(choice.unrecorded_ns)
            against = "an unrecorded run" if runs == 1 else f"the median of {runs} unrecorded runs"
            parts.insert(0, f"{100 * found.share:+.2f}% against {against} of the same graph")
            if runs > 1:
                parts.append(f"unrecorded runs took {_spread(choice.unrecorded_ns)}")
        return f"budget {words}: {', '.join(parts)}"

    def facts(self, outcome: RunOutcome) -> dict[str, Any]:
        from lanescope.bench.choose import outcome_of

        choice = self.choice
        found = outcome_of(choice, outcome.makespan_ns, outcome.region_bytes)
        return {
            "share": choice.budget.share,
            "memory_bytes": choice.budget.memory_bytes,
            "level": choice.chosen.level,
            "buffers": self.recording.buffers if choice.chosen.level else 0,
            "buffer_records": self.recording.buffer_records if choice.chosen.level else 0,
            "options": [_option(option) for option in choice.options],
            "basis": choice.basis,
            "unrecorded_ns": list(choice.unrecorded_ns),
            "measured": asdict(found),
        }


def choice_of(args: argparse.Namespace, graph: TaskGraph, asked: Recording) -> Chosen | None:
    """None where no budget is given."""
    if args.budget is None:
        return None
    import tempfile

    from lanescope.bench.budget import read_budget
    from lanescope.bench.choose import allowed, choose_measured, choose_simulated
    from lanescope.errors import UsageError
    from lanescope.platforms.run import is_simulated, run_on

    budget = read_budget(args.budget)
    if asked.pmu is not None or asked.core_swimlane:
        raise UsageError(
            "--budget chooses between levels, and does not know what --pmu and --core-swimlane "
            "cost; leave them out"
        )
    machine = recording.machine_of(args)
    options = allowed(budget, asked, _region_bytes(args, graph))
    with tempfile.TemporaryDirectory(prefix="lanescope-budget-") as folder:
        count = iter(range(1 << 30))

        def run(setting: Recording) -> RunOutcome:
            return run_on(
                args.platform,
                graph,
                setting,
                directory=Path(folder, f"{next(count)}.capture"),
                machine=machine,
                pre_dispatch=args.pre_dispatch,
            )

        if is_simulated(args.platform):
            return Chosen(choose_simulated(budget, options, run))
        return Chosen(choose_measured(budget, options, lambda one: run(one).makespan_ns))


def _region_bytes(args: argparse.Namespace, graph: TaskGraph) -> Callable[[Recording], int]:
    """How much memory a recording takes on the platform."""
    from lanescope.platforms.recording import features_of
    from lanescope.platforms.run import is_simulated
    from lanescope.platforms.sim.chip import load_chip
    from lanescope.platforms.sim.machine import SimSetup
    from lanescope.platforms.sim.run import region_config as simulated
    from lanescope.platforms.threads.recorded import region_config as threaded

    if not is_simulated(args.platform):
        machine = recording.machine_of(args)
        return lambda one: threaded(graph, machine, one).region_bytes()
    chip = load_chip(args.platform)

    def size(one: Recording) -> int:
        setup = SimSetup(
            chip=chip, features=features_of(one), protocol=one.protocol,
            pre_dispatch=args.pre_dispatch,
        )  # fmt: skip
        return simulated(graph, setup, one).region_bytes()

    return size


def _budget(choice: LevelChoice) -> str:
    share, memory = choice.budget.share, choice.budget.memory_bytes
    parts = [] if share is None else [f"{100 * share:g}%"]
    return ", ".join(parts + ([] if memory is None else [_bytes(memory)]))


def _expected(option: LevelOption) -> str:
    assert option.share is not None and option.low is not None and option.high is not None
    line = f"{100 * option.share:+.2f}%"
    if option.low < option.high:
        line += f" ({100 * option.low:+.2f} to {100 * option.high:+.2f})"
    return line


def _reason(option: LevelOption) -> str:
    if option.recording is None:
        return "does not fit in the memory"
    return f"would take {_expected(option)}"


def _option(option: LevelOption) -> dict[str, Any]:
    return {
        "level": option.level,
        "fits_memory": option.recording is not None,
        "region_bytes": option.region_bytes,
        "share": option.share,
        "low": option.low,
        "high": option.high,
    }


def _bytes(count: int) -> str:
    if count < 1e5:
        return f"{count:,} B"
    return f"{count / 1e6:,.1f} MB"


def _spread(times_ns: tuple[int, ...]) -> str:
    return f"{min(times_ns) / 1e6:,.3f} to {max(times_ns) / 1e6:,.3f} ms"
