"""`bench --fit`, `report --corrected` and `run --budget` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lanescope
from lanescope.cli import main

Output = pytest.CaptureFixture[str]


@pytest.fixture
def fan(tmp_path: Path, capsys: Output) -> str:
    """A recorded run on a simulated chip."""
    target = str(tmp_path / "fan.lanes")
    small = ["--set", "width=100", "--quiet", "--no-perfetto"]
    assert main(["run", "fan", *small, "-o", target]) == 0
    capsys.readouterr()
    return target


def test_a_fit_is_printed_stored_and_used(fan: str, tmp_path: Path, capsys: Output) -> None:
    costs = tmp_path / "costs.json"
    fit = ["bench", "--fit", "--platform", "a2a3", "--protocols", "producer-rotated"]
    assert main([*fit, "--rounds", "6", "--save", str(costs)]) == 0
    printed = capsys.readouterr().out
    assert "probes on a2a3, 6 rounds after one to warm up" in printed
    rows = [line.split() for line in printed.splitlines() if line.startswith("  producer-rotated")]
    assert [row[1] for row in rows] == [
        *("core_task", "controller_task", "scheduler_phase", "orchestrator_phase")
    ]
    assert {row[-1] for row in rows} == {"yes"}
    assert main(["report", fan, "--corrected", str(costs)]) == 0
    printed = capsys.readouterr().out
    assert "costs     fitted: 6 rounds of cores, chain, gate" in printed
    assert main(["report", fan, "--corrected", str(costs), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["name"] == "fan" and found["corrected"]["costs"]["basis"] == "fitted"


def test_a_simulated_run_knows_its_costs(fan: str, capsys: Output) -> None:
    assert main(["report", fan, "--corrected"]) == 0
    printed = capsys.readouterr().out
    assert "costs     known: parameters of the simulated chip" in printed
    assert "Without the profiler" in printed
    assert main(["report", fan, "--corrected", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["corrected"]
    makespan = found["figures"][0]
    assert makespan["name"] == "makespan"
    assert makespan["low"] <= makespan["corrected"] <= makespan["high"] < makespan["recorded"]
    assert [row["kind"] for row in found["removed"]] == [
        *("core_task", "controller_task", "scheduler_phase", "orchestrator_phase")
    ]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--corrected", "--core", "3"], "--corrected replays the whole run; leave out --since"),
        (["--corrected", "--plots", "p"], "--corrected draws no pictures"),
        (["--corrected", "no-such-file"], "no-such-file: No such file or directory"),
    ],
)
def test_what_cannot_be_corrected_is_said(
    words: list[str], problem: str, fan: str, capsys: Output
) -> None:
    assert main(["report", fan, *words]) in (1, 2)
    assert problem in capsys.readouterr().err


def test_level_1_cannot_be_replayed(tmp_path: Path, capsys: Output) -> None:
    target = str(tmp_path / "a.lanes")
    quiet = ["--quiet", "--no-perfetto", "-o", target]
    assert main(["run", "chain", "--set", "tasks=9", "--chip-swimlane=1", *quiet]) == 0
    assert main(["report", target, "--corrected"]) == 1
    assert "a replay needs dispatch and finish of tasks" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["bench"], "expected a WORKLOAD (see 'lanescope workloads'), or --fit"),
        (["bench", "fan", "--fit"], "--fit runs probes of its own; leave out 'fan'"),
        (["bench", "fan", "--save", "x"], "--save stores what --fit finds; add --fit"),
        (["bench", "--fit", "--cores", "aiv=3"], "--fit runs probes on a machine of its own"),
        (["bench", "--fit", "--protocols", "x"], "expected a protocol (staging,"),
        (["run", "fan", "--budget", "2"], "expected a budget like 2%,64MB"),
        (["run", "fan", "--budget", "2%", "--pmu"], "does not know what --pmu and"),
    ],
)
def test_what_does_not_go_together_is_refused(
    words: list[str], problem: str, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert problem in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def budgeted(budget: str, tmp_path: Path, *words: str) -> list[str]:
    workload = ["run", "fan", "--set", "width=200", "--quiet", "--no-perfetto", "--budget", budget]
    return [*workload, *words, "-o", str(tmp_path / "fan.lanes")]


def test_a_budget_chooses_the_level_and_says_whether_it_was_kept(
    tmp_path: Path, capsys: Output
) -> None:
    assert main(budgeted("2%,20MB", tmp_path)) == 0
    first, *rest, last = capsys.readouterr().out.splitlines()
    assert first.startswith(
        "budget 2%, 20.0 MB: level 3, 8 buffers of 512 records per lane, 19.8 MB"
    )
    # In a fan the orchestrator is the bottleneck, and only level 4 records what it does.
    assert rest[0].startswith("  level 4 would take +10.")
    assert last.startswith("budget kept: +0.") and last.endswith(
        "% against an unrecorded run of the same graph, 19.8 MB"
    )
    assert lanescope.load(tmp_path / "fan.lanes").meta.level == 3


def test_a_budget_in_json_has_every_level(tmp_path: Path, capsys: Output) -> None:
    assert main(budgeted("5%", tmp_path, "--json")) == 0
    found = json.loads(capsys.readouterr().out)["budget"]
    assert (found["share"], found["memory_bytes"], found["level"]) == (0.05, None, 3)
    assert [option["level"] for option in found["options"]] == [4, 3, 2, 1, 0]
    assert found["measured"]["kept"] is True
    assert found["measured"]["share"] <= 0.05 < found["options"][0]["share"]


def test_a_level_asked_for_is_the_most_that_is_chosen(tmp_path: Path, capsys: Output) -> None:
    assert main(budgeted("50%", tmp_path, "--chip-swimlane=2", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["budget"]["level"] == 2


def test_where_nothing_fits_nothing_is_recorded(tmp_path: Path, capsys: Output) -> None:
    assert main(budgeted("2%,100B", tmp_path)) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("budget 2%, 100 B: level 0\n  level 4 does not fit in the memory; ")
    assert printed.endswith("budget kept: nothing was recorded\n")
    assert list(tmp_path.iterdir()) == []


def test_threads_are_measured_in_turns(tmp_path: Path, capsys: Output) -> None:
    words = ["--platform", "threads", "--set", "spin_ns=0", "--json"]
    assert main(budgeted("1000%,1MB", tmp_path, *words)) == 0
    found = json.loads(capsys.readouterr().out)["budget"]
    assert found["basis"] == "5 runs of every level, in turns"
    assert len(found["unrecorded_ns"]) == 5
    assert found["measured"]["region_bytes"] <= 1_000_000
