"""What people see of a fleet: report, outliers, trend and diff as sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lanescope.analyze.compare.diff import Difference
from lanescope.fleet.comparing import FleetDiff, WorkloadDiff
from lanescope.fleet.measured import COUNT, NANOSECONDS
from lanescope.fleet.outliers import FEWEST, Outlier, Outliers
from lanescope.fleet.report import FleetReport
from lanescope.fleet.trend import Trend, TrendSeries
from lanescope.render.cells import count_text, many_text, time_text
from lanescope.render.names import NAME_LIMIT
from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections

_MOST_FAILURES = 20
_MOST_ROWS = 30
_MOST_VALUES = 8
_MOST_ANSWERS = 100


def report_sections(report: FleetReport) -> list[Section]:
    """The fleet in short, the ledger, spreads, outliers."""
    total = report.traces + report.jobs + len(report.failures)
    facts = [
        ("in the index", f"{many_text(report.traces, 'trace')}, {many_text(report.jobs, 'job')}"),
        ("failed", f"{count_text(len(report.failures))} of {count_text(total)}"),
        ("dates", f"{report.first} to {report.last} UTC" if report.first else "not known"),
    ]
    facts += [(key, _some(values)) for key, values in report.labels.items()]
    sections = [Section(title=f"Fleet {report.place}", facts=tuple(facts))]
    if report.failures:
        shown = report.failures[:_MOST_FAILURES]
        sections.append(
            Section(
                title="Failed",
                lines=tuple(one.why for one in shown),
                notes=_hidden(len(report.failures) - len(shown)),
                is_warning=True,
            )
        )
    if report.spreads:
        rows = report.spreads[:_MOST_ROWS]
        columns = [
            PageColumn("workload", "text", tuple(one.peers for one in rows), key=True),
            PageColumn("measure", "text", tuple(_measure(one.group, one.name) for one in rows)),
            PageColumn("traces", "count", tuple(one.traces for one in rows)),
        ]
        for title, field in (("least", "least"), ("median", "median"), ("p95", "p95")):
            cells = tuple(_value(getattr(one, field), one.unit) for one in rows)
            columns.append(PageColumn(title, "figure", cells))
        columns.append(PageColumn("most", "figure", tuple(_value(o.most, o.unit) for o in rows)))
        hidden = _hidden(len(report.spreads) - len(rows))
        sections.append(Section(title="Measures", columns=tuple(columns), notes=hidden))
    return sections + outlier_sections(report.outliers)


def outlier_sections(outliers: Outliers) -> list[Section]:
    """One line per trace: its measure that is farthest from the peers', and how many more."""
    judged = [group for group in outliers.groups if group.limit is not None]
    lines = [
        f"{count_text(outliers.values)} values of "
        f"{many_text(sum(group.traces for group in judged), 'trace')} were compared with the "
        f"medians of their peers."
    ]
    if outliers.small:
        small = many_text(len(outliers.small), "group")
        names = _some([f"{group.name} ({group.traces})" for group in outliers.small])
        lines.append(f"{small} with fewer than {FEWEST} traces cannot be judged: {names}.")
    if not outliers.rows:
        lines.append("No trace is unlike its peers." if judged else "No group is large enough.")
        return [Section(title="Outliers", lines=tuple(lines))]
    first: dict[str, Outlier] = {}
    more: dict[str, int] = {}
    for row in outliers.rows:
        first.setdefault(row.trace, row)
        more[row.trace] = more.get(row.trace, -1) + 1
    rows = list(first.values())[:_MOST_ROWS]
    columns = (
        PageColumn("trace", "text", tuple(row.path for row in rows), key=True),
        PageColumn("measure", "text", tuple(_measure(row.group, row.name) for row in rows)),
        PageColumn("value", "figure", tuple(_value(row.value, row.unit) for row in rows)),
        PageColumn("median", "figure", tuple(_value(row.median, row.unit) for row in rows)),
        PageColumn("change", "figure", tuple(_signed(row.change) for row in rows)),
        PageColumn("sigmas", "number", tuple(row.sigmas for row in rows)),
        PageColumn("more", "count", tuple(more[row.trace] for row in rows)),
    )
    hidden = _hidden(len(first) - len(rows))
    return [Section(title="Outliers", lines=tuple(lines), columns=columns, notes=hidden)]


def trend_sections(trend: Trend) -> list[Section]:
    """One section per series."""
    sections = [_series(trend, one) for one in trend.series]
    if trend.undated:
        left = f"Without a date: {many_text(trend.undated, 'trace')}."
        sections.append(Section(title="Left out", lines=(left,)))
    return sections or [Section(title="Trend", lines=("No trace has this measure.",))]


def _series(trend: Trend, series: TrendSeries) -> Section:
    points = series.points
    things = "trace" if trend.order == "date" else "commit"
    lines = [f"{many_text(len(points), things)} from {points[0].at} to {points[-1].at}."]
    if not series.changes:
        lines.append("No change beyond chance.")
    changes = series.changes
    columns = (
        PageColumn("since", "text", tuple(points[one.index].at for one in changes), key=True),
        PageColumn("trace", "text", tuple(points[one.index].path for one in changes)),
        PageColumn("before", "figure", tuple(_value(one.before, trend.unit) for one in changes)),
        PageColumn("after", "figure", tuple(_value(one.after, trend.unit) for one in changes)),
        PageColumn("change", "figure", tuple(_signed(one.change) for one in changes)),
    )
    title = f"{_measure(trend.group, trend.name)} of {series.name}"
    return Section(title=title, lines=tuple(lines), columns=columns if changes else ())


def diff_sections(comparison: FleetDiff) -> list[Section]:
    """The makespans of all workloads, then the other measures that changed."""
    facts = [("base", comparison.base), ("new", comparison.new)]
    for side, names in (("base", comparison.only_base), ("new", comparison.only_new)):
        if names:
            facts.append((f"only in {side}", _some(names)))
    sections = [Section(title="Diff", facts=tuple(facts))]
    spans = [(one, one.change("run/makespan")) for one in comparison.workloads]
    known = [(one, row) for one, row in spans if row is not None]
    if known:
        sections.append(Section(title="Makespan", columns=(*_changes(known), *_said(known))))
    others = [
        (one, row)
        for one in comparison.workloads
        for row in one.diff.rows
        if row.verdict not in ("same", "unsure") and (row.group, row.name) != ("run", "makespan")
    ]
    if others:
        shown = others[:_MOST_ROWS]
        hidden = _hidden(len(others) - len(shown))
        sections.append(Section(title="Other changes", columns=_changes(shown), notes=hidden))
    return sections


def _changes(rows: Sequence[tuple[WorkloadDiff, Difference]]) -> tuple[PageColumn, ...]:
    return (
        PageColumn("workload", "text", tuple(one.name for one, _ in rows), key=True),
        PageColumn("measure", "text", tuple(_measure(row.group, row.name) for _, row in rows)),
        PageColumn("base", "time", tuple(row.base_ns for _, row in rows), scale="d"),
        PageColumn("new", "time", tuple(row.new_ns for _, row in rows), scale="d"),
        PageColumn("change", "figure", tuple(_signed(row.change) for _, row in rows)),
        PageColumn("interval", "figure", tuple(_interval(row) for _, row in rows)),
    )


def _said(rows: Sequence[tuple[WorkloadDiff, Difference]]) -> tuple[PageColumn, ...]:
    return (
        PageColumn("verdict", "figure", tuple(row.verdict for _, row in rows)),
        PageColumn("traces", "figure", tuple(_sizes(one) for one, _ in rows)),
    )


def _interval(row: Difference) -> str:
    return "-" if row.low is None else f"{_signed(row.low)} to {_signed(row.high)}"


def _sizes(one: WorkloadDiff) -> str:
    return f"{len(one.diff.base)} and {len(one.diff.new)}"


def _measure(group: str, name: str) -> str:
    return name if group == "run" else f"{group}/{name}"


def _value(value: float, unit: str) -> str:
    if unit == NANOSECONDS:
        return time_text(value)
    return count_text(round(value)) if unit == COUNT else f"{value:,.3f}"


def _signed(fraction: float | None) -> str:
    return "-" if fraction is None else f"{100 * fraction:+.2f} %"


def _some(values: Sequence[str]) -> str:
    shown = ", ".join(values[:_MOST_VALUES])
    left = len(values) - _MOST_VALUES
    return f"{shown} and {count_text(left)} more" if left > 0 else shown


def _hidden(number: int) -> tuple[str, ...]:
    return (f"{count_text(number)} more are not shown; --json has all.",) if number > 0 else ()


def table_text(table: pa.Table) -> str:
    """The answer of a query as plain text; texts longer than a cell are shown whole."""
    if not table.num_columns:
        return "The query has no answer.\n"
    shown = table.slice(0, _MOST_ANSWERS)
    columns = []
    for name, column in zip(shown.column_names, shown.columns, strict=True):
        cells = tuple(_cell(value) for value in column.to_pylist())
        is_text = pa.types.is_string(column.type) or pa.types.is_dictionary(column.type)
        is_short = all(len(cell or "") <= NAME_LIMIT for cell in cells)
        kind = "text" if is_text and is_short else "figure"
        columns.append(PageColumn(name, kind, cells, kept=True))
    rows = many_text(len(table), "row")
    section = Section(title=rows, columns=tuple(columns), notes=_hidden(len(table) - len(shown)))
    return render_sections([section])


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
