"""What an index answers: outliers, trends, comparisons, SQL and the report."""

from __future__ import annotations

import builtins
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fleet.made import fleet_of, stored

from lanescope.errors import InputError, UsageError
from lanescope.fleet.choosing import Row
from lanescope.fleet.comparing import FAILED, KEPT, UNDECIDED, judge
from lanescope.fleet.fleet import Fleet, open_fleet
from lanescope.fleet.indexing import index_fleet
from lanescope.fleet.outliers import find_outliers
from lanescope.fleet.values import Values
from lanescope.trace.table import Array


def opened(folder: Path, **groups: list[int]) -> Fleet:
    """A fleet with a folder and a commit per group, of traces with these makespans."""
    for commit, makespans in groups.items():
        fleet_of(folder / commit, makespans)
        index_fleet(folder / commit, folder / "fleet", labels={"commit": commit}, workers=0)
    return open_fleet(folder / "fleet")


def near(middle: int, size: int, seed: int = 3) -> list[int]:
    """Makespans with a noise of 1 %."""
    noise = np.random.default_rng(seed).normal(1, 0.01, size)
    return [int(one) for one in middle * noise]


# Outliers


def test_a_slow_trace_is_an_outlier_among_its_peers(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=[*near(10_000, 20), 20_000])
    found = fleet.outliers()
    assert [Path(trace).name for trace in found.traces] == ["t20.lanes"]
    row = next(one for one in found.rows if one.name == "makespan")
    assert (row.value, row.path, row.peers) == (20_000, "a/t20.lanes", "chain a2a3")
    assert row.change == pytest.approx(1, abs=0.02)
    assert "t20.lanes" in found.text()


def test_peers_that_are_alike_have_no_outlier(tmp_path: Path) -> None:
    found = opened(tmp_path, a=near(10_000, 20)).outliers()
    assert found.rows == ()
    assert "No trace is unlike its peers." in found.text()


def test_other_workloads_are_no_peers(tmp_path: Path) -> None:
    fleet_of(tmp_path / "runs" / "a", near(10_000, 12))
    fleet_of(tmp_path / "runs" / "b", near(90_000, 12), name="fan")
    index_fleet(tmp_path / "runs", tmp_path / "fleet", workers=0)
    fleet = open_fleet(tmp_path / "fleet")
    assert fleet.outliers().rows == ()
    assert [group.name for group in fleet.outliers().groups] == ["chain a2a3", "fan a2a3"]


def test_few_peers_are_said_to_be_too_few(tmp_path: Path) -> None:
    found = opened(tmp_path, a=[10_000, 10_000, 90_000]).outliers()
    assert found.rows == ()
    assert [(group.name, group.traces) for group in found.small] == [("chain a2a3", 3)]
    assert "1 group with fewer than 8 traces cannot be judged: chain a2a3 (3)." in found.text()


def test_one_that_differs_among_equals_is_an_outlier(tmp_path: Path) -> None:
    found = opened(tmp_path, a=[10_000] * 11 + [15_000]).outliers()
    assert [Path(trace).name for trace in found.traces] == ["t11.lanes"]
    tiny = opened(tmp_path / "tiny", a=[10_000] * 11 + [10_050]).outliers()
    assert tiny.rows == ()


def noise_alone(seed: int, traces: int, measures: int) -> tuple[list[Row], Values]:
    values: Array = np.random.default_rng(seed).normal(100, 2, traces * measures)
    facts: Row = {"root": "", "kind": "trace", "workload": "w", "chip": "c", "labels": {}}
    return [{**facts, "trace": f"t{place}"} for place in range(traces)], Values(
        traces={f"t{place}": place for place in range(traces)},
        keys=tuple(("function", f"f{place}") for place in range(measures)),
        units=("ns",) * measures,
        trace=np.repeat(np.arange(traces), measures),
        key=np.tile(np.arange(measures), traces),
        value=values,
        runs=np.zeros(traces * measures, np.int64),
    )


def test_noise_alone_rarely_has_an_outlier() -> None:
    sizes = [(8, 20), (20, 20), (60, 5)]
    alarms = [
        bool(find_outliers(*noise_alone(seed, *size)).rows) for size in sizes for seed in range(100)
    ]
    assert sum(alarms) <= 0.05 * len(alarms)


# Trends


def test_a_trend_finds_since_when_a_measure_is_higher(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=near(10_000, 12) + near(11_000, 8, seed=1))
    (series,) = fleet.trend("makespan").series
    assert [change.index for change in series.changes] == [12]
    assert series.points[12].path == "a/t12.lanes"
    assert series.points[0].at == "2026-09-21 14:13"
    assert "+1" in fleet.trend("makespan").text()


def test_a_trend_without_a_change_says_so(tmp_path: Path) -> None:
    text = opened(tmp_path, a=near(10_000, 20)).trend("makespan").text()
    assert text == (
        "makespan of chain a2a3\n"
        "  20 traces from 2026-09-21 14:13 to 2026-10-10 14:13.\n"
        "  No change beyond chance.\n"
    )


def test_commits_are_ordered_by_their_first_trace(tmp_path: Path) -> None:
    for number, commit in enumerate(("zeta", "alpha")):
        date = datetime(2026, 1, 1) + timedelta(days=number)
        fleet_of(tmp_path / commit, [1000 + number, 1000 + number, 5000])
        labels = {"commit": commit, "date": date.isoformat()}
        index_fleet(tmp_path / commit, tmp_path / "fleet", labels=labels)
    (series,) = open_fleet(tmp_path / "fleet").trend("makespan", order="commit").series
    points = [(point.at, point.value, point.traces) for point in series.points]
    assert points == [("zeta", 1000, 3), ("alpha", 1001, 3)]


def test_an_order_that_is_none_is_refused(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=near(10_000, 2))
    with pytest.raises(UsageError, match=r"^expected the order date or commit, found 'name'$"):
        fleet.trend("makespan", order="name")


def test_a_trend_can_be_drawn(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=near(10_000, 12) + near(11_000, 8, seed=1))
    picture = fleet.trend("makespan").svg()
    assert picture.count("<circle") == 20
    assert "makespan by date" in picture
    assert "chain a2a3" in picture


def test_one_point_can_be_drawn(tmp_path: Path) -> None:
    assert opened(tmp_path, a=[1000]).trend("makespan").svg().count("<circle") == 1


def test_an_unknown_measure_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\(run/makespan, run/records lost, run/tasks, .*'moon'"):
        opened(tmp_path, a=[1000]).trend("moon")


# Comparisons


def test_commits_are_compared_with_an_interval(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=near(10_000, 6), b=near(12_000, 6, seed=1))
    comparison = fleet.diff("commit=a", "commit=b")
    (workload,) = comparison.workloads
    row = workload.change("makespan")
    assert row is not None and row.low is not None and row.high is not None
    assert row.low < 0.2 < row.high
    assert row.verdict == "slower"
    assert (len(workload.diff.base), len(workload.diff.new)) == (6, 6)
    assert "6 and 6" in comparison.text()


def test_limits_fail_only_where_chance_does_not_explain_it(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=near(10_000, 6), b=near(12_000, 6, seed=1), c=near(10_100, 6, 2))
    slow = fleet.diff("commit=a", "commit=b")
    assert [one.verdict for one in judge(slow, "makespan", 0.05)] == [FAILED]
    assert judge(slow, "makespan", 0.05)[0].sentence.endswith("%), more than +5 %")
    assert [one.verdict for one in judge(slow, "makespan", 0.3)] == [KEPT]
    same = judge(fleet.diff("commit=a", "commit=c"), "makespan", 0.01)
    assert [one.verdict for one in same] == [UNDECIDED]
    assert same[0].sentence.endswith("which includes +1 %; more traces would tell")


def test_one_trace_on_a_side_is_undecided(tmp_path: Path) -> None:
    comparison = opened(tmp_path, a=[1000], b=[2000]).diff("commit=a", "commit=b")
    (judged,) = judge(comparison, "makespan", 0.05)
    assert judged.verdict == UNDECIDED
    assert judged.sentence.endswith("one trace on a side cannot tell chance")


def test_workloads_of_one_side_are_named_and_not_compared(tmp_path: Path) -> None:
    stored(tmp_path / "a" / "x.lanes", 1000)
    stored(tmp_path / "b" / "y.lanes", 1000, name="fan")
    for commit in "ab":
        index_fleet(tmp_path / commit, tmp_path / "fleet", labels={"commit": commit})
    comparison = open_fleet(tmp_path / "fleet").diff("commit=a", "commit=b")
    assert comparison.workloads == ()
    assert (comparison.only_base, comparison.only_new) == (("chain a2a3",), ("fan a2a3",))
    (judged,) = judge(comparison, "makespan", 0.05)
    assert judged.verdict == UNDECIDED


def test_a_side_without_traces_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected traces with commit=c, found none; there are a"):
        opened(tmp_path, a=[1000]).diff("commit=a", "commit=c")


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a column or a label .* found 'moon'"):
        opened(tmp_path, a=[1000]).outliers(by=["moon"])


# SQL


def test_sql_sees_both_tables_and_the_labels(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=[1000, 2000], b=[4000])
    answer = fleet.query(
        "select labels['commit'] as c, max(value) as v from measures join traces using (trace) "
        "where measures.name = 'makespan' group by c order by c"
    )
    assert answer.to_pylist() == [{"c": "a", "v": 2000.0}, {"c": "b", "v": 4000.0}]


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/hostname')",
        "select * from '/etc/hostname'",
        "copy traces to 'stolen.csv'",
        "set enable_external_access = true",
        "attach 'other.db'",
        "selekt",
    ],
)
def test_sql_reaches_no_file(sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = opened(tmp_path, a=[1000])
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match="the query failed"):
        fleet.query(sql)
    assert sorted(tmp_path.rglob("*")) == before


def test_without_duckdb_the_command_to_install_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def no_duckdb(name: str, *args: Any, **more: Any) -> Any:
        if name == "duckdb":
            raise ImportError(name)
        return real(name, *args, **more)

    fleet = opened(tmp_path, a=[1000])
    monkeypatch.setattr(builtins, "__import__", no_duckdb)
    with pytest.raises(UsageError, match=r"install it with: pip install 'lanescope\[fleet\]'"):
        fleet.query("select 1")


# The report


def test_a_report_says_what_is_there_and_what_failed(tmp_path: Path) -> None:
    fleet_of(tmp_path / "runs", [1000, 2000, 3000], host="n1")
    (tmp_path / "runs" / "broken.lanes").mkdir()
    index_fleet(tmp_path / "runs", tmp_path / "fleet", labels={"team": "red"})
    report = open_fleet(tmp_path / "fleet").report()
    assert (report.traces, report.jobs, len(report.failures)) == (3, 0, 1)
    assert report.labels == {"host": ("n1",), "team": ("red",)}
    spread = report.spreads[0]
    assert (spread.name, spread.least, spread.median, spread.most) == ("makespan", 1000, 2000, 3000)
    text = report.text()
    assert "  failed        1 of 4\n" in text
    assert "broken.lanes: is no lanescope trace (it has no meta.json)" in " ".join(text.split())


def test_a_fleet_says_how_many_traces_it_has_and_how_many_failed(tmp_path: Path) -> None:
    fleet_of(tmp_path / "runs", [10_000, 20_000])
    (tmp_path / "runs" / "bad.lanes").mkdir()
    (tmp_path / "runs" / "bad.lanes" / "meta.json").write_text("{")
    index_fleet(tmp_path / "runs", tmp_path / "fleet", workers=0)
    fleet = open_fleet(tmp_path / "fleet")
    assert repr(fleet) == f"<Fleet '{tmp_path / 'fleet'}': 2 traces, 1 failed>"


def test_an_empty_fleet_has_a_report(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    index_fleet(tmp_path / "runs", tmp_path / "fleet")
    assert "0 traces, 0 jobs" in open_fleet(tmp_path / "fleet").report().text()


def test_no_index_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no index of a fleet; 'lanescope fleet index"):
        open_fleet(tmp_path)


def test_a_damaged_index_is_one_sentence(tmp_path: Path) -> None:
    fleet = opened(tmp_path, a=[1000])
    (tmp_path / "fleet" / "index" / "measures.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"measures\.parquet: is damaged or missing"):
        fleet.report()
