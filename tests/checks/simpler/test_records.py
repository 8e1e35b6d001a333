"""What a file's collector, host and counters say of themselves, for traces made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.checks.finding import CheckFinding, ProducerAccount
from lanescope.checks.simpler.records import (
    collector_findings,
    epoch_findings,
    host_findings,
    phase_lists,
    pmu_account,
    pmu_findings,
)
from lanescope.formats.json_file import open_object
from lanescope.trace import LedgerEntry, Source

Told = tuple[str, int | None, str, str]


def told(findings: Any) -> list[Told]:
    return [(one.kind, one.count, one.sentence, one.cause) for one in findings]


def collected(**stated: Any) -> list[Told]:
    return told(collector_findings(make_trace({"extra": {"collection": stated}})))


COUNTED = (
    "The collector lost them between the device and the file, and counted them; what is in the "
    "file is right."
)
NOT_CUT = (
    "The collector could not tell where the records of this run end, so some may be missing or be "
    "of another run, and nobody counted them."
)
NO_CAUSE = "The collector names no cause."
IMPOSSIBLE = "A run whose records are all there has no such count."


@pytest.mark.parametrize(
    ("stated", "kind", "count", "said", "cause"),
    [
        ({"verdict": "partial_safe"}, "unknown", None, "no count is given", COUNTED),
        (
            {"verdict": "partial_safe", "unpublished_loss": 2, "transport_retired_records": 3},
            "dropped",
            5,
            "2 records never published, 3 records given up on the way",
            COUNTED,
        ),
        (
            {"verdict": "partial_cut_unknown", "unpublished_loss": 1},
            "unknown",
            None,
            "1 record never published",
            NOT_CUT,
        ),
        (
            {
                "verdict": "odd",
                "not_received_buffers": 2,
                "transport_retired": 1,
                "unattributable_handoffs": 3,
                "cut_failed_queues": 1,
            },
            "unknown",
            None,
            "2 buffers not received, 1 buffer given up on the way, 3 buffers of no known run, "
            "1 queue not closed",
            NO_CAUSE,
        ),
        (
            {"verdict": "published", "processing_complete": False},
            "contradiction",
            None,
            "written before all of the run was processed",
            IMPOSSIBLE,
        ),
        (
            {"verdict": "published", "metadata_complete": False},
            "contradiction",
            None,
            "written before all of the run was processed",
            IMPOSSIBLE,
        ),
        (
            {"verdict": "published", "handoff_identity_verified": False, "unpublished_loss": 4},
            "contradiction",
            None,
            "4 records never published, whose buffers were handed over was not verified",
            IMPOSSIBLE,
        ),
    ],
)
def test_a_verdict_that_is_not_whole_is_told_with_its_counts(
    stated: dict[str, Any], kind: str, count: int | None, said: str, cause: str
) -> None:
    sentence = f"The collector's verdict on the run is {stated['verdict']}: {said}."
    assert collected(**stated) == [(kind, count, sentence, cause)]


def test_a_whole_run_without_counts_is_no_finding() -> None:
    good = {
        "processing_complete": True,
        "metadata_complete": True,
        "handoff_identity_verified": True,
        "unpublished_loss": 0,
    }
    assert collected(verdict="published") == []
    assert collected(verdict="published", **good) == []
    assert [count for _, count, _, _ in collected(**good)] == [None]
    assert list(collector_findings(make_trace({"extra": {"collection": "published"}}))) == []
    assert list(collector_findings(make_trace())) == []


def test_every_run_of_a_file_has_its_own_verdict() -> None:
    """The first run is damaged, the second says nothing, the third has other records."""
    extra = {
        "collection": {"verdict": "odd"},
        "runs": [
            {"collection": {"verdict": "partial_safe", "run_epoch": 0, "unpublished_loss": 1}},
            {},
            {"collection": {"verdict": "published", "run_epoch": 7}},
            {"collection": {"verdict": "published", "run_epoch": 9}},
        ],
    }
    runs = [{"run": 0}, {"run": 1, "epoch": 6}, {"run": 2, "epoch": 8}]
    found = list(collector_findings(make_trace({"extra": extra}, runs=runs)))
    assert found == [
        CheckFinding(
            producer="collector",
            kind="dropped",
            count=1,
            sentence="The collector's verdict on run 0 is partial_safe: 1 record never published.",
            cause=COUNTED,
        ),
        CheckFinding(
            producer="collector",
            kind="contradiction",
            sentence="The file says that it is of run 7, and its records are of run 8.",
            cause="The collector gave the records to the wrong run.",
        ),
    ]


HOST = {"status": "complete", "expected_records": 3, "recorded_records": 3, "dropped_records": 0}


def host(there: int, **stated: Any) -> list[Told]:
    """The host lane has so many records; another lane has more."""
    ledger = (
        LedgerEntry(lane="host orchestrator", kind="submit", total=there, delivered=there),
        LedgerEntry(lane="scheduler 0", kind="scheduler_phase", total=50, delivered=50),
    )
    extra = {"host_capture": {**HOST, **stated}}
    return told(host_findings(make_trace({"ledger": ledger, "extra": extra})))


FULL = "The host's pool of 1,024 records was full or cut."
BETWEEN = "The records were lost between the host's pool and the file."
NOT_GOOD = "The host's account of its submits is not good: "


@pytest.mark.parametrize(
    ("there", "stated", "findings"),
    [
        (3, {}, []),
        (3, {"status": "ok"}, []),
        (3, {"status": "cut"}, [("contradiction", 0, "its status is 'cut'", BETWEEN)]),
        (3, {"dropped_records": 2}, [("contradiction", 0, "2 were dropped", BETWEEN)]),
        (2, {}, [("missing", 1, "2 are in the file, 3 were recorded", BETWEEN)]),
        (5, {}, [("missing", 2, "5 are in the file, 3 were recorded", BETWEEN)]),
        (
            1_500,
            {"recorded_records": 1_500, "expected_records": 2_000, "pool_records": 1_024},
            [("missing", 500, "1,500 of 2,000 expected records were recorded", FULL)],
        ),
        (
            2,
            {"recorded_records": 2, "expected_records": None, "error": "out of memory"},
            [("missing", 2, "2 of 0 expected records were recorded", "out of memory")],
        ),
        (
            0,
            {"status": None, "recorded_records": 1, "expected_records": 2, "dropped_records": 1},
            [
                (
                    "missing",
                    2,
                    "its status is None, 1 of 2 expected records were recorded, 1 were dropped, "
                    "0 are in the file, 1 were recorded",
                    "The host's pool of 0 records was full or cut.",
                )
            ],
        ),
    ],
)
def test_the_hosts_account_is_held_against_the_file(
    there: int, stated: dict[str, Any], findings: list[Told]
) -> None:
    assert host(there, **stated) == [
        (kind, count, f"{NOT_GOOD}{said}.", cause) for kind, count, said, cause in findings
    ]


def test_every_run_of_a_file_has_its_own_hosts_account() -> None:
    extra = {
        "host_capture": {**HOST, "status": "unread"},
        "runs": [
            {},
            {"host_capture": [1]},
            {"host_capture": {**HOST, "status": "a", "recorded_records": 0}},
            {"host_capture": {**HOST, "status": "b", "recorded_records": 0}},
        ],
    }
    found = list(host_findings(make_trace({"extra": extra})))
    assert [(one.producer, one.sentence) for one in found] == [
        (
            "host orchestrator",
            f"{NOT_GOOD}its status is '{status}', 0 of 3 expected records were recorded.",
        )
        for status in ("a", "b")
    ]
    assert list(host_findings(make_trace())) == []


def pmu(delivered: int, unmatched: int = 0, kind: str = "pmu") -> LedgerEntry:
    total = delivered + unmatched
    return LedgerEntry(lane="pmu", kind=kind, total=total, delivered=delivered, unmatched=unmatched)


def test_counter_rows_are_held_against_task_rows() -> None:
    ledger = (pmu(2, 1), pmu(4, 3), pmu(100, 100, "core_task"))
    trace = make_trace({"level": 1, "ledger": ledger})
    usual = {"producer": "pmu", "records": "pmu", "delivered": 6, "unmatched": 4}
    assert pmu_account(trace, 9) == ProducerAccount(**usual, expected=9, missing=3)
    assert pmu_account(trace, 5) == ProducerAccount(**usual, expected=5, missing=0)
    alone = make_trace({"ledger": ledger})
    assert pmu_account(alone, 9) == ProducerAccount(**usual, expected=None, missing=0)
    assert pmu_account(make_trace({"level": 1}), 9) is None


def test_counters_without_account_or_without_tasks_are_not_known() -> None:
    source = Source(path="pmu.csv", format="pmu", bytes=1)
    unread = make_trace({"level": 2, "sources": (source,)})
    assert list(pmu_findings(unread, 3)) == [
        CheckFinding(
            producer="pmu",
            kind="unknown",
            sentence="pmu.csv does not say which of the runs its rows are of, so they were not "
            "held against the tasks.",
            cause="Files before September 2026 have no run_epoch.",
        )
    ]
    other = Source(path="a.json", format="simpler", bytes=1)
    assert list(pmu_findings(make_trace({"level": 2, "sources": (other,)}), 3)) == []
    alone = make_trace({"sources": (source,), "ledger": (pmu(1, 5),)})
    assert list(pmu_findings(alone, 0)) == [
        CheckFinding(
            producer="pmu",
            kind="unknown",
            sentence="1 counter row has no task rows to be held against.",
            cause="There is no records file, and pmu.csv does not say how many rows it should "
            "have.",
        )
    ]


def test_counters_of_strangers_and_tasks_without_counters_are_told() -> None:
    """Two rows of one stranger are named once; rows with a token, or of no core, are none."""
    counters = [
        {"core": 1, "task": 77},
        {"core": 1, "task": 77},
        {"core": 0, "task": 5, "token": 0},
        {"task": 78},
        {"core": 2},
    ]
    trace = make_trace({"level": 1, "ledger": (pmu(4, 2),)}, counters=counters)
    assert list(pmu_findings(trace, 1_006)) == [
        CheckFinding(
            producer="pmu",
            kind="unmatched",
            count=2,
            sentence="2 counter rows have no task row: core 1 task 77.",
            cause="The counters are of tasks that no record names: the records of these tasks are "
            "lost, or the two files are of different runs.",
        ),
        CheckFinding(
            producer="pmu",
            kind="missing",
            count=1_002,
            sentence="1,002 task rows have no counters, of 1,006 rows.",
            cause="The device dropped the counter rows, or the buffers of a core were lost; a "
            "pmu.csv does not count that.",
        ),
    ]
    assert list(pmu_findings(make_trace({"level": 1, "ledger": (pmu(4),)}), 4)) == []


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ('{"aicpu_scheduler_phases": [[], [1], []]}', 3),
        ('{"aicpu_scheduler_phases": []}', 0),
        ('{"aicpu_scheduler_phases": {}}', None),
        ('{"other": [1]}', None),
    ],
)
def test_schedulers_that_are_listed_by_place_are_counted(
    text: str, lists: int | None, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(text)
    assert phase_lists(open_object(tmp_path / "a.json")) == lists
    assert phase_lists(None) is None


def test_a_run_of_several_without_task_rows_is_told() -> None:
    tasks = [task(0, None, None, 1, 2, None, token=0, run=0), task(0, *[None] * 5, run=1)]
    runs = [{"run": 0}, {"run": 1, "epoch": 8}, {"run": 2}]
    made = make_trace({"level": 1}, tasks=tasks, runs=runs)
    cause = (
        "Its controllers have records, so it did run: the cores' and the schedulers' rows are "
        "lost, or were filed under another run."
    )
    assert list(epoch_findings(made)) == [
        CheckFinding(
            producer="all",
            kind="missing",
            sentence=f"Run {number} has 0 task rows; the file holds 3 runs.",
            cause=cause,
        )
        for number in (8, 2)
    ]
    assert list(epoch_findings(make_trace(tasks=tasks, runs=runs))) == []
    assert list(epoch_findings(make_trace({"level": 1}, tasks=tasks, runs=runs[1:2]))) == []
    assert len(list(epoch_findings(make_trace({"level": 1}, tasks=tasks, runs=runs[:2])))) == 1
