"""What a command says about a trace that it stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import entry, make_trace, phase, task

from lanescope.reports.summary import account_problems, broken_lanes, sentence, summary, trace_path

LEDGER = (entry("core 0", 9, 6, dropped=2, unmatched=1), entry("core 1", 1500, 1200))
TRACE = make_trace(
    {"level": 3, "ledger": LEDGER, "notes": ("A note.",)},
    cores=[{"core": 0}],
    tasks=[task(0, 0, 1, 2, 3, 4, task=1), task(0, 5, None, None, None, 6, task=2)],
    phases=[phase("dispatch", 0, 1)],
    edges=[{"pred": 1, "succ": 2}],
    marks=[{"core": 0}],
    counters=[{"value": 1.0}],
)


@pytest.mark.parametrize(
    ("output", "path"), [("runs", "runs/a.lanes"), ("b.lanes", "b.lanes"), (".", "a.lanes")]
)
def test_a_trace_goes_into_a_folder_or_to_the_path_itself(output: str, path: str) -> None:
    assert trace_path("a", Path(output)) == Path(path)


def test_the_summary_counts_everything() -> None:
    assert summary(TRACE, Path("a.lanes")) == {
        "trace": "a.lanes",
        "name": "hand",
        "level": 3,
        "tasks": 1,
        "cores": 1,
        "runs": 0,
        "phases": 1,
        "edge_rows": 1,
        "marks": 1,
        "counters": 1,
        "dropped": 2,
        "unmatched": 1,
        "unknown_lanes": 0,
        "notes": ["A note."],
    }


def test_the_sentence_names_what_there_is_and_what_was_lost() -> None:
    assert sentence(summary(TRACE, Path("a.lanes"))) == (
        "a.lanes  level 3: 1 task, 1 core, 1 phase, 1 edge row, 1 mark, 1 counter; "
        "LOST: 2 dropped, 1 unmatched"
    )


def test_an_empty_trace_is_said_to_be_empty() -> None:
    assert sentence(summary(make_trace(), Path("e.lanes"))) == "e.lanes  level 0: empty"


def test_a_lane_that_does_not_close_is_named() -> None:
    assert broken_lanes(TRACE.meta) == [
        "core 1: 1500 core_task records were made, but 1200 delivered, 0 dropped and 0 unmatched "
        "do not add up to that"
    ]
    assert broken_lanes(make_trace().meta) == []


def test_what_is_not_known_is_said_in_the_sentence_and_as_a_problem() -> None:
    trace = make_trace(
        {"ledger": (entry("core 0", 5, 5), entry("core 1", 7, 7, unknown=True, reason="why"))}
    )
    assert sentence(summary(trace, Path("a.lanes"))) == (
        "a.lanes  level 0: empty; NOT KNOWN what else was lost in 1 lane"
    )
    assert account_problems(trace.meta) == [
        "it is not known how many records were lost in 1 lane: core 1, core_task: why"
    ]
    assert account_problems(make_trace({"ledger": (entry("core 0", 5, 5),)}).meta) == []


def test_of_several_lanes_the_first_is_named_as_a_problem() -> None:
    """Of those that do not close, and of those of which it is not known."""
    lanes = [entry(f"core {k}", 7, 7, unknown=True, reason=f"why {k}") for k in range(2)]
    trace = make_trace({"ledger": (entry("core 8", 3, 1), entry("core 9", 3, 2), *lanes)})
    assert account_problems(trace.meta) == [
        "the ledger does not close: core 8: 3 core_task records were made, but 1 delivered, 0 "
        "dropped and 0 unmatched do not add up to that",
        "it is not known how many records were lost in 2 lanes: core 0, core_task: why 0",
    ]
