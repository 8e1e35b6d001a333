"""Results of `lanescope bench` as tables: makespans, what recording added, and how to read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lanescope.overhead.comparison import BenchResult
from lanescope.overhead.plan import BASELINE
from lanescope.overhead.simulated import JITTER
from lanescope.overhead.statistics import CONFIDENCE, OUTLIER_LIMIT, PairedDifference
from lanescope.render.page import Cell, PageColumn, Section
from lanescope.render.plain import render_sections

WIDTH = 120
"""Characters of a line; a wider table is cut into pieces that repeat the first column."""

_ADDED: dict[str, Callable[[PairedDifference], str]] = {
    "Δ mean": lambda added: _us(added.mean, "+"),
    "interval": lambda added: _interval(added),
    "Δ median": lambda added: _us(added.median, "+"),
}
"""Title of a column to its cell, for tables of differences."""


def render_table(results: Sequence[BenchResult]) -> str:
    """Return the tables and how to read them as plain text that ends in a newline."""
    return render_sections(table_sections(results), width=WIDTH)


def table_sections(results: Sequence[BenchResult]) -> list[Section]:
    """Return the tables as sections; one without rows is left out."""
    tables = [
        _makespans(results),
        _to_off([result for result in results if result.to_off_ns is not None]),
        _to_baseline([result for result in results if result.to_baseline_ns is not None]),
        _controllers([result for result in results if result.orchestrator_ns is not None]),
    ]
    shown = [section for section in tables if section.columns[0].cells]
    return [*shown, Section(title="how to read this", lines=tuple(_explained(results)))]


def figures(title: str, cells: Sequence[Cell]) -> PageColumn:
    """Return a column of ready-made figures, aligned to the right and kept where all are None."""
    return PageColumn(title, "figure", tuple(cells), kept=True)


def _names(results: Sequence[BenchResult]) -> PageColumn:
    names = tuple(result.configuration.name for result in results)
    return PageColumn("level and protocol", "text", names, key=True)


def _makespans(results: Sequence[BenchResult]) -> Section:
    spreads = [result.makespan_ns for result in results]
    return Section(
        title="makespan, µs",
        columns=(
            _names(results),
            figures("n", [str(own.n) for own in spreads]),
            figures("mean ± sd", [f"{_us(own.mean)} ± {_us(own.sd)}" for own in spreads]),
            figures("median", [_us(own.median) for own in spreads]),
            figures("min", [_us(own.min) for own in spreads]),
            figures("max", [_us(own.max) for own in spreads]),
            figures("outliers", [str(own.outliers) for own in spreads]),
            figures("mean without", [_us(own.mean_inside) for own in spreads]),
            figures("dropped", [f"{result.dropped:,}" for result in results]),
            figures("blocked", [_us(result.blocked_ns_per_run) for result in results]),
        ),
    )


def _to_off(results: Sequence[BenchResult]) -> Section:
    mean, interval, middle = _differences([result.to_off_ns for result in results])
    percents = [f"{result.to_off_percent:+.2f}" for result in results]
    per_task = [f"{result.to_off_ns_per_task:+,.1f}" for result in results]
    return Section(
        title="what recording added to level 0, µs",
        columns=(
            *(_names(results), mean, interval),
            *(figures("%", percents), figures("ns/task", per_task), middle),
        ),
    )


def _to_baseline(results: Sequence[BenchResult]) -> Section:
    differences = _differences([result.to_baseline_ns for result in results])
    return Section(
        title=f"what it added to {BASELINE} at the same level, µs",
        columns=(_names(results), *differences),
    )


def _controllers(results: Sequence[BenchResult]) -> Section:
    schedulers = [result.makespan_ns for result in results]
    orchestrators = [own for result in results if (own := result.orchestrator_ns) is not None]
    both, interval, _ = _differences([result.overhead_ns for result in results])
    return Section(
        title="controllers, µs",
        columns=(
            _names(results),
            figures("schedulers", [f"{_us(own.mean)} ± {_us(own.sd)}" for own in schedulers]),
            figures("orchestrator", [f"{_us(own.mean)} ± {_us(own.sd)}" for own in orchestrators]),
            figures("both against off", both.cells),
            interval,
        ),
    )


def _differences(added: Sequence[PairedDifference | None]) -> list[PageColumn]:
    """Return the columns of _ADDED; a row without a difference has none of its cells."""
    return [
        figures(title, [None if one is None else cell(one) for one in added])
        for title, cell in _ADDED.items()
    ]


def _interval(added: PairedDifference) -> str:
    ending = "" if added.told_apart else " not told apart"
    return f"{_us(added.low, '+')} … {_us(added.high, '+')}{ending}"


def _us(ns: float, sign: str = "") -> str:
    return f"{ns / 1000:{sign},.1f}"


def _explained(results: Sequence[BenchResult]) -> list[str]:
    """Return what a reader must know of the columns, a sentence or two each."""
    notes = [
        f"outliers: rounds further than {OUTLIER_LIMIT} scaled median absolute deviations from "
        'the median; all figures but "mean without" include them.',
        "dropped: records, in all rounds; blocked: how long producers waited for a free buffer, "
        "per run, all lanes together.",
    ]
    if len(results) > 1:
        notes += [
            f"Δ: of the {results[0].makespan_ns.n} differences within a round; the interval of "
            "their mean is Student's t of paired differences, "
            f"{CONFIDENCE:.0%} for each row by itself.",
            '"not told apart": the interval includes 0, so these rounds show no difference.',
        ]
    if any(result.orchestrator_ns is not None for result in results):
        notes.append(
            "Simulated: rounds differ because each changes every task's length by up to "
            f"{JITTER:.0%}, the same way for all rows. The makespan is the schedulers'."
        )
    if not any(result.configuration.level == 0 for result in results):
        notes.append("Level 0 was not measured, so nothing is compared with it.")
    return notes
