"""The results as plain text: makespans, then what recording added, then how to read it."""

from __future__ import annotations

from collections.abc import Sequence

from lanescope.bench.comparison import BenchResult
from lanescope.bench.plan import BASELINE
from lanescope.bench.simulated import JITTER
from lanescope.bench.statistics import CONFIDENCE, OUTLIER_LIMIT, PairedDifference

_MAKESPAN = (
    "level and protocol",
    "n",
    "mean ± sd",
    "median",
    "min",
    "max",
    "outliers",
    "mean without",
    "dropped",
    "blocked",
)
_TO_OFF = ("level and protocol", "Δ mean", "interval", "%", "ns/task", "Δ median")
_CONTROLLERS = ("level and protocol", "schedulers", "orchestrator", "both against off", "interval")
_TO_BASELINE = ("level and protocol", "Δ mean", "interval", "Δ median")


def render_table(results: Sequence[BenchResult]) -> str:
    """The tables and their footnotes, ending in a newline."""
    blocks = [aligned("makespan, µs", _MAKESPAN, [_makespan(result) for result in results])]
    to_off = [row for result in results if (row := _to_off(result))]
    if to_off:
        blocks.append(aligned("what recording added to level 0, µs", _TO_OFF, to_off))
    to_baseline = [row for result in results if (row := _to_baseline(result))]
    if to_baseline:
        title = f"what it added to {BASELINE} at the same level, µs"
        blocks.append(aligned(title, _TO_BASELINE, to_baseline))
    controllers = [row for result in results if (row := _controllers(result))]
    if controllers:
        blocks.append(aligned("controllers, µs", _CONTROLLERS, controllers))
    return "\n\n".join([*blocks, _footnotes(results)]) + "\n"


def _makespan(result: BenchResult) -> list[str]:
    own = result.makespan_ns
    times = (own.median, own.min, own.max)
    return [
        result.configuration.name,
        str(own.n),
        f"{_us(own.mean)} ± {_us(own.sd)}",
        *(_us(time) for time in times),
        str(own.outliers),
        _us(own.mean_inside),
        f"{result.dropped:,}",
        _us(result.blocked_ns_per_run),
    ]


def _controllers(result: BenchResult) -> list[str]:
    orchestrator, both = result.orchestrator_ns, result.overhead_ns
    if orchestrator is None:
        return []
    added = ["", ""] if both is None else [_us(both.mean, "+"), _interval(both)]
    return [
        result.configuration.name,
        f"{_us(result.makespan_ns.mean)} ± {_us(result.makespan_ns.sd)}",
        f"{_us(orchestrator.mean)} ± {_us(orchestrator.sd)}",
        *added,
    ]


def _to_off(result: BenchResult) -> list[str]:
    found = result.to_off_ns
    if found is None:
        return []
    return [
        result.configuration.name,
        _us(found.mean, "+"),
        _interval(found),
        f"{result.to_off_percent:+.2f}",
        f"{result.to_off_ns_per_task:+,.1f}",
        _us(found.median, "+"),
    ]


def _to_baseline(result: BenchResult) -> list[str]:
    found = result.to_baseline_ns
    if found is None:
        return []
    return [
        result.configuration.name,
        _us(found.mean, "+"),
        _interval(found),
        _us(found.median, "+"),
    ]


def _interval(found: PairedDifference) -> str:
    ending = "" if found.told_apart else " not told apart"
    return f"{_us(found.low, '+')} … {_us(found.high, '+')}{ending}"


def _us(ns: float, sign: str = "") -> str:
    return f"{ns / 1000:{sign},.1f}"


def aligned(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    lines = [title]
    for row in (head, ["-" * width for width in widths], *rows):
        first, *rest = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def _footnotes(results: Sequence[BenchResult]) -> str:
    notes = [
        f"outliers: rounds further than {OUTLIER_LIMIT} scaled median absolute deviations from "
        'the median; all figures but\n   "mean without" include them.',
        "dropped: records, in all rounds; blocked: how long producers waited for a free buffer, "
        "per run,\n   all lanes together.",
    ]
    if len(results) > 1:
        notes += [
            f"Δ: of the {results[0].makespan_ns.n} differences within a round; the interval of "
            "their mean is Student's t of paired\n   "
            f"differences, {CONFIDENCE:.0%} for each row by itself.",
            '"not told apart": the interval includes 0, so these rounds show no difference.',
        ]
    if any(result.orchestrator_ns is not None for result in results):
        notes.append(
            "Simulated: rounds differ because each changes every task's length by up to "
            f"{JITTER:.0%}, the same way for\n   all rows. The makespan is the schedulers'."
        )
    if not any(result.configuration.level == 0 for result in results):
        notes.append("Level 0 was not measured, so nothing is compared with it.")
    return "\n".join(notes)
