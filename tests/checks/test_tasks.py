"""Task rows with one fault each: the masks, the accounts of producers, and the sentences, whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import Row, entry, make_trace, task

from lanescope.checks.finding import CheckFinding, ProducerAccount
from lanescope.checks.tasks import ORDER, TaskSides, task_findings
from lanescope.trace import Trace
from lanescope.trace.meta import BufferSize, RecordingFacts
from lanescope.trace.schema import TaskFlag

NO_CORE, NO_CONTROLLER = TaskFlag.NO_CORE_RECORD, TaskFlag.NO_CONTROLLER_RECORD
AGAIN = TaskFlag.DUPLICATE_TOKEN
CORE_0 = [
    task(0, 0, None, 10, 20, 30, task=1, token=0),
    task(0, None, None, 30, 40, None, task=2, token=1, flags=NO_CONTROLLER),
    task(0, 40, None, None, None, 60, token=2, flags=NO_CORE),
    task(0, 60, None, None, None, 80, task=4, token=3, flags=NO_CORE),
    task(0, 80, None, 90, 100, None, task=5, token=4, flags=NO_CONTROLLER),
]
CORE_1 = [
    task(1, 0, None, 20, 10, 30, task=6, token=0, flags=TaskFlag.BACKWARDS),
    task(1, 30, None, 40, 50, 60, task=7, token=1, flags=AGAIN),
    task(1, 30, None, 45, 55, 60, task=8, token=1, flags=AGAIN),
    task(1, 60, None, 70, 90, 80, task=9, token=2),
    task(1, 90, None, 85, 100, 110, task=10, token=3),
    task(1, 100, None, 110, 120, 130, task=11, token=6),
]
"""The last but two finishes before it ends, and the next starts before that, and before its own
dispatch; two tokens are missing behind it."""
CORES = [{"core": 0, "controller": 2}, {"core": 1, "controller": 3}]


def sides(*rows: Row, level: int = 2, **meta: Any) -> TaskSides:
    return TaskSides.of(made(*(rows or (*CORE_0, *CORE_1)), level=level, **meta))


def made(*rows: Row, level: int, **meta: Any) -> Trace:
    return make_trace({"level": level, **meta}, tasks=rows, cores=CORES)


def test_every_fault_is_found_on_its_row() -> None:
    found = sides()
    names = ("duplicated", "backward", "core_missing", "core_zero", "scheduler_missing")
    masks = {name: getattr(found, name) for name in (*names, "scheduler_zero", "disordered")}
    at = {
        name: list(zip(found.core[mask].tolist(), found.token[mask].tolist(), strict=True))
        for name, mask in masks.items()
    }
    assert at == {
        "duplicated": [(1, 1), (1, 1)],
        "backward": [(1, 0)],
        "core_missing": [(0, 2)],
        "core_zero": [(0, 3)],
        "scheduler_missing": [(0, 1)],
        "scheduler_zero": [(0, 4)],
        "disordered": [(1, 2), (1, 3)],
    }
    assert [(int(found.token[row]), count) for row, count in found.gaps()] == [(3, 2)]
    assert (found.due, sides(level=1).due) == (True, False)


def test_every_producer_has_an_account() -> None:
    core = ProducerAccount(
        producer="core 0", records="core_task", expected=5, delivered=3, missing=1, zero=1
    )
    other = ProducerAccount(
        producer="core 1",
        records="core_task",
        expected=6,
        delivered=3,
        duplicated=2,
        backward=1,
        disordered=2,
    )
    assert sides().accounts() == [
        *(core, replace(core, records="controller_task")),
        *(other, replace(other, records="controller_task", disordered=0)),
    ]
    assert sides(level=1).accounts() == [core, other]


def test_a_row_is_out_of_turn_only_beside_a_good_one_of_its_core_and_run() -> None:
    def turn(first: Row, second: Row) -> bool:
        return bool(sides(first, second, level=1).disordered[1])

    first = task(0, None, None, 0, 100, None, token=0, run=1)
    second = task(0, None, None, 50, 150, None, token=1, run=1)
    assert turn(first, second)
    assert not turn(first, {**second, "start_ns": 100})
    assert not turn(first, {**second, "core": 1})
    assert not turn(first, {**second, "run": 2})
    assert not turn(first, {**second, "token": 0, "flags": AGAIN})
    assert not turn({**first, "flags": AGAIN}, second)
    assert not turn(first, {**second, "flags": TaskFlag.BACKWARDS})


LATER = "Later rows of the same cores are there, so the end was not cut off."
LAST = "No row follows on the core, so the recording may have been stopped or cut off there."
NOT_COMMITTED = "0 is no time: the core's slot was reserved and never committed."
FINDINGS = [
    CheckFinding(
        producer="scheduler 2",
        kind="missing",
        count=1,
        sentence="1 task has a core row and no scheduler row, of 11: core 0 token 1 task 2. Every "
        "task is kept. Dispatch and finish of these are not known.",
        cause="Not the core: its row is there. So scheduler 2 wrote no row, or lost it before it "
        f"was published. {LATER}",
    ),
    CheckFinding(
        producer="core 0",
        kind="missing",
        count=1,
        sentence="1 scheduler row has no core row, of 11: core 0 token 2. Start and end of these "
        "are not known, and the row does not say which task it was.",
        cause="The core's record was never committed: the scheduler saw the task finish, so the "
        f"core ran it. {LATER}",
    ),
    CheckFinding(
        producer="core 0",
        kind="zero",
        count=1,
        sentence="1 core row has start or end 0, of 11 (core 0: 1); first core 0 token 3 task 4.",
        cause=f"{NOT_COMMITTED} For 1 of them the scheduler has dispatch and finish, so the core "
        f"ran the task and its record alone was not written. {LATER}",
    ),
    CheckFinding(
        producer="scheduler 2",
        kind="zero",
        count=1,
        sentence="1 scheduler row has dispatch or finish 0: core 0 token 4 task 5.",
        cause=f"The scheduler wrote one of the two times and not the other. {LAST}",
    ),
    CheckFinding(
        producer="core 1",
        kind="duplicated",
        count=2,
        sentence="2 rows are not the only one with core and token: core 1 token 1 task 7, core 1 "
        "token 1 task 8. They cannot be joined.",
        cause="One dispatch gives one row per side: a buffer was delivered twice, or runs are "
        "mixed.",
    ),
    CheckFinding(
        producer="core 1",
        kind="backward",
        count=1,
        sentence="1 row ends before it starts: core 1 token 0 task 6.",
        cause="A counter does not run back: the row was overwritten while it was read, or holds "
        "the times of two tasks.",
    ),
    CheckFinding(
        producer="core 1",
        kind="disordered",
        count=2,
        sentence="2 rows have times out of order (dispatch, receive, start, end, finish; and one "
        "task of a core after the other): core 1 token 2 task 9, core 1 token 3 task 10.",
        cause="One row holds times of two dispatches, or core and scheduler count by different "
        "clocks.",
    ),
]


def test_every_fault_has_its_sentence() -> None:
    assert task_findings(sides()) == FINDINGS


def test_below_level_2_schedulers_owe_no_rows() -> None:
    zero = replace(FINDINGS[2], cause=f"{NOT_COMMITTED} {LATER}")
    assert task_findings(sides(level=1)) == [FINDINGS[1], zero, *FINDINGS[3:]]


def buffers(records: int) -> RecordingFacts:
    size = BufferSize(records=records, count=2)
    return RecordingFacts(buffers={"core_task": size, "controller_task": size})


def cause(found: TaskSides, producer: str) -> str:
    return next(one.cause for one in task_findings(found) if one.producer == producer)


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        (5, " A lost buffer is ruled out: the scheduler's buffer holds 5 rows, and no such core "
            "has more than 5, so it never rotated."),
        (4, " A core has 5 rows, and the scheduler's buffer holds 4: it rotated, and a record may "
            "be lost at that moment. A whole lost buffer is ruled out: no core lost 4 rows."),
        (1, " A core has 5 rows, and the scheduler's buffer holds 1: it rotated, and a record may "
            "be lost at that moment. A lost buffer is possible, too."),
    ],
)  # fmt: skip
def test_whether_a_buffer_can_be_lost_is_told_by_its_size(size: int, sentence: str) -> None:
    assert cause(sides(recording=buffers(size)), "scheduler 2").endswith(LATER + sentence)


@pytest.mark.parametrize(
    ("level", "producer", "who"),
    [
        (1, "cores", "no row names them"),
        (2, "cores and schedulers", "neither core nor scheduler has a row of them"),
    ],
)
def test_numbers_that_no_row_has_are_told_by_their_place(
    level: int, producer: str, who: str
) -> None:
    found = task_findings(sides(level=level, recording=buffers(1000)))[-1]
    assert (found.producer, found.kind, found.count) == (producer, "unknown", 2)
    assert found.sentence == f"2 dispatch numbers have no row: core 1 after token 3; {who}."


def test_what_schedulers_say_of_losses_is_repeated() -> None:
    quiet = entry("scheduler 2", 5, 5)
    assert cause(sides(ledger=(quiet,)), "scheduler 2").endswith(
        "The schedulers' own accounts report no loss."
    )
    lossy = entry("collector", 9, 7, dropped=2, reason="2 were cut off")
    found = sides(ledger=(quiet, lossy, entry("core 0", 9, 8, dropped=1)))
    assert cause(found, "scheduler 2").endswith(
        "Losses are reported by collector (2 were cut off)."
    )


def test_a_zero_that_no_scheduler_saw_may_not_have_run() -> None:
    lost = task(0, None, None, None, None, None, task=4, token=3, flags=NO_CORE | NO_CONTROLLER)
    whole = [task(0, 0, None, 10, 20, 30, task=9, token=9), task(1, 0, None, 1, 2, 3, token=0)]
    [zero] = [one for one in task_findings(sides(lost, *whole)) if one.kind == "zero"]
    assert zero.cause == (
        f"{NOT_COMMITTED} The scheduler has no row for any of them either: the tasks may not have "
        f"run. {LATER}"
    )


def test_rows_at_the_end_of_one_core_and_in_the_middle_of_another_are_told_apart() -> None:
    rows = [
        *(task(0, None, None, 1, 2, None, task=1, token=0, flags=NO_CONTROLLER), CORE_1[-1]),
        *(task(1, None, None, 1, 2, None, task=2, token=0, flags=NO_CONTROLLER), CORE_1[-2]),
    ]
    found = task_findings(sides(*rows))[0]
    assert found.producer == "scheduler 2, scheduler 3"
    assert found.cause.endswith(
        "1 of them are the last of their cores, as after a cut; others not."
    )


def test_rows_of_no_run_that_repeat_on_several_cores_may_be_two_runs() -> None:
    rows = [task(core, None, None, 1, 2, None, task=k, token=0, flags=AGAIN)
            for k, core in enumerate((0, 0, 1, 1))]  # fmt: skip
    [found] = [one for one in task_findings(sides(*rows, level=1)) if one.kind == "duplicated"]
    assert found.producer == "2 cores"
    assert found.cause.endswith("The rows name no run, so two runs in one file look like this.")
    named = [{**row, "run": 1} for row in rows]
    assert np.unique(sides(*named, level=1).run).tolist() == [1]
    [found] = [one for one in task_findings(sides(*named, level=1)) if one.kind == "duplicated"]
    assert found.cause.endswith("or runs are mixed.")


def test_a_run_without_level_holds_nothing_against_rows_that_only_counters_know() -> None:
    counted = task(0, None, None, None, None, None, task=1, token=0, flags=NO_CORE)
    ran = task(1, None, None, 1, 2, None, task=2, token=0)
    assert sides(counted, ran, level=0).rows.tolist() == [1]
    assert sides(counted, ran, {"task": 3, "kind": "node"}, level=1).rows.tolist() == [0, 1]
    assert sides(ran, level=1).accounts() == [
        ProducerAccount(producer="core 1", records="core_task", expected=1, delivered=1)
    ]


def test_rows_are_by_core_then_run_then_token() -> None:
    keys = [(1, 0, 0), (0, 1, 0), (0, 0, 5), (0, 0, 2)]
    rows = [task(core, *[None] * 5, run=run, token=token) for core, run, token in keys]
    assert sides(*rows, level=1).rows.tolist() == [3, 2, 1, 0]


def test_the_last_rows_of_a_core_and_run_have_no_other_behind_them() -> None:
    keys = [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (1, 1, 0), (1, 1, 1)]
    found = sides(*(task(c, *[None] * 5, run=r, token=t) for c, r, t in keys), level=1)

    def last(*rows: int) -> list[int]:
        mask = np.isin(np.arange(6), rows)
        return np.flatnonzero(found.last_on_core(mask)).tolist()

    assert last() == []
    assert last(1, 2, 3, 5) == [1, 2, 3, 5]
    assert last(0, 2, 4) == [2]
    assert last(0, 1) == []


def test_a_jump_in_the_tokens_counts_within_one_core_and_run() -> None:
    keys = [(0, 0, 0), (0, 0, 1), (0, 0, 4), (0, 1, 9), (1, 1, 12), (1, 1, None), (1, 1, 14)]
    rows = [task(c, *[None] * 5, run=r, **({} if t is None else {"token": t})) for c, r, t in keys]
    assert sides(*rows, level=1).gaps() == [(1, 2), (5, 1)]


@pytest.mark.parametrize(("first", "second"), [*combinations(range(5), 2)])
def test_a_later_moment_has_no_earlier_time(first: int, second: int) -> None:
    def disordered(step: int, **more: Any) -> bool:
        times = {f"{ORDER[at]}_ns": 30 + step * at for at in (first, second)}
        return bool(sides({"core": 0, "token": 0, **times, **more}, level=1).disordered[0])

    assert (disordered(-1), disordered(0), disordered(1)) == (True, False, False)
    assert not disordered(-1, flags=TaskFlag.BACKWARDS)


def test_a_core_that_schedules_stamps_its_dispatches_late() -> None:
    row = {"core": 0, "token": 0, "dispatch_ns": 30, "start_ns": 20, "end_ns": 25, "finish_ns": 22}

    def disordered(*controllers: Row) -> bool:
        trace = make_trace({"level": 2}, tasks=[row], cores=CORES, controllers=controllers)
        return bool(TaskSides.of(trace).disordered[0])

    assert (disordered(), disordered({"controller": 3})) == (True, True)
    assert not disordered({"controller": 3}, {"controller": 4, "worker": 0})


def test_cycles_count_before_nanoseconds() -> None:
    row = {"core": 0, "token": 0, "start_ns": 20, "end_ns": 25}
    assert not sides(row, level=1).disordered[0]
    assert not sides({**row, "start_ns": 30, "start_cycles": 1, "end_cycles": 2}).disordered[0]
    assert sides({**row, "start_cycles": 3, "end_cycles": 2}, level=1).disordered[0]
