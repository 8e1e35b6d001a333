"""Schedulers that serve cores, their phases and the dispatches in them, for traces made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.checks.controllers import controller_findings
from lanescope.checks.finding import CheckFinding

CORES = [{"core": number, "controller": number // 2} for number in range(6)] + [{"core": 6}]
"""Schedulers 0 to 2 serve two cores each; nobody serves core 6."""


def found(
    phases: list[Row], tasks: list[Row], *, level: int = 3, lists: int | None = None
) -> list[CheckFinding]:
    trace = make_trace({"level": level}, phases=phases, tasks=tasks, cores=CORES)
    return list(controller_findings(trace, lists))


def ran(core: int, dispatch: int | None = None, **more: Any) -> Row:
    return task(core, dispatch, None, None, None, None, token=0, **more)


ALL = [phase("poll", 1, 2, controller=number) for number in range(3)]


def test_a_scheduler_without_phases_was_idle_or_lost_them() -> None:
    """Scheduler 1 served two tasks; a row without a token, and core 6, are not scheduler 2's."""
    tasks = [ran(2), ran(3), {"core": 4}, ran(6), ran(0)]
    assert found(ALL[:1], tasks) == [
        CheckFinding(
            producer="scheduler 1",
            kind="missing",
            sentence="Scheduler 1 serves core 2, core 3 and has no phase.",
            cause="It was not idle: its cores ran 2 tasks. Its stream was lost, or is here under "
            "another number.",
        ),
        CheckFinding(
            producer="scheduler 2",
            kind="harmless",
            sentence="Scheduler 2 serves core 4, core 5 and has no records.",
            cause="It was idle: none of its cores ran a task. Streams without records are left out "
            "of a file.",
        ),
    ]
    assert found(ALL, tasks) == []
    assert found(ALL[:1], tasks, level=2) == []
    assert found([phase("submit", 1, 2, lane="orchestrator")], tasks) == []


@pytest.mark.parametrize(
    ("lists", "more"),
    [
        (None, ""),
        (0, " The file has 0 lists of phases, by place, and its cores need scheduler 1."),
        (1, " The file has 1 list of phases, by place, and its cores need scheduler 1."),
        (2, ""),
    ],
)
def test_lists_by_place_that_are_too_few_are_told(lists: int | None, more: str) -> None:
    phases = [ALL[0], ALL[2]]
    [one] = found(phases, [ran(2)], lists=lists)
    assert one.sentence == f"Scheduler 1 serves core 2, core 3 and has no phase.{more}"


def giving(kind: str = "dispatch", controller: int = 0, *spans: tuple[int, int]) -> list[Row]:
    return [phase(kind, start, end, controller=controller) for start, end in spans]


def renumbered(phases: list[Row], tasks: list[Row]) -> list[CheckFinding]:
    return [one for one in found(phases, tasks) if one.kind == "contradiction"]


OTHERS = (
    "Streams without records were left out and the others renumbered by their place in the file."
)
INSIDE = [ran(2, 15), ran(2, 35), ran(3, 55)]
SPANS = ((10, 20), (30, 40), (50, 60))


def test_a_stream_that_holds_the_dispatches_of_another_is_that_one() -> None:
    """Ten dispatches go to the cores of scheduler 1, nine of them in the phases called 0's; of
    eleven to its own cores one does."""
    tasks = [ran(2, at) for at in (10, 15, 20, 30, 40, 50, 55, 60, 60, 61)]
    tasks += [ran(0, 100) for _ in range(10)] + [ran(1, 10)]
    assert renumbered(giving("dispatch", 0, *SPANS), tasks) == [
        CheckFinding(
            producer="scheduler 0",
            kind="contradiction",
            sentence="The stream called scheduler 0 is scheduler 1: 90.0% of the dispatches to the "
            "cores of scheduler 1 lie in its dispatch phases, and 9.1% of those to its own cores.",
            cause=OTHERS,
        )
    ]
    assert renumbered(giving("dispatch", 0, *SPANS), [*tasks, ran(2, 62)]) == []
    assert renumbered(giving("dispatch", 0, *SPANS), [*tasks, ran(1, 10)]) == []


@pytest.mark.parametrize(
    ("kind", "is_other"),
    [
        ("dispatch", True),
        ("early_dispatch", True),
        ("drain_publish", True),
        ("drain", True),
        ("refill", True),
        ("worksteal", True),
        ("poll", False),
        ("complete", False),
    ],
)
def test_only_phases_that_hand_out_tasks_hold_dispatches(kind: str, is_other: bool) -> None:
    assert bool(renumbered(giving(kind, 0, *SPANS), INSIDE)) is is_other


def test_a_moment_lies_in_a_phase_from_its_start_to_its_end() -> None:
    """A long phase around short ones counts as long as it lasts, whatever the order of rows."""
    at = [ran(2, 9), ran(2, 10)]
    assert renumbered(giving("dispatch", 0, (10, 20)), at) == []
    assert len(renumbered(giving("dispatch", 0, (10, 20)), at[1:])) == 1
    nested = giving("dispatch", 0, (30, 40), (10, 100), (50, 60))
    assert len(renumbered(nested, [ran(2, 70), ran(3, 100)])) == 1
    assert renumbered(nested, [ran(2, 70), ran(3, 101)]) == []


def test_what_has_no_time_is_left_out() -> None:
    timeless = {"lane": "scheduler", "controller": 0, "kind": "dispatch"}
    phases = [*giving("dispatch", 0, *SPANS), timeless, {**timeless, "start_ns": 1}]
    assert len(renumbered(phases, [*INSIDE, ran(2), ran(3)])) == 1
    assert renumbered([timeless], INSIDE) == []
    assert renumbered(phases, [ran(2), ran(3)]) == []


def test_phases_of_the_orchestrator_hold_no_dispatch() -> None:
    other = [{**one, "lane": "orchestrator"} for one in giving("dispatch", 0, *SPANS)]
    assert renumbered([*other, ALL[0]], INSIDE) == []


def test_a_scheduler_whose_own_stream_is_there_is_not_taken_for_another() -> None:
    """Schedulers 0 and 1 hold the same dispatches; scheduler 2 has no stream."""
    phases = giving("dispatch", 0, *SPANS) + giving("dispatch", 1, *SPANS)
    assert renumbered(phases, INSIDE) == []
    elsewhere = giving("dispatch", 0, *SPANS) + giving("dispatch", 1, (500, 501))
    assert [one.producer for one in renumbered(elsewhere, INSIDE)] == ["scheduler 0"]
    assert renumbered(giving("dispatch", 1, *SPANS), INSIDE) == []


def test_every_stream_is_looked_at() -> None:
    """Scheduler 0 is right; the stream called 1 is scheduler 2's."""
    tasks = [ran(0, 15), ran(4, 105), ran(5, 205)]
    phases = giving("dispatch", 0, (10, 20)) + giving("dispatch", 1, (100, 110), (200, 210))
    assert [one.producer for one in renumbered(phases, tasks)] == ["scheduler 1"]
