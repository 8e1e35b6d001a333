"""One trace, held against everything: whose word counts, and what a damaged file leaves unsaid."""

from __future__ import annotations

from typing import Any

from tests.analyze.hand import make_trace, phase, task

from lanescope.checks.run import checked_run
from lanescope.trace import LedgerEntry, Trace

TASKS = [
    task(core, None, None, 10, 20, None, task=core, token=0, run=0, flags=2 * core)
    for core in (0, 1)
]


def ledger(lane: str, kind: str, **more: Any) -> LedgerEntry:
    return LedgerEntry(**{"lane": lane, "kind": kind, "total": 5, "delivered": 5} | more)


def made(level: int = 2, **meta: Any) -> Trace:
    return make_trace({"level": level, **meta}, tasks=TASKS, runs=[{"run": 0}, {"run": 1}])


def kinds(trace: Trace, **more: Any) -> list[tuple[str, str]]:
    return [(one.producer, one.kind) for one in checked_run(trace, **more).findings]


def test_a_producers_own_word_counts_more_than_its_account() -> None:
    lost = ledger("host orchestrator", "submit", delivered=4, dropped=1)
    other = ledger("scheduler 0", "scheduler_phase", delivered=4, dropped=1)
    stated = {"status": "cut", "expected_records": 4, "recorded_records": 4}
    trace = made(1, ledger=(lost, other), extra={"host_capture": stated})
    assert kinds(trace)[:2] == [("host orchestrator", "contradiction"), ("scheduler 0", "dropped")]
    assert kinds(made(1, ledger=(lost,)))[0] == ("host orchestrator", "dropped")


def test_where_a_part_was_left_out_nothing_is_said_of_partners_and_of_the_level() -> None:
    """One phase ends before it starts; that is said in both cases."""
    wrong = phase("poll", 2, 1, start_cycles=20, end_cycles=10)
    trace = make_trace(
        {"level": 4, "ledger": (ledger("pmu", "pmu", unmatched=2),)},
        tasks=[{**TASKS[0], "blocks": 2}, TASKS[1]],
        phases=[wrong],
        runs=[{"run": 0}, {"run": 1}],
    )
    assert kinds(trace, has_graph=True) == [
        *(("schedulers", "missing"), ("schedulers", "missing"), ("orchestrator", "missing")),
        *(("all", "missing"), ("the scheduler", "missing"), ("pmu", "unmatched")),
        *(("graph", "harmless"), ("graph", "contradiction")),
        *(("cores", "missing"), ("scheduler 0", "backward")),
    ]
    assert kinds(trace, has_graph=True, partly=True) == [("scheduler 0", "backward")]


def test_accounts_are_those_of_rows_lanes_phases_and_counters() -> None:
    entries = (
        *(ledger("core 0", "core_task"), ledger("scopes", "scope"), ledger("pmu", "pmu", total=2)),
        ledger("core 1", "pmu", delivered=0),
    )
    trace = make_trace({"level": 1, "ledger": entries}, tasks=TASKS, phases=[phase("poll", 1, 2)])
    found = [(one.producer, one.records) for one in checked_run(trace).accounts]
    assert found == [
        *(("core 0", "core_task"), ("core 1", "core_task"), ("scopes", "scope")),
        *(("scheduler 0", "scheduler_phase"), ("pmu", "pmu")),
    ]
    assert [one.records for one in checked_run(made(1)).accounts] == ["core_task"] * 2


def test_notes_that_a_finding_says_are_left_out() -> None:
    told = ("Level 3 was", "The collector's verdict is", "Several files of kind", "Recovered it")
    notes = ("first", *told, "Levels", "last")
    run = checked_run(made(1, notes=notes))
    assert (run.name, run.place, run.level, run.verdict) == ("hand", "", 1, "")
    assert run.notes == ("first", "Levels", "last")
    unasked = checked_run(made(0, notes=notes))
    assert (unasked.level, unasked.notes) == (None, ())


def test_verdicts_of_several_runs_are_each_said_once() -> None:
    words = ("published", "", "partial_safe", "published")
    runs = [{"run": at, "completeness": word} for at, word in enumerate(words)]
    assert checked_run(make_trace(runs=runs)).verdict == "published, partial_safe"
