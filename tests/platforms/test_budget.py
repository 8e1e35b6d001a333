"""Budgets: their text, the buffers that fit, the level that is chosen, and whether it was kept."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from lanescope.errors import UsageError
from lanescope.platforms.budget import choose
from lanescope.platforms.budget.choice import (
    BudgetReport,
    LevelChoice,
    LevelOption,
    outcome_of,
)
from lanescope.platforms.budget.choose import ROUNDS, allowed, choose_measured
from lanescope.platforms.budget.limits import RecordingBudget, fit_buffers, read_budget
from lanescope.platforms.budget.trials import choose_level
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.trace import Meta, Trace
from lanescope.workloads import build_workload


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


# ---- a simulated chip ------------------------------------------------------------------------


def simulated(
    budget: RecordingBudget,
    makespans: dict[int, int],
    monkeypatch: pytest.MonkeyPatch,
    between: dict[int, float] | None = None,
) -> tuple[LevelChoice, list[int]]:
    """The choice, and the levels that were run; replays say `between`."""
    ran: list[int] = []
    trace = Trace(meta=Meta(name="t", tool="a test", origin="simulated"))

    def run(recording: Recording) -> RunOutcome:
        ran.append(int(recording.chip_swimlane))
        return RunOutcome(
            trace=trace,
            makespan_ns=makespans[ran[-1]],
            tasks_per_core=(),
            tasks_done=0,
            region_bytes=0,
            spool_bytes=0,
        )

    def replayed(
        told: Trace, most: float, levels: list[int]
    ) -> dict[int, tuple[float, float, float]]:
        assert told is trace
        assert between is not None and list(between) == levels
        assert most == makespans[max(ran)] / max(makespans[0], 1) - 1
        return {level: (share, share / 2, 2 * share) for level, share in between.items()}

    monkeypatch.setattr(choose, "_between", replayed)
    return choose.choose_simulated(budget, options(budget), run), ran


def shares(choice: LevelChoice) -> list[tuple[int, float | None, float | None, float | None]]:
    return [(one.level, one.share, one.low, one.high) for one in choice.options]


UNKNOWN = (None, None, None)


def test_memory_alone_runs_nothing_on_a_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    choice, ran = simulated(RecordingBudget(None, 3 * 2 * 16 * 32), {}, monkeypatch)
    assert (choice.chosen.level, ran, choice.basis) == (3, [], "memory alone")
    assert choice.unrecorded_ns == ()
    choice, ran = simulated(RecordingBudget(0.5, 1), {}, monkeypatch)
    assert (choice.chosen.level, ran, choice.basis) == (0, [], "memory alone")


def test_a_highest_level_that_fits_needs_no_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    choice, ran = simulated(RecordingBudget(0.5, None), {0: 1000, 4: 1500}, monkeypatch)
    assert (choice.chosen.level, ran) == (4, [0, 4])
    assert choice.unrecorded_ns == (1000,)
    assert choice.basis == "an unrecorded run and one at level 4"
    unknown = [(level, *UNKNOWN) for level in (3, 2, 1)]
    assert shares(choice) == [(4, 0.5, 0.5, 0.5), *unknown, (0, 0.0, 0.0, 0.0)]


def test_replays_say_which_level_is_tried_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Level 3 was thought to fit and does not, level 2 does."""
    makespans = {0: 1000, 4: 1500, 3: 1300, 2: 1250}
    between = {3: 0.25, 2: 0.125, 1: 0.0625}
    choice, ran = simulated(RecordingBudget(0.25, None), makespans, monkeypatch, between)
    assert (choice.chosen.level, ran) == (2, [0, 4, 3, 2])
    assert choice.basis == (
        "an unrecorded run and one at level 4, replays with the chip's known costs between them, "
        "a trial of level 3, a trial of level 2"
    )
    assert shares(choice) == [
        (4, 0.5, 0.5, 0.5),
        (3, 1300 / 1000 - 1, 1300 / 1000 - 1, 1300 / 1000 - 1),
        (2, 0.25, 0.25, 0.25),
        (1, 0.0625, 0.03125, 0.125),
        (0, 0.0, 0.0, 0.0),
    ]
    assert choice.unrecorded_ns == (1000,)


def test_where_no_level_fits_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    makespans = {0: 1000, 4: 1500}
    between = {3: 0.5, 2: 0.5, 1: 0.5}
    choice, ran = simulated(RecordingBudget(0.25, None), makespans, monkeypatch, between)
    assert (choice.chosen.level, ran) == (0, [0, 4])


def test_only_levels_below_the_highest_that_memory_allows_are_replayed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budget = RecordingBudget(0.25, 2 * 2 * 16 * 32)
    choice, ran = simulated(budget, {0: 8, 2: 16, 1: 9}, monkeypatch, {1: 0.2})
    assert (choice.chosen.level, ran) == (1, [0, 2, 1])
    assert shares(choice)[:2] == [(4, *UNKNOWN), (3, *UNKNOWN)]
    lowest = RecordingBudget(0.25, 1 * 2 * 16 * 32)
    choice, ran = simulated(lowest, {0: 8, 1: 16}, monkeypatch)
    assert (choice.chosen.level, ran) == (0, [0, 1])
    assert choice.basis == "an unrecorded run and one at level 1"


def test_a_run_that_takes_no_time_is_compared_with_a_nanosecond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    makespans = {0: 0, 4: 3, 3: 1}
    choice, ran = simulated(
        RecordingBudget(1.0, None), makespans, monkeypatch, {3: 0.5, 2: 0.5, 1: 0.5}
    )
    assert (choice.chosen.level, ran) == (3, [0, 4, 3])
    assert shares(choice)[:2] == [(4, 2.0, 2.0, 2.0), (3, 0.0, 0.0, 0.0)]


def test_replays_say_between_which_shares_a_lower_level_lies(tmp_path: Path) -> None:
    graph = build_workload("chain", {"tasks": "30"})
    done = [
        execute(
            graph,
            MachineRequest(platform="a5"),
            Recording(chip_swimlane=level, protocol="staging"),
            directory=tmp_path / str(level),
        )
        for level in range(5)
    ]
    truly = [one.makespan_ns / done[0].makespan_ns - 1 for one in done]
    assert done[4].trace is not None
    found = choose._between(done[4].trace, truly[4], [3, 2, 1])
    assert list(found) == [3, 2, 1]
    assert found[3] == pytest.approx((truly[3],) * 3)
    for level, (share, low, high) in found.items():
        assert 0.1 < low <= share <= high
        assert low - 0.001 <= truly[level] <= high
    assert found[3][0] > found[2][0] > found[1][0]


def test_where_replays_differ_by_nothing_no_level_adds_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = build_workload("chain", {"tasks": "5"})
    machine = MachineRequest(platform="a5")
    done = execute(graph, machine, Recording(chip_swimlane=2), directory=tmp_path / "run")
    assert done.trace is not None
    monkeypatch.setattr(choose, "replay", lambda _: SimpleNamespace(makespan_ps=7))
    assert choose._between(done.trace, 0.5, [1]) == {1: (0.0, 0.0, 0.0)}


# ---- real threads ----------------------------------------------------------------------------


def test_each_round_is_compared_with_its_own_unrecorded_run() -> None:
    """The first round only warms up; the third one is slow throughout."""
    asked = replace(ASKED, chip_swimlane=1)
    rounds = [(900, 10), (110, 100), (240, 200), (520, 400), (104, 100), (121, 110)]
    times = iter([time for pair in rounds for time in pair])
    levels: list[int] = []

    def run(recording: Recording) -> int:
        levels.append(int(recording.chip_swimlane))
        return next(times)

    budget = RecordingBudget(0.1, None)
    choice = choose_measured(budget, allowed(budget, asked, size), run)
    assert levels == [1, 0] * (ROUNDS + 1)
    assert shares(choice) == [
        (1, 110 / 100 - 1, 104 / 100 - 1, 520 / 400 - 1),
        (0, 0.0, 0.0, 0.0),
    ]
    assert choice.unrecorded_ns == (100, 200, 400, 100, 110)
    assert (choice.chosen.level, choice.basis) == (1, "5 runs of every level, in turns")


def test_a_level_that_does_not_fit_the_memory_is_not_run() -> None:
    levels: list[int] = []

    def run(recording: Recording) -> int:
        levels.append(int(recording.chip_swimlane))
        return 100

    budget = RecordingBudget(0.1, 2 * 2 * 16 * 32)
    choice = choose_measured(budget, options(budget), run)
    assert levels == [2, 1, 0] * (ROUNDS + 1)
    assert shares(choice)[:2] == [(4, *UNKNOWN), (3, *UNKNOWN)]
    assert choice.chosen.level == 2


def test_threads_with_memory_alone_run_nothing() -> None:
    budget = RecordingBudget(None, 10**9)
    choice = choose_measured(budget, options(budget), lambda _: 1 // 0)
    assert (choice.chosen.level, choice.unrecorded_ns, choice.basis) == (4, (), "memory alone")


# ---- sizes and shares ------------------------------------------------------------------------


def test_levels_have_the_size_of_their_region_and_the_last_records_nothing() -> None:
    found = options(RecordingBudget(None, 3 * 2 * 16 * 32))
    least = replace(ASKED, buffers=2, buffer_records=16, chip_swimlane=3)
    assert found == [
        LevelOption(None, 4, 0),
        LevelOption(least, 3, 3 * 2 * 16 * 32),
        LevelOption(replace(least, chip_swimlane=2, buffers=2), 2, 2 * 2 * 16 * 32),
        LevelOption(replace(found[3].recording or ASKED), 1, found[3].region_bytes),
        LevelOption(replace(ASKED, chip_swimlane=0), 0, 0, 0.0, 0.0, 0.0),
    ]


@pytest.mark.parametrize(
    ("most", "buffers", "records"),
    [(1024, 9, 128), (1023, 9, 64), (200, 4, 64), (128, 2, 128), (127, 4, 32), (14, None, None)],
)
def test_the_most_room_wins_and_of_equal_room_the_larger_buffers(
    most: int, buffers: int | None, records: int | None
) -> None:
    """Here the region takes as many bytes as there is room: a buffer less than all."""
    asked = replace(ASKED, buffers=9, buffer_records=128)
    found = fit_buffers(asked, most, lambda one: (one.buffers - 1) * one.buffer_records)
    assert (found and found.buffers, found and found.buffer_records) == (buffers, records)


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        *(("1B", 1), ("1kB", 1000), ("1KB", 1000), ("1MB", 10**6), ("1GB", 10**9)),
        *(("1iB", 1), ("1kiB", 1024), ("1KiB", 1024), ("1MiB", 2**20), ("1GiB", 2**30)),
        *(("1.5kB", 1500), ("1.9B", 1)),
    ],
)
def test_memory_is_in_bytes_or_thousands_or_1024s_of_them(text: str, memory: int) -> None:
    assert read_budget(text) == RecordingBudget(None, memory)


def test_a_wrong_budget_is_refused_in_full() -> None:
    with pytest.raises(UsageError) as refused:
        read_budget("2%,3%")
    assert str(refused.value) == (
        "expected a budget like 2%,64MB, or one of the two (a share of the makespan in %; memory "
        "in B, kB, MB, GB, KiB, MiB or GiB), found '2%,3%'"
    )


def test_a_share_may_be_met_but_not_passed() -> None:
    budget = RecordingBudget(0.02, None)
    assert [budget.allows(share) for share in (0.02, 0.02 + 1e-13, 0.02 + 1e-11)] == [
        *(True, True, False)
    ]
    assert RecordingBudget(None, 5).allows(99.0)


@pytest.mark.parametrize(
    ("share", "level", "unrecorded", "makespan", "memory", "found"),
    [
        (None, 4, (1000,), 2000, 1000, (None, True)),
        (None, 4, (1000,), 2000, 1001, (None, False)),
        (0.5, 4, (), 2000, 1000, (None, True)),
        (0.5, 0, (1000,), 9000, 1001, (0.0, False)),
        (0.5, 4, (1000,), 1500, 1000, (0.5, True)),
        (0.5, 4, (0,), 1, 1000, (0.0, True)),
        (0.5, 4, (0,), 3, 1000, (2.0, False)),
        (0.5, 4, (1000, 1000, 2000), 1750, 1000, (0.75, None)),
        (0.5, 4, (1000, 1000, 2000), 1750, 1001, (0.75, False)),
        (0.5, 4, (1000, 1000, 2000), 3000, 1000, (2.0, None)),
        (0.5, 4, (1000, 1000, 2000), 3001, 1000, (2.001, False)),
    ],
)
def test_a_run_is_compared_with_the_median_and_doubted_up_to_the_longest(
    share: float | None,
    level: int,
    unrecorded: tuple[int, ...],
    makespan: int,
    memory: int,
    found: tuple[float | None, bool | None],
) -> None:
    option = LevelOption(replace(ASKED, chip_swimlane=level), level)
    choice = LevelChoice(RecordingBudget(share, 1000), option, (option,), unrecorded, "")
    told = outcome_of(choice, makespan, memory)
    assert (told.share, told.kept) == (pytest.approx(found[0]), found[1])
    assert told.region_bytes == memory


def test_counters_and_pipes_have_costs_that_no_budget_knows() -> None:
    graph = build_workload("chain", {"tasks": "2"})
    for recording in (Recording(pmu=2), Recording(pmu=False), Recording(core_swimlane=True)):
        with pytest.raises(UsageError) as refused:
            choose_level(graph, MachineRequest(), recording, budget="1%")
        assert str(refused.value) == (
            "--budget chooses between levels, and does not know what --pmu and --core-swimlane "
            "cost; leave them out"
        )


def test_a_level_is_chosen_by_trial_runs_that_leave_nothing_behind() -> None:
    graph = build_workload("chain", {"tasks": "20"})
    before = set(Path(tempfile.gettempdir()).glob("lanescope-budget-*"))
    machine = MachineRequest(platform="a5")
    found = choose_level(graph, machine, Recording(chip_swimlane=2), budget="90%")
    assert (found.chosen.level, len(found.unrecorded_ns)) == (2, 1)
    assert found.basis == "an unrecorded run and one at level 2"
    assert set(Path(tempfile.gettempdir()).glob("lanescope-budget-*")) <= before


@pytest.mark.parametrize("platform", ["a5", "threads"])
def test_memory_is_that_of_the_region_that_the_run_makes(platform: str, tmp_path: Path) -> None:
    graph = build_workload("chain", {"tasks": "5"})
    machine = MachineRequest(platform=platform)
    found = choose_level(graph, machine, Recording(), budget="1GB")
    assert found.chosen.level == 4
    done = execute(graph, machine, found.recording, directory=tmp_path / "run.capture")
    assert done.region_bytes == found.chosen.region_bytes
