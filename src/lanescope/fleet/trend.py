"""One measure over time or over commits, for each group of peers, and where it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from lanescope.analyze.compare.change_points import ChangePoint, change_points
from lanescope.errors import UsageError
from lanescope.fleet.choosing import BY, Row, group_name, places_by_group, short_path
from lanescope.fleet.values import Values
from lanescope.render.plain import render_sections
from lanescope.results import Result

ORDERS = ("date", "commit")


@dataclass(frozen=True, slots=True)
class TrendPoint(Result):
    """A trace, or with order `commit` all traces of one commit."""

    at: str
    """The date, or the commit."""
    value: float
    """Its value; of several traces the median."""
    traces: int
    path: str
    """The trace's path from the folder on that was indexed; of several traces the first one's."""


@dataclass(frozen=True, slots=True)
class TrendSeries(Result):
    """One group of peers, in order."""

    name: str
    points: tuple[TrendPoint, ...]
    changes: tuple[ChangePoint, ...]
    """Their `index` is a place in `points`."""


@dataclass(frozen=True, slots=True)
class Trend(Result):
    """A measure over time."""

    group: str
    name: str
    unit: str
    order: str
    """`date` or `commit`; commits are in the order of their first trace."""
    series: tuple[TrendSeries, ...]
    undated: int
    """Traces without a date, which are left out."""

    def text(self) -> str:
        """The trend as plain text: each series, and where it changes."""
        from lanescope.fleet.pages import trend_sections

        return render_sections(trend_sections(self))

    def svg(self) -> str:
        """The trend as a picture."""
        from lanescope.fleet.trend_picture import trend_picture

        return trend_picture(self)


def find_trend(
    rows: Sequence[Row],
    values: Values,
    measure: str,
    *,
    order: str = "date",
    by: Sequence[str] = BY,
) -> Trend:
    """Order the traces of each group, and find where the measure changes."""
    if order not in ORDERS:
        raise UsageError(f"expected the order {' or '.join(ORDERS)}, found {order!r}")
    key = values.find(measure)
    dated = [row for row in rows if row["date"] is not None]
    dated.sort(key=lambda row: (row["date"], row["trace"]))
    keys = [one for one in by if one != order]
    series = []
    column = values.matrix([row["trace"] for row in dated], [key])[:, 0]
    for group, places in places_by_group(dated, keys).items():
        known = [(dated[one], float(column[one])) for one in places if not np.isnan(column[one])]
        points = _by_commit(known) if order == "commit" else _by_date(known)
        if points:
            changes = change_points([point.value for point in points])
            series.append(TrendSeries(group_name(group, keys), points, changes))
    (group_word, name), unit = values.keys[key], values.units[key]
    return Trend(group_word, name, unit, order, tuple(series), len(rows) - len(dated))


def _by_date(known: Sequence[tuple[Row, float]]) -> tuple[TrendPoint, ...]:
    return tuple(
        TrendPoint(date_text(row["date"]), value, 1, short_path(row)) for row, value in known
    )


def _by_commit(known: Sequence[tuple[Row, float]]) -> tuple[TrendPoint, ...]:
    """Traces without a commit are left out."""
    commits: dict[str, list[tuple[Row, float]]] = {}
    for row, value in known:
        if row["commit"]:
            commits.setdefault(row["commit"], []).append((row, value))
    return tuple(
        TrendPoint(
            commit,
            float(np.median([value for _, value in members])),
            len(members),
            short_path(members[0][0]),
        )
        for commit, members in commits.items()
    )


def date_text(date: datetime) -> str:
    """A date with its minute, in UTC."""
    return f"{date:%Y-%m-%d %H:%M}"
