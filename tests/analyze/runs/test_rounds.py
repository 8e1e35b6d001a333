"""The runs of a trace: lengths, the first one apart, time outside every run, order of ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import hosted_today, read, today

import lanescope
from lanescope.analyze.runs.rounds import rounds
from lanescope.errors import LanescopeError
from lanescope.trace import Trace
from lanescope.trace.merge import Part, merge


def runs_of(lengths: list[int], folder: Path) -> Trace:
    """One task per run, 10,000 cycles from run to run."""
    tasks: list[list[int]] = []
    scheduled: list[list[int]] = []
    for number, length in enumerate(lengths):
        start = 10_000 * (number + 1)
        tasks.append([0, 7, 0, start, start + length, 0, number])
        scheduled.append([0, 0, start, start + length, number])
    section: dict[str, Any] = {"producer": "aicpu", "records": scheduled}
    content = today(2, aicore_tasks=tasks, scheduler_tasks=section)
    for key in ("scheduler_records", "aicpu_orchestrator_phases"):
        del content[key]
    return read(folder, records=content)


def test_the_first_run_is_apart_from_the_others(tmp_path: Path) -> None:
    answer = rounds(runs_of([500, 100, 300], tmp_path))
    assert [run.length_ns for run in answer.runs] == [10_000, 2000, 6000]
    assert answer.first is not None and answer.others is not None
    assert (answer.first.runs, answer.first.mean_ns, answer.first.deviation_ns) == (1, 10_000, None)
    assert (answer.others.runs, answer.others.mean_ns) == (2, 4000)
    assert answer.others.deviation_ns == pytest.approx(2828.427)
    assert (answer.others.least_ns, answer.others.most_ns) == (2000, 6000)
    assert answer.between_ns == 2 * 200_000 - 10_000 - 2000
    assert answer.longest is answer.runs[0]


def test_time_outside_every_run_is_no_waiting(tmp_path: Path) -> None:
    trace = runs_of([500, 100, 300], tmp_path)
    verdict = lanescope.verdict(trace)
    assert verdict.chip is not None and verdict.window is not None
    assert verdict.chip.ns("between") == 3 * rounds(trace).between_ns
    assert verdict.chip.ns("running") == 18_000
    assert sum(share.ns for share in verdict.chip.shares) == 3 * verdict.window.length_ns
    one = lanescope.verdict(trace.select(run=1)).chip
    assert one is not None and "between" not in {share.what for share in one.shares}


def test_many_runs_are_shown_in_part(tmp_path: Path) -> None:
    text = lanescope.report(runs_of(list(range(100, 140)), tmp_path)).text()
    assert "40 runs: the first took 2.00 µs; the 39 after it" in text
    assert "shorter runs of 40 not shown" in text
    assert "run 39 " in text and "run 20 " not in text


def test_the_critical_path_is_that_of_the_longest_run(tmp_path: Path) -> None:
    trace = runs_of([500, 100, 900], tmp_path)
    report = lanescope.report(trace)
    assert report.critical.window.length_ns == 18_000
    assert "Of run 2, the longest of 3." in report.text()


def test_a_replay_is_of_one_run(tmp_path: Path) -> None:
    trace = runs_of([500, 100], tmp_path)
    with pytest.raises(LanescopeError, match="a replay is of one run, and this trace holds 2"):
        lanescope.what_if(trace, scale={"QK": 0.5})


@pytest.mark.parametrize(
    ("gap", "slack", "decided"), [(501, (200, 300), True), (500, (200, 300), False)]
)
def test_order_between_ranks_within_the_slack_is_undecided(
    tmp_path: Path, gap: int, slack: tuple[int, int], decided: bool
) -> None:
    one = read(tmp_path, records=hosted_today())
    parts = [
        Part(trace=one, rank=0, slack_ns=slack[0]),
        Part(trace=one, rank=1, shift_ns=gap, slack_ns=slack[1]),
    ]
    answer = rounds(merge("job", parts))
    assert answer.uncertainty_ns == 500
    assert [(rank.after_ns, rank.decided) for rank in answer.ranks][1] == (gap, decided)
    text = lanescope.report(merge("job", parts)).text()
    assert ("undecided" in text.split("Capture")[0].split("order known")[1]) == (not decided)


def test_a_rank_without_a_place_leaves_all_order_open(tmp_path: Path) -> None:
    one = read(tmp_path, records=hosted_today())
    parts = [
        Part(trace=one, rank=0),
        Part(trace=one, rank=1, shift_ns=10**9, clock="unknown", slack_ns=None),
    ]
    answer = rounds(merge("job", parts))
    assert answer.uncertainty_ns is None and not answer.ranks[1].decided


def test_a_trace_without_runs_has_no_rounds() -> None:
    answer = lanescope.report("examples/small_run").rounds
    assert answer.runs == () and answer.longest is None
