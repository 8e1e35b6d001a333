"""Report, outliers, trend, diff and answers of a fleet as pages, whole; made by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from lanescope.analyze.compare.change_points import ChangePoint
from lanescope.analyze.compare.diff import Difference
from lanescope.fleet.comparing import FleetDiff, WorkloadDiff
from lanescope.fleet.measured import COUNT, NANOSECONDS
from lanescope.fleet.outliers import Outlier, Outliers, PeerGroup
from lanescope.fleet.pages import (
    diff_sections,
    outlier_sections,
    report_sections,
    table_text,
    trend_sections,
)
from lanescope.fleet.report import FleetReport, LedgerLine, MeasureSpread
from lanescope.fleet.trend import Trend, TrendPoint, TrendSeries
from lanescope.render.plain import render_sections

ODD = Outlier(
    "t1", "a/t1", "matmul", "run", "makespan", NANOSECONDS, 2_000_000.0, 1_000_000.0, 1.0, 9.0
)
OUTLIERS = Outliers(
    by=("workload",),
    groups=(PeerGroup("matmul", 20, 4.5), PeerGroup("fan", 3, None)),
    values=1_200,
    rows=(
        ODD,
        replace(ODD, group="function", name="QK", value=1.5, median=1.25, unit="share", change=0.2),
        replace(ODD, trace="t2", path="a/t2", name="records lost", value=7.0, median=0.0,
                unit=COUNT, change=None, sigmas=5.25),
    ),
)  # fmt: skip
SPREAD = MeasureSpread(
    "matmul", "run", "makespan", NANOSECONDS, 20, 900.0, 1_000.0, 1_500.0, 2_000.0
)
REPORT = FleetReport(
    place="runs",
    traces=21,
    jobs=1,
    failures=(LedgerLine("b", "b: is damaged"),),
    first="2026-01-02",
    last="2026-03-04",
    labels={"commit": tuple(f"c{k}" for k in range(9)), "host": tuple(f"h{k}" for k in range(8))},
    spreads=(SPREAD, replace(SPREAD, group="core time", name="idle", unit="share")),
    outliers=OUTLIERS,
)
REPORT_PAGE = """\
Fleet runs
  in the index  21 traces, 1 job
  failed        1 of 23
  dates         2026-01-02 to 2026-03-04 UTC
  commit        c0, c1, c2, c3, c4, c5, c6, c7 and 1 more
  host          h0, h1, h2, h3, h4, h5, h6, h7

! Failed
  b: is damaged

Measures
  workload  measure         traces     least     median        p95       most
  --------  --------------  ------  --------  ---------  ---------  ---------
  matmul    makespan            20  900.0 ns    1.00 µs    1.50 µs    2.00 µs
  matmul    core time/idle      20   900.000  1,000.000  1,500.000  2,000.000

Outliers
  1,200 values of 20 traces were compared with the medians of their peers.
  1 group with fewer than 8 traces cannot be judged: fan (3).

  trace  measure          value    median     change  sigmas  more
  -----  ------------  --------  --------  ---------  ------  ----
  a/t1   makespan      2.000 ms  1.000 ms  +100.00 %    9.00     1
  a/t2   records lost         7         0          -    5.25     0
"""


def test_the_report() -> None:
    assert render_sections(report_sections(REPORT)) == REPORT_PAGE


def test_long_tables_of_a_report_end_and_count_the_rest() -> None:
    many = replace(
        REPORT,
        failures=tuple(LedgerLine(str(k), f"{k}: is damaged") for k in range(21)),
        spreads=(SPREAD,) * 31,
        outliers=replace(OUTLIERS, rows=tuple(replace(ODD, trace=f"t{k}") for k in range(32))),
    )
    _, failed, measures, outliers = report_sections(many)
    hidden = "{} more are not shown; --json has all."
    assert (len(failed.lines), failed.notes, failed.is_warning) == (20, (hidden.format(1),), True)
    assert (len(measures.columns[0].cells), measures.notes) == (30, (hidden.format(1),))
    assert (len(outliers.columns[0].cells), outliers.notes) == (30, (hidden.format(2),))


def test_a_fleet_without_dates_and_failures_says_so() -> None:
    quiet = replace(REPORT, first="", last="", failures=(), spreads=())
    head, *others = report_sections(quiet)
    assert head.facts[1:3] == (("failed", "0 of 22"), ("dates", "not known"))
    assert [one.title for one in others] == ["Outliers"]


def test_no_outlier_is_said_with_its_reason() -> None:
    none = replace(OUTLIERS, rows=())
    assert outlier_sections(none)[0].lines[-1] == "No trace is unlike its peers."
    small = replace(none, groups=OUTLIERS.groups[1:])
    assert outlier_sections(small)[0].lines[-1] == "No group is large enough."
    judged = replace(none, groups=OUTLIERS.groups[:1])
    assert len(outlier_sections(judged)[0].lines) == 2


POINTS = tuple(TrendPoint(f"2026-01-0{k}", 100.0 * k, 1, f"a/t{k}") for k in range(1, 4))
TREND = Trend(
    group="run",
    name="makespan",
    unit=NANOSECONDS,
    order="date",
    series=(
        TrendSeries("matmul", POINTS, (ChangePoint(2, 150.0, 300.0),)),
        TrendSeries("fan", POINTS[:1], ()),
    ),
    undated=1,
)
TREND_PAGE = """\
makespan of matmul
  3 traces from 2026-01-01 to 2026-01-03.

  since       trace    before     after     change
  ----------  -----  --------  --------  ---------
  2026-01-03  a/t3   150.0 ns  300.0 ns  +100.00 %

makespan of fan
  1 trace from 2026-01-01 to 2026-01-01.
  No change beyond chance.

Left out
  Without a date: 1 trace.
"""


def test_a_trend() -> None:
    assert render_sections(trend_sections(TREND)) == TREND_PAGE


def test_a_trend_of_commits_and_one_of_nothing() -> None:
    commits = trend_sections(replace(TREND, order="commit", undated=0))
    assert commits[0].lines == ("3 commits from 2026-01-01 to 2026-01-03.",)
    assert [one.title for one in commits] == ["makespan of matmul", "makespan of fan"]
    (nothing,) = trend_sections(replace(TREND, series=(), undated=0))
    assert nothing.lines == ("No trace has this measure.",)


def row(group: str, name: str, verdict: str, **more: Any) -> Difference:
    known = {"base_ns": 1_000.0, "new_ns": 1_100.0, "change": 0.1, "low": 0.05, "high": 0.15,
             "effect": 2.0, "p": 0.01}  # fmt: skip
    return Difference(group=group, name=name, verdict=verdict, **{**known, **more})


def workload(name: str, *rows: Difference) -> WorkloadDiff:
    diff: Any = SimpleNamespace(rows=rows, base=("a", "b"), new=("c",))
    return WorkloadDiff(name, diff)


DIFF = FleetDiff(
    base="v1",
    new="v2",
    workloads=(
        workload("matmul", row("run", "makespan", "slower"), row("function", "QK", "faster"),
                 row("function", "PV", "same"), row("core time", "idle", "unsure")),
        workload("fan", row("run", "makespan", "unsure", low=None, high=None, change=None)),
    ),
    only_base=("chain",),
    only_new=(),
)  # fmt: skip
DIFF_PAGE = """\
Diff
  base          v1
  new           v2
  only in base  chain

Makespan
  workload  measure   base ns   new ns    change             interval  verdict   traces
  --------  --------  -------  -------  --------  -------------------  -------  -------
  matmul    makespan  1,000.0  1,100.0  +10.00 %  +5.00 % to +15.00 %   slower  2 and 1
  fan       makespan  1,000.0  1,100.0         -                    -   unsure  2 and 1

Other changes
  workload  measure      base ns   new ns    change             interval
  --------  -----------  -------  -------  --------  -------------------
  matmul    function/QK  1,000.0  1,100.0  +10.00 %  +5.00 % to +15.00 %
"""


def test_a_diff() -> None:
    assert render_sections(diff_sections(DIFF)) == DIFF_PAGE


def test_thirty_other_changes_are_shown() -> None:
    many = tuple(row("function", f"f{k}", "slower") for k in range(33))
    found = diff_sections(replace(DIFF, workloads=(workload("m", *many),), only_new=("x",)))
    assert [one.title for one in found] == ["Diff", "Other changes"]
    assert found[0].facts[-1] == ("only in new", "x")
    assert len(found[1].columns[0].cells) == 30
    assert found[1].notes == ("3 more are not shown; --json has all.",)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        ("text", "text"),
        (1234567, "1,234,567"),
        (True, "True"),
        (0.5, "0.5"),
        (999_999.0, "999,999"),
        (1_234_567.8, "1,234,568"),
    ],
)
def test_cells_of_an_answer(value: Any, shown: str) -> None:
    table = pa.table({"name": [value]})
    assert table_text(table).splitlines()[-1].strip() == shown


def test_an_answer_shows_100_rows() -> None:
    lines = table_text(pa.table({"n": list(range(101))})).splitlines()
    assert lines[0] == "101 rows"
    assert lines[-1] == "  1 more are not shown; --json has all."
    assert len(lines) == 1 + 2 + 100 + 1
    assert table_text(pa.table({})) == "The query has no answer.\n"
