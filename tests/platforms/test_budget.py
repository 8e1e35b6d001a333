"""Budgets: their text, the buffers that fit, the level that is chosen, and whether it was kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lanescope.errors import UsageError
from lanescope.platforms.budget.choice import (
    BudgetReport,
    LevelChoice,
    LevelOption,
    outcome_of,
)
from lanescope.platforms.budget.choose import ROUNDS, allowed, choose_measured
from lanescope.platforms.budget.limits import RecordingBudget, fit_buffers, read_budget
from lanescope.platforms.recording import Recording


@pytest.mark.parametrize(
    ("text", "share", "memory"),
    [
        ("2%,64MB", 0.02, 64_000_000),
        ("64MB, 0.5 %", 0.005, 64_000_000),
        ("2%", 0.02, None),
        ("1.5GiB", None, 3 * 2**29),
        ("100 kB", None, 100_000),
        ("0%", 0.0, None),
        ("7B", None, 7),
    ],
)
def test_a_budget_is_a_share_and_a_size(text: str, share: float, memory: int) -> None:
    assert read_budget(text) == RecordingBudget(share, memory)


@pytest.mark.parametrize(
    "text", ["", "2", "2%,", "2%,3%", "1MB,2MB", "x%", "-2%", "2%;64MB", "64mb", "1e3B", "nan%"]
)
def test_a_text_that_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        read_budget(text)
    assert str(error.value).startswith("expected a budget like 2%,64MB, or one of the two")
    assert str(error.value).endswith(f"found {text!r}")


def size(recording: Recording) -> int:
    """Every level adds a lane of records of 32 bytes."""
    each = recording.buffers * recording.buffer_records * 32
    return int(recording.chip_swimlane) * each


ASKED = Recording(chip_swimlane=2, buffers=8, buffer_records=1024)


@pytest.mark.parametrize(
    ("memory", "buffers", "records"),
    [
        (None, 8, 1024),
        (10**9, 8, 1024),
        (2 * 8 * 1024 * 32, 8, 1024),
        (2 * 8 * 1024 * 32 - 1, 8, 512),
        (2 * 2 * 16 * 32, 2, 16),
    ],
)
def test_the_buffers_with_most_room_are_taken(
    memory: int | None, buffers: int, records: int
) -> None:
    found = fit_buffers(ASKED, memory, size)
    assert found == replace(ASKED, buffers=buffers, buffer_records=records)


def test_where_not_even_the_least_fits_there_are_none() -> None:
    assert fit_buffers(ASKED, 2 * 2 * 16 * 32 - 1, size) is None


def test_fewer_buffers_than_usual_are_not_made_more() -> None:
    asked = replace(ASKED, buffers=1, buffer_records=8)
    assert fit_buffers(asked, 10**9, size) == asked


def options(budget: RecordingBudget) -> list[LevelOption]:
    return allowed(budget, replace(ASKED, chip_swimlane=4), size)


def test_levels_that_do_not_fit_stay_in_the_list() -> None:
    found = options(RecordingBudget(None, 3 * 2 * 16 * 32))
    assert [(o.level, o.recording is not None) for o in found] == [
        *((4, False), (3, True), (2, True), (1, True), (0, True))
    ]


def measured(budget: RecordingBudget, costs: dict[int, int]) -> LevelChoice:
    return choose_measured(budget, options(budget), lambda r: 1000 + costs[int(r.chip_swimlane)])


COSTS = {0: 0, 1: 5, 2: 10, 3: 20, 4: 50}


@pytest.mark.parametrize(
    ("share", "level"), [(0.1, 4), (0.05, 4), (0.049, 3), (0.01, 2), (0.001, 0)]
)
def test_the_highest_level_that_fits_is_chosen(share: float, level: int) -> None:
    choice = measured(RecordingBudget(share, None), COSTS)
    assert choice.chosen.level == level
    assert choice.unrecorded_ns == (1000,) * ROUNDS
    assert [o.share for o in choice.options] == pytest.approx([0.05, 0.02, 0.01, 0.005, 0])


def test_memory_alone_runs_nothing() -> None:
    choice = choose_measured(
        RecordingBudget(None, 3 * 2 * 16 * 32),
        options(RecordingBudget(None, 3 * 2 * 16 * 32)),
        lambda _: 1 // 0,
    )
    assert choice.chosen.level == 3 and choice.unrecorded_ns == ()


def chosen(level: int, unrecorded_ns: tuple[int, ...]) -> LevelChoice:
    option = LevelOption(replace(ASKED, chip_swimlane=level), level)
    return LevelChoice(RecordingBudget(0.02, 1000), option, (option,), unrecorded_ns, "")


@pytest.mark.parametrize(
    ("makespan", "memory", "kept"),
    [(1020, 1000, True), (1021, 1000, False), (1020, 1001, False)],
)
def test_one_unrecorded_run_decides(makespan: int, memory: int, kept: bool) -> None:
    found = outcome_of(chosen(4, (1000,)), makespan, memory)
    assert (found.share, found.kept) == (pytest.approx(makespan / 1000 - 1), kept)


def test_where_unrecorded_runs_differ_by_more_one_run_cannot_tell() -> None:
    spread = (900, 1000, 1100)
    assert outcome_of(chosen(4, spread), 1010, 0).kept is True
    assert outcome_of(chosen(4, spread), 1100, 0).kept is None
    assert outcome_of(chosen(4, spread), 1123, 0).kept is False


def test_level_0_adds_nothing_by_definition() -> None:
    assert outcome_of(chosen(0, (900, 1000, 1100)), 5000, 0).kept is True


@pytest.mark.parametrize(("level", "buffers", "records"), [(2, 8, 1024), (0, 0, 0)])
def test_a_report_has_the_buffers_of_the_level_that_was_chosen(
    level: int, buffers: int, records: int
) -> None:
    option = LevelOption(replace(ASKED, chip_swimlane=level), level, 512, 0.01, 0.005, 0.02)
    refused = LevelOption(None, 4, 4096)
    choice = LevelChoice(RecordingBudget(0.02, 1000), option, (refused, option), (900,), "one run")
    none = {"share": None, "low": None, "high": None}
    shares = {"share": 0.01, "low": 0.005, "high": 0.02}
    assert BudgetReport(choice, outcome_of(choice, 900, 512)).to_dict() == {
        "share": 0.02,
        "memory_bytes": 1000,
        "level": level,
        "buffers": buffers,
        "buffer_records": records,
        "options": [
            {"level": 4, "fits_memory": False, "region_bytes": 4096, **none},
            {"level": level, "fits_memory": True, "region_bytes": 512, **shares},
        ],
        "basis": "one run",
        "unrecorded_ns": [900],
        "measured": {"share": 0.0, "region_bytes": 512, "kept": True},
    }
