"""`lanescope run --budget`: the option, and what is said about the level that was chosen."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.platforms.budget.choice import BudgetReport, LevelChoice, LevelOption


def configure(parser: argparse.ArgumentParser) -> None:
    """Add --budget."""
    parser.add_argument(
        "--budget",
        metavar="SHARE%,MEMORY",
        help="choose the level and the buffers so that recording adds at most this share to the "
        "makespan and takes at most this memory, like 2%%,64MB, or one of the two; "
        "--chip-swimlane, --buffers and --buffer-records are then the most it may choose",
    )


def choice_text(choice: LevelChoice) -> str:
    """Say which level was chosen, and why no higher one."""
    option, recording = choice.chosen, choice.recording
    line = f"budget {_budget(choice)}: level {option.level}"
    if option.level:
        line += (
            f", {recording.buffers} buffers of {recording.buffer_records:,} records "
            f"per lane, {_bytes(option.region_bytes)}"
        )
        line += "" if option.share is None else f"; expected {_expected(option)}"
    higher = [other for other in choice.options if other.level > option.level]
    reasons = [f"level {other.level} {_reason(other)}" for other in higher]
    if reasons:
        line += f"\n  {'; '.join(reasons)}"
    return f"{line}\n  by {choice.basis}"


def outcome_text(report: BudgetReport) -> str:
    """Say whether the run kept to its budget."""
    choice, measured = report.choice, report.measured
    words = {True: "kept", False: "not kept", None: "cannot be told"}[measured.kept]
    if not choice.chosen.level:
        return f"budget {words}: nothing was recorded"
    parts = [_bytes(measured.region_bytes)]
    if measured.share is not None:
        runs = len(choice.unrecorded_ns)
        against = "an unrecorded run" if runs == 1 else f"the median of {runs} unrecorded runs"
        parts.insert(0, f"{100 * measured.share:+.2f}% against {against} of the same graph")
        if runs > 1:
            parts.append(f"unrecorded runs took {_spread(choice.unrecorded_ns)}")
    return f"budget {words}: {', '.join(parts)}"


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


def _bytes(count: int) -> str:
    if count < 1e5:
        return f"{count:,} B"
    return f"{count / 1e6:,.1f} MB"


def _spread(times_ns: tuple[int, ...]) -> str:
    return f"{min(times_ns) / 1e6:,.3f} to {max(times_ns) / 1e6:,.3f} ms"
