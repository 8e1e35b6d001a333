"""Programs that wreck what they record: what is sound arrives, and the rest is called unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.programs import built, collected

import lanescope
from lanescope.analyze.cores.makespan import makespan
from lanescope.trace import Trace, load
from lanescope.trace.schema import TaskFlag

LEVEL = ("--chip-swimlane=1",)
TASKS = 2000


@pytest.fixture(scope="module")
def wrecked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("wrecked.c")
    return built(source, tmp_path_factory.mktemp("program") / "wrecked")


def tasks_of(trace: Trace, core: int) -> list[int]:
    return sorted(trace.tasks["task"][trace.tasks["core"] == core].tolist())


def test_a_head_that_is_gone_at_the_end_is_not_nothing_lost(wrecked: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, wrecked, "head", options=LEVEL)
    assert done.returncode == 1
    assert "NOT KNOWN what else was lost in 2 lanes" in done.stdout
    assert (
        "it is not known how many records were lost in 2 lanes: core 0, core_task: " in done.stderr
    )
    [kept] = (tmp_path / "wrecked.capture").glob("*-*")
    assert (kept / "spool").exists()
    report = str(lanescope.report(load(tmp_path / "wrecked.lanes")))
    assert "Nothing lost" not in report
    assert "It is not known how many records were lost in 2 lanes." in report


def test_a_wild_counter_costs_its_own_lane_only(wrecked: Path, tmp_path: Path) -> None:
    done = collected(tmp_path, wrecked, "lane", options=LEVEL)
    assert done.returncode == 1
    assert "in 1 lane: core 1, core_task: the lane's counters are damaged" in done.stderr
    trace = load(tmp_path / "wrecked.lanes")
    assert tasks_of(trace, 0) == list(range(TASKS))
    found = tasks_of(trace, 1)
    assert found == list(range(len(found)))
    assert [(entry.unknown, entry.closes) for entry in trace.meta.ledger] == [
        (False, True),
        (True, True),
    ]


def test_wild_zero_and_backward_times_are_flagged_and_cost_nothing_else(
    wrecked: Path, tmp_path: Path
) -> None:
    done = collected(tmp_path, wrecked, "times", options=LEVEL)
    assert (done.returncode, done.stderr) == (0, "")
    assert "LOST: 4 unmatched" in done.stdout
    trace = load(tmp_path / "wrecked.lanes")
    assert [tasks_of(trace, core) for core in (0, 1)] == [list(range(TASKS))] * 2
    flagged = trace.tasks["flags"] != 0
    assert trace.tasks["task"][flagged].tolist() == [100, 101, 102, 103]
    assert trace.tasks["flags"][flagged].tolist()[:3:2] == [int(TaskFlag.WILD_TIME)] * 2
    report = str(lanescope.report(trace))
    assert "4 task rows have times that cannot be right" in report
    assert "4 unmatched of 4,000, in 1 lane" in report
    whole = trace.tasks["end_ns"][~flagged].max()
    assert 0 < whole < 60 * 10**9
    span = makespan(trace).window
    assert span is not None
    assert span.end_ns == whole
