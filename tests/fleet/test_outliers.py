"""What is unlike its peers, by hand: values, medians, scales and limits; and a report around it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import pytest

from lanescope.analyze.compare.student import t_quantile
from lanescope.fleet.choosing import Row
from lanescope.fleet.outliers import Outlier, Outliers, PeerGroup, find_outliers
from lanescope.fleet.report import LedgerLine, MeasureSpread, make_report
from lanescope.fleet.values import Key, Values


def row(trace: str, **facts: Any) -> Row:
    known = {"root": "/runs", "status": "in", "kind": "trace", "workload": "fan", "chip": "a5"}
    none = {"why": "", "commit": "", "host": "", "date": None, "labels": {}}
    return {"trace": trace, **known, **none, **facts}


def values(columns: dict[Key, tuple[str, list[float]]]) -> Values:
    """Measures with a value for each of the traces /runs/t0, /runs/t1, …; NaN is left out."""
    matrix = np.array([column for _, column in columns.values()]).T
    trace, key = np.nonzero(~np.isnan(matrix))
    return Values(
        traces={f"/runs/t{place}": place for place in range(len(matrix))},
        keys=tuple(columns),
        units=tuple(unit for unit, _ in columns.values()),
        trace=trace,
        key=key,
        value=matrix[trace, key],
        runs=np.zeros(len(trace), np.int64),
    )


def found(columns: dict[Key, tuple[str, list[float]]]) -> Outliers:
    count = len(next(iter(columns.values()))[1])
    return find_outliers([row(f"/runs/t{place}") for place in range(count)], values(columns))


def test_among_equal_values_the_noise_is_two_thousandths_of_the_median() -> None:
    """Eight values of one measure: with 2 degrees of freedom the limit is at 12.59 × 0.2."""
    limit = t_quantile(2, 1 - 0.05 / 8)
    assert limit == pytest.approx(12.59, abs=0.01)
    assert found({("run", "makespan"): ("ns", [100.0] * 7 + [103.0])}) == Outliers(
        by=("kind", "workload", "chip"),
        groups=(PeerGroup("fan a5", 8, limit),),
        values=8,
        rows=(
            Outlier(
                "/runs/t7", "runs/t7", "fan a5", "run", "makespan", "ns", 103.0, 100.0, 0.03, 15.0
            ),
        ),
    )
    assert found({("run", "makespan"): ("ns", [100.0] * 7 + [102.5])}).rows == ()
    assert [one.sigmas for one in found({("run", "x"): ("", [-100.0] * 7 + [-97.0])}).rows] == [
        15.0
    ]


def test_a_spread_is_the_median_distance_times_1_4826() -> None:
    spread = [98.0, 99.0, 99.0, 100.0, 100.0, 101.0, 101.0, 120.0]
    [one] = found({("run", "makespan"): ("ns", spread)}).rows
    assert (one.value, one.median, one.change) == (120.0, 100.0, 0.2)
    assert one.sigmas == pytest.approx(20 / 1.4826)


def test_where_the_median_is_zero_the_mean_distance_is_the_noise() -> None:
    lost = {("run", "records lost"): ("", [0.0] * 15 + [32.0])}
    [one] = found(lost).rows
    assert (one.value, one.median, one.change) == (32.0, 0.0, None)
    assert one.sigmas == pytest.approx(32 / (1.2533 * 2))


@pytest.mark.parametrize(
    ("group", "unit", "last", "odd"),
    [
        ("core time", "ns", 1010.0, True),
        ("core time", "ns", 1009.0, False),
        ("core time", "share", 1009.0, True),
        ("function", "ns", 1009.0, True),
    ],
)
def test_a_time_that_differs_by_a_thousandth_of_the_makespan_is_no_outlier(
    group: str, unit: str, last: float, odd: bool
) -> None:
    """The makespan is 9.5 µs: 9.5 ns of it do not count, but in a mean over runs they do."""
    columns = {
        ("run", "makespan"): ("ns", [9500.0] * 8),
        (group, "x"): (unit, [200.0] * 7 + [last - 800]),
    }
    assert bool(found(columns).rows) is odd


def test_a_hundredth_of_the_median_is_no_outlier_whatever_the_noise() -> None:
    close = [100.0, 100.0, 100.0, 100.001, 100.001, 100.001, 100.002]
    assert found({("run", "x"): ("", [*close, 101.0])}).rows == ()
    assert len(found({("run", "x"): ("", [*close, 101.01])}).rows) == 1


def test_measures_that_few_have_and_those_of_lanes_are_not_judged() -> None:
    nan = float("nan")
    columns = {
        ("run", "few"): ("", [nan] + [1.0] * 6 + [9.0]),
        ("core", "aic 0"): ("ns", [1.0] * 7 + [9.0]),
        ("run", "all"): ("", [1.0] * 7 + [9.0]),
    }
    result = found(columns)
    assert result.values == 15
    assert [(one.group, one.name) for one in result.rows] == [("run", "all")]


def test_the_trace_with_the_largest_distance_is_first_with_all_its_values() -> None:
    columns = {
        ("run", "a"): ("", [100.0] * 10 + [110.0, 120.0]),
        ("run", "b"): ("", [100.0] * 10 + [90.0, 70.0]),
        ("run", "c"): ("", [100.0] * 10 + [115.0, 100.0]),
    }
    result = found(columns)
    assert [(one.path, one.name) for one in result.rows] == [
        *(("runs/t11", "b"), ("runs/t11", "a")),
        *(("runs/t10", "c"), ("runs/t10", "a"), ("runs/t10", "b")),
    ]
    assert result.traces == ("/runs/t11", "/runs/t10")


def test_a_report_counts_dates_labels_failures_and_spreads() -> None:
    rows = [
        row("/runs/t0", date=datetime(2026, 1, 2, 3, 4), commit="b", labels={"night": "x"}),
        row("/runs/t1", date=datetime(2026, 1, 5), commit="a", host="n1"),
        row("/runs/t2", date=datetime(2026, 1, 3), kind="job"),
        row("/runs/t3", status="failed", why="/runs/t3: is damaged", host="n2"),
        row("/runs/t4", status="failed", why="/runs/t4: is damaged"),
    ]
    columns = {
        ("run", "makespan"): ("ns", [100.0, 200.0, 50.0]),
        ("run", "records lost"): ("", [0.0, 0.0, 3.0]),
        ("function", "QK"): ("ns", [1.0, 2.0, 3.0]),
    }
    report = make_report("fleet", rows[::-1], values(columns))
    assert (report.place, report.traces, report.jobs) == ("fleet", 2, 1)
    assert (report.first, report.last) == ("2026-01-02 03:04", "2026-01-05 00:00")
    assert report.failures == (
        LedgerLine("/runs/t3", "/runs/t3: is damaged"),
        LedgerLine("/runs/t4", "/runs/t4: is damaged"),
    )
    assert report.labels == {"commit": ("a", "b"), "host": ("n1",), "night": ("x",)}
    assert report.spreads == (
        MeasureSpread("job fan a5", "run", "makespan", "ns", 1, 50.0, 50.0, 50.0, 50.0),
        MeasureSpread("job fan a5", "run", "records lost", "", 1, 3.0, 3.0, 3.0, 3.0),
        MeasureSpread("fan a5", "run", "makespan", "ns", 2, 100.0, 150.0, 195.0, 200.0),
    )
    assert report.outliers.groups == (
        PeerGroup("job fan a5", 1, None),
        PeerGroup("fan a5", 2, None),
    )
