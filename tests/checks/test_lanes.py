"""What the accounts and phases of a trace say of losses, for traces made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import make_trace, phase, task

from lanescope.checks.finding import CheckFinding
from lanescope.checks.lanes import (
    ledger_accounts,
    ledger_findings,
    level_findings,
    phase_findings,
    uncounted_accounts,
    uncounted_findings,
)
from lanescope.trace import LedgerEntry, Source, Trace

CYCLES = {"start_cycles": 5, "end_cycles": 6}


def entry(**fields: Any) -> LedgerEntry:
    usual = {"lane": "scheduler 1", "kind": "scheduler_phase", "total": 9, "delivered": 9}
    return LedgerEntry(**usual | fields)


def told(*entries: LedgerEntry) -> list[tuple[str, int | None, str, str]]:
    trace = make_trace({"ledger": entries})
    return [(one.kind, one.count, one.sentence, one.cause) for one in ledger_findings(trace)]


@pytest.mark.parametrize(
    ("fields", "findings"),
    [
        ({}, []),
        (
            {"delivered": 6, "dropped": 3},
            [
                (
                    "dropped",
                    3,
                    "3 of 9 scheduler phase records are lost.",
                    "The producer does not say why.",
                )
            ],
        ),
        (
            {"delivered": 8, "unmatched": 1, "reason": "one is odd."},
            [("unmatched", 1, "1 of 9 scheduler phase records have no partner.", "One is odd.")],
        ),
        ({"kind": "core_task", "delivered": 8, "unmatched": 1}, []),
        ({"kind": "pmu", "delivered": 8, "dropped": 1}, []),
        (
            {"delivered": 4, "unmatched": 2, "unknown": True, "reason": "who knows", "total": 6},
            [
                (
                    "unknown",
                    None,
                    "6 records have arrived; how many there should be is not known.",
                    "Who knows.",
                ),
                ("unmatched", 2, "2 of 6 scheduler phase records have no partner.", "Who knows."),
            ],
        ),
        (
            {"delivered": 7},
            [
                (
                    "missing",
                    2,
                    "9 scheduler phase records were made, but 7 delivered, 0 dropped and 0 "
                    "unmatched do not add up to that.",
                    "Nobody counted these as lost.",
                )
            ],
        ),
        (
            {"reason": "it is strange"},
            [
                (
                    "unknown",
                    None,
                    "All 9 scheduler phase records that were counted are there, but not all is "
                    "well.",
                    "It is strange.",
                )
            ],
        ),
    ],
)
def test_an_account_becomes_findings(fields: dict[str, Any], findings: list[Any]) -> None:
    assert told(entry(**fields)) == findings


def test_an_account_with_more_than_was_made_contradicts_itself() -> None:
    [(kind, count, _, _)] = told(entry(delivered=10))
    assert (kind, count) == ("contradiction", 1)
    [(kind, *_)] = told(entry(reason="2 edges with an ambiguous arg_index"))
    assert kind == "harmless"


def test_accounts_of_lanes_are_those_of_the_ledger_without_task_rows() -> None:
    trace = make_trace(
        {
            "ledger": (
                entry(delivered=5, dropped=3, unmatched=1),
                entry(lane="core 0", kind="core_task"),
                entry(lane="host", kind="host_phase", unknown=True),
            )
        }
    )
    first, second = ledger_accounts(trace)
    assert (first.producer, first.records, first.expected) == ("scheduler 1", "scheduler_phase", 9)
    assert (first.delivered, first.dropped, first.unmatched) == (5, 3, 1)
    assert (second.producer, second.expected, second.is_whole) == ("host", None, True)


def uncounted(completed: int) -> Trace:
    """Three tasks that finished, and phases that completed so many."""
    return make_trace(
        tasks=[task(0, None, None, 1, 2, 3) for _ in range(3)],
        phases=[
            phase("complete", 1, 2, tasks=completed - 1, controller=1),
            phase("complete", 2, 3, tasks=1),
            phase("complete", 3, 4),
            phase("dispatch", 3, 4, tasks=7),
            {"lane": "host", "controller": 0, "start_ns": 1},
            {"lane": "orchestrator", "controller": 0, "kind": "complete", "tasks": 7},
        ],
    )


def test_phases_that_nothing_counts_are_held_against_the_tasks() -> None:
    accounts = [
        (one.producer, one.records, one.delivered) for one in uncounted_accounts(uncounted(3))
    ]
    assert accounts == [
        ("orchestrator 0", "orchestrator_phase", 1),
        ("scheduler 0", "scheduler_phase", 3),
        ("scheduler 1", "scheduler_phase", 1),
    ]
    assert list(uncounted_findings(uncounted(3))) == []
    [missing] = uncounted_findings(uncounted(2))
    assert missing.sentence == (
        "The schedulers' phases complete 2 tasks, and 3 rows say that a scheduler saw them "
        "finish: phases are missing."
    )
    counted = uncounted(2).with_meta(ledger=(entry(),))
    assert [one.records for one in uncounted_accounts(counted)] == ["orchestrator_phase"]
    assert list(uncounted_findings(counted)) == []


def test_a_trace_without_accounts_does_not_know_what_is_missing() -> None:
    ran = make_trace(tasks=[task(0, None, None, 1, 2, None)])
    [found] = ledger_findings(ran)
    assert (found.producer, found.kind) == ("all", "unknown")
    assert list(ledger_findings(make_trace())) == []


def lacking(level: int, **tables: Any) -> list[tuple[str, str]]:
    found = level_findings(make_trace({"level": level}, **tables))
    return [(one.producer, one.sentence) for one in found]


RAN = [task(0, None, None, 1, 2, None, token=0), task(0, None, None, 3, 4, None, token=1)]


def test_a_level_promises_records_that_must_be_there() -> None:
    rows = ("schedulers", "Level 4 was asked for, but the scheduler rows are empty: there are no ")
    lane = ("schedulers", "Level 4 was asked for, but the scheduler lane is empty: there are no ")
    submits = ("orchestrator", "Level 4 was asked for, but the orchestrator lane is empty: there")
    for (producer, sentence), (who, begin) in zip(
        lacking(4, tasks=RAN), (rows, lane, submits), strict=True
    ):
        assert producer == who
        assert sentence.startswith(begin)
    assert [producer for producer, _ in lacking(3, tasks=RAN)] == ["schedulers", "schedulers"]
    assert lacking(1, tasks=RAN) == []
    assert lacking(0) == []
    seen = [{**one, "finish_ns": 9} for one in RAN]
    assert lacking(3, tasks=seen, phases=[phase("poll", 1, 2)]) == []


def test_a_run_without_its_phases_is_named() -> None:
    """Of three runs the second has no phases, and the third ran nothing."""
    tasks = [{**one, "run": number, "finish_ns": 9} for number, one in enumerate(RAN)]
    runs = [{"run": 0}, {"run": 1, "epoch": 8}, {"run": 2}]
    phases = [phase("poll", 1, 2, run=0, **CYCLES)]
    [(producer, sentence)] = lacking(3, tasks=tasks, runs=runs, phases=phases)
    assert producer == "schedulers"
    assert "the scheduler lane is empty in run 8: there are no scheduler phases" in sentence
    assert lacking(3, tasks=tasks, runs=runs[:2], phases=phases) == [(producer, sentence)]
    assert lacking(3, tasks=tasks, runs=runs[:1], phases=phases) == []
    undated = [phase("poll", 1, 2, run=0)]
    assert lacking(3, tasks=tasks, runs=runs, phases=undated) == []
    host = {**phase("call", 1, 2, run=1, **CYCLES), "lane": "host"}
    assert lacking(3, tasks=tasks, runs=runs, phases=[host, *undated]) == []


@pytest.mark.parametrize(
    ("tables", "cause"),
    [
        ({}, "Nothing tells whether nothing ran or nothing was collected."),
        (
            {"phases": [phase("poll", 1, 2, **CYCLES), phase("poll", 1, 2)]},
            "1 phase of controllers are there, so the device did work.",
        ),
        (
            {
                "runs": [
                    {"run": 0, "completeness": "partial"},
                    {"run": 1, "completeness": "partial"},
                ]
            },
            "The collector's verdict is partial.",
        ),
    ],
)
def test_a_level_without_a_task_says_what_else_is_known(tables: dict[str, Any], cause: str) -> None:
    [found] = level_findings(make_trace({"level": 2}, **tables))
    assert found.sentence == "Level 2 was asked for, and there are 0 task records."
    assert found.cause == cause


def test_phases_with_times_that_cannot_be_are_told_by_lane() -> None:
    def stamped(start: int | None, end: int | None, **more: Any) -> dict[str, Any]:
        known = {"start_cycles": start, "end_cycles": end}
        kept = {name: value for name, value in known.items() if value is not None}
        return {"lane": "scheduler", "controller": 1, "kind": "poll", **kept, **more}

    phases = [
        stamped(5, 6),
        stamped(6, 5),
        stamped(9, 2, kind="release"),
        stamped(7, 7),
        stamped(None, 6, controller=0),
        stamped(6, None, lane="orchestrator", controller=0, kind="submit"),
        stamped(None, None),
        stamped(None, 6, lane="host"),
    ]
    found = list(phase_findings(make_trace(phases=phases)))
    assert [(one.producer, one.kind, one.count) for one in found] == [
        ("scheduler 1", "backward", 2),
        ("scheduler 0", "zero", 1),
        ("orchestrator 0", "zero", 1),
    ]
    assert [one.sentence for one in found] == [
        "2 phases end before they start; the first is phase 1 (poll) of the trace.",
        "1 phase has start or end 0; the first is phase 4 (poll) of the trace.",
        "1 phase has start or end 0; the first is phase 5 (submit) of the trace.",
    ]
    assert list(phase_findings(make_trace())) == []


def test_what_a_level_lacks_is_told_with_its_cause() -> None:
    seen = [{**one, "dispatch_ns": 0} for one in RAN]
    [found] = level_findings(make_trace({"level": 3}, tasks=seen))
    assert found == CheckFinding(
        producer="schedulers",
        kind="missing",
        sentence="Level 3 was asked for, but the scheduler lane is empty: there are no scheduler "
        "phases (what the schedulers did).",
        cause="2 task rows are there, so tasks did run. The recording served less than level 3: "
        "its buffers for scheduler phases were not set up (they are set up once, by the first "
        "run's level), or none was filled.",
    )


def test_rows_without_tokens_are_counted_by_what_ran() -> None:
    tokenless = [task(0, None, None, 1, 2, None), {"task": 5, "kind": "node"}]
    [found] = level_findings(make_trace({"level": 2}, tasks=tokenless))
    assert found.cause.startswith("1 task row is there, so tasks did run. The recording served")
    [empty] = level_findings(make_trace({"level": 2}, tasks=tokenless[1:]))
    assert (empty.producer, empty.kind) == ("all", "missing")


@pytest.mark.parametrize(
    ("format_", "tables", "known"),
    [
        ("chrome", {"tasks": [task(0, None, None, 1, 2, None)]}, False),
        ("simpler", {"tasks": [task(0, None, None, 1, 2, None)]}, True),
        ("chrome", {"phases": [phase("poll", 1, 2)]}, False),
        ("chrome", {"marks": [{"time_ns": 1}]}, False),
        ("chrome", {"tasks": [{"task": 5, "kind": "node"}]}, True),
        ("chrome", {}, True),
    ],
)
def test_a_format_that_counts_nothing_leaves_open_what_is_missing(
    format_: str, tables: dict[str, Any], known: bool
) -> None:
    source = Source(path="a.json", format=format_, bytes=1)
    trace = make_trace({"ledger": (entry(),), "sources": (source,)}, **tables)
    unknown = CheckFinding(
        producer="all",
        kind="unknown",
        sentence="Nothing counts what was recorded, so what is missing is not known.",
        cause="Files of this format hold what arrived, not how much there was.",
    )
    assert list(ledger_findings(trace)) == ([] if known else [unknown])
