"""Two sides of a fleet, such as two commits, compared workload by workload; limits for machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.compare.diff import Diff, Difference, diff
from lanescope.analyze.compare.measures import LANE_GROUPS, Measures
from lanescope.errors import UsageError
from lanescope.fleet.choosing import BY, Row, choose, condition, group_name, grouped, short_path
from lanescope.fleet.measured import NANOSECONDS
from lanescope.fleet.values import Values
from lanescope.render.plain import render_sections
from lanescope.results import Result

FAILED, UNDECIDED, KEPT = "failed", "undecided", "kept"
"""What can be said of a limit."""


@dataclass(frozen=True, slots=True)
class WorkloadDiff(Result):
    """Peers of both sides."""

    name: str
    diff: Diff

    def change(self, measure: str) -> Difference | None:
        """The row of a measure NAME or GROUP/NAME; None where no side has it."""
        for row in self.diff.rows:
            if measure in (row.name, f"{row.group}/{row.name}"):
                return row
        return None


@dataclass(frozen=True, slots=True)
class FleetDiff(Result):
    """Two sides of a fleet."""

    base: str
    new: str
    """The condition of each side."""
    workloads: tuple[WorkloadDiff, ...]
    only_base: tuple[str, ...]
    only_new: tuple[str, ...]
    """Workloads that only one side has: they are compared with nothing."""

    def text(self) -> str:
        """The comparison as plain text: makespans, then what changed in each workload."""
        from lanescope.fleet.pages import diff_sections

        return render_sections(diff_sections(self))


@dataclass(frozen=True, slots=True)
class JudgedLimit(Result):
    """One limit and one workload."""

    verdict: str
    """`failed`, `undecided` or `kept`."""
    sentence: str


def compare(
    rows: Sequence[Row], values: Values, sides: tuple[str, str], by: Sequence[str] = BY
) -> FleetDiff:
    """Compare the traces of two conditions KEY=VALUE, the base first."""
    keys = [one for one in by if one not in {condition(side)[0] for side in sides}]
    chosen = [choose(rows, [side]) for side in sides]
    for side, members in zip(sides, chosen, strict=True):
        if not members:
            key = condition(side)[0]
            raise UsageError(f"expected traces with {side}, found none{_others(rows, key)}")
    groups = [grouped(members, keys) for members in chosen]
    both = [key for key in groups[0] if key in groups[1]]
    compared = [
        WorkloadDiff(
            group_name(key, keys),
            diff(_measures(groups[0][key], values), _measures(groups[1][key], values)),
        )
        for key in both
    ]
    only = [
        tuple(group_name(key, keys) for key in groups[side] if key not in both) for side in (0, 1)
    ]
    return FleetDiff(*sides, tuple(compared), *only)


def judge(comparison: FleetDiff, measure: str, limit: float) -> list[JudgedLimit]:
    """Hold every workload against a limit: it fails only where chance does not explain it.

    Raises:
        UsageError: no workload has the measure.
    """
    judged = [
        _judge(one.name, row, limit)
        for one in comparison.workloads
        if (row := one.change(measure)) is not None
    ]
    if not judged and comparison.workloads:
        known = dict.fromkeys(row.name for one in comparison.workloads for row in one.diff.rows)
        raise UsageError(
            f"expected a measure of these traces ({', '.join(list(known)[:12])}), found {measure!r}"
        )
    if not judged:
        judged = [JudgedLimit(UNDECIDED, "no workload has traces on both sides")]
    return judged


def _judge(name: str, row: Difference, limit: float) -> JudgedLimit:
    said = f"{name}: {row.name} "
    wanted = f"+{100 * limit:g} %"
    if row.change is None:
        return JudgedLimit(UNDECIDED, f"{said}cannot be compared: one side has none")
    said += f"changed by {100 * row.change:+.2f} %"
    if row.low is None or row.high is None:
        verdict = UNDECIDED if row.change > limit else KEPT
        reason = "one trace on a side cannot tell chance"
        return JudgedLimit(verdict, f"{said} against {wanted}; {reason}")
    said += f" (from {100 * row.low:+.2f} to {100 * row.high:+.2f} %)"
    if row.low > limit:
        return JudgedLimit(FAILED, f"{said}, more than {wanted}")
    if row.high > limit:
        return JudgedLimit(UNDECIDED, f"{said}, which includes {wanted}; more traces would tell")
    return JudgedLimit(KEPT, f"{said}, at most {wanted}")


def _others(rows: Sequence[Row], key: str) -> str:
    """Which values there are, for a message."""
    values = [value for (value,) in grouped(choose(rows, []), [key]) if value]
    if not values:
        return f"; no trace has {key!r}"
    return f"; there are {', '.join(values[:8])}{', …' if len(values) > 8 else ''}"


def _measures(rows: Sequence[Row], values: Values) -> list[Measures]:
    """The times of each trace, without those of single lanes."""
    keys = [
        place
        for place, (group, _) in enumerate(values.keys)
        if group not in LANE_GROUPS and values.units[place] == NANOSECONDS
    ]
    traces = [row["trace"] for row in rows]
    matrix, runs = values.matrix(traces, keys), values.matrix(traces, keys, "runs")
    made = []
    for place, row in enumerate(rows):
        known = np.flatnonzero(~np.isnan(matrix[place])).tolist()
        made.append(
            Measures(
                short_path(row),
                {values.keys[keys[one]]: float(matrix[place, one]) for one in known},
                {values.keys[keys[one]][1]: int(runs[place, one]) for one in known},
                {},
            )
        )
    return made
