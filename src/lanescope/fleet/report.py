"""What a fleet holds: how many traces, which failed, how measures spread, who is unlike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.fleet.choosing import BY, Row, choose, group_name, places_by_group
from lanescope.fleet.outliers import Outliers, find_outliers
from lanescope.fleet.tables import FAILED, IN
from lanescope.fleet.trend import date_text
from lanescope.fleet.values import Values
from lanescope.render.plain import render_sections
from lanescope.results import Result

MAIN = (
    *(("run", "makespan"), ("core time", "running"), ("device time", "compute")),
    *(("device time", "communication"), ("job", "step"), ("job", "wait"), ("job", "slowest rank")),
    ("run", "records lost"),
)
"""Measures that a report shows, where a fleet has them."""


@dataclass(frozen=True, slots=True)
class MeasureSpread(Result):
    """One measure in one group of peers."""

    peers: str
    group: str
    name: str
    unit: str
    traces: int
    least: float
    median: float
    p95: float
    most: float


@dataclass(frozen=True, slots=True)
class LedgerLine(Result):
    """A trace that is not in the index."""

    trace: str
    why: str


@dataclass(frozen=True, slots=True)
class FleetReport(Result):
    """A fleet in short."""

    place: str
    traces: int
    """Traces in the index."""
    jobs: int
    """Jobs in the index."""
    failures: tuple[LedgerLine, ...]
    first: str
    """Date of the oldest trace; empty where none is known."""
    last: str
    labels: dict[str, tuple[str, ...]]
    """Values of every label, and of `commit` and `host`."""
    spreads: tuple[MeasureSpread, ...]
    outliers: Outliers

    def text(self) -> str:
        """The report as plain text."""
        from lanescope.fleet.pages import report_sections

        return render_sections(report_sections(self))


def make_report(
    place: str, rows: Sequence[Row], values: Values, by: Sequence[str] = BY
) -> FleetReport:
    """Answer the questions of `lanescope fleet report`."""
    good = [row for row in rows if row["status"] == IN]
    dates = sorted(row["date"] for row in good if row["date"] is not None)
    failures = [LedgerLine(row["trace"], row["why"]) for row in rows if row["status"] == FAILED]
    return FleetReport(
        place=place,
        traces=sum(row["kind"] == "trace" for row in good),
        jobs=sum(row["kind"] == "job" for row in good),
        failures=tuple(sorted(failures, key=lambda one: one.trace)),
        first=date_text(dates[0]) if dates else "",
        last=date_text(dates[-1]) if dates else "",
        labels=_labels(good),
        spreads=_spreads(good, values, by),
        outliers=find_outliers(choose(rows, []), values, by),
    )


def _labels(rows: Sequence[Row]) -> dict[str, tuple[str, ...]]:
    values: dict[str, dict[str, None]] = {}
    for row in rows:
        facts = {"commit": row["commit"], "host": row["host"], **row["labels"]}
        for key, value in facts.items():
            if value:
                values.setdefault(key, {})[value] = None
    return {key: tuple(sorted(found)) for key, found in sorted(values.items())}


def _spreads(rows: Sequence[Row], values: Values, by: Sequence[str]) -> tuple[MeasureSpread, ...]:
    keys = [values.keys.index(key) for key in MAIN if key in values.keys]
    spreads = []
    matrix = values.matrix([row["trace"] for row in rows], keys)
    for group, places in places_by_group(rows, by).items():
        for column, key in enumerate(keys):
            known = matrix[places, column]
            known = known[~np.isnan(known)]
            if len(known) and not (values.keys[key][1] == "records lost" and not known.any()):
                least, median, p95, most = np.percentile(known, (0, 50, 95, 100)).tolist()
                spreads.append(
                    MeasureSpread(
                        group_name(group, by),
                        *values.keys[key],
                        values.units[key],
                        len(known),
                        least,
                        median,
                        p95,
                        most,
                    )
                )
    return tuple(spreads)
