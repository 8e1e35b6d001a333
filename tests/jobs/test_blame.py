"""Why a late rank was late: each cause once, in jobs of three ranks by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.analyze.streams.made import did, of_streams, ran
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs import blame as blaming
from lanescope.jobs.blame import (
    FunctionExcess,
    IdlePart,
    RankBlame,
    _functions,
    _path_times,
    _work_ratio,
    blame,
    idle_in,
)
from lanescope.jobs.lateness import CAUSES, Lateness
from lanescope.jobs.path import WalkedPart
from lanescope.jobs.placing import _wander
from lanescope.jobs.roles import Roles, roles
from lanescope.jobs.waits import waits

STEP = 10_000_000


def made(busy: int, late: int, *, begins: int = 0) -> Made:
    """Six steps: work of so many ns, then a collective at which the rank arrives after `late`."""
    rows, work, steps = [], [], []
    for k in range(6):
        at = STEP * (k + 1)
        work.append((at + begins, at + begins + busy))
        rows.append(Row(k, at + late, at + 2_000_000))
        steps.append((k, at + begins, at + 3_000_000))
    return Made(rows, work, steps)


def first_of(*ranks: Made) -> RankBlame:
    job = job_of(*ranks)
    return blame(job, waits(job), roles(job))[0]


def causes(one: RankBlame) -> dict[str, float]:
    return {cause.what: cause.ns for cause in one.causes if round(cause.ns)}


def test_more_work_is_the_cause_with_its_function() -> None:
    one = first_of(made(100_000, 100_000), made(100_000, 100_000), made(400_000, 400_000))
    assert (one.rank, one.main, one.collectives) == (2, "ran longer", 6)
    assert one.waited_ns == 6 * 2 * 300_000
    assert one.late_ns == pytest.approx(6 * 300_000, abs=10)
    assert causes(one) == pytest.approx({"ran longer": 6 * 300_000}, abs=10)
    assert one.functions == (FunctionExcess("gemm", 6, 400_000.0, 100_000.0, 6 * 300_000.0),)
    assert one.held_up_by is None


def test_a_rank_that_does_nothing_before_it_comes_is_idle() -> None:
    one = first_of(made(100_000, 100_000), made(100_000, 100_000), made(100_000, 400_000))
    assert (one.rank, one.main, one.functions) == (2, "idle", ())
    assert causes(one) == pytest.approx({"idle": 6 * 300_000}, abs=10)


def test_a_rank_that_nobody_waits_for_is_not_explained() -> None:
    same = [made(100_000, 100_000) for _ in range(3)]
    job = job_of(*same)
    assert blame(job, waits(job), roles(job)) == ()
    (one,) = blame(job, waits(job), roles(job), straggler=1)
    assert (one.rank, one.main, one.collectives, one.late_ns) == (1, "", 0, 0.0)


def test_at_most_five_ranks_are_explained() -> None:
    """Rank k is last at the collectives whose number leaves k when it is divided by seven."""

    def rank(number: int) -> Made:
        rows = [
            Row(
                k,
                STEP * k + (500_000 + 1_000 * number if k % 7 == number else 0),
                STEP * k + 2_000_000,
            )
            for k in range(1, 29)
        ]
        return Made(rows)

    job = job_of(*(rank(number) for number in range(7)))
    found = blame(job, waits(job), roles(job))
    assert [one.rank for one in found] == [6, 5, 4, 3, 2]
    assert [one.rank for one in blame(job, waits(job), roles(job), straggler=0)][-1] == 0


def work_of(*lengths: list[int]) -> list[Made]:
    """Kernels of such lengths, one after the other."""
    return [
        Made([], [(1_000_000 * k, 1_000_000 * k + length) for k, length in enumerate(one)])
        for one in lengths
    ]


ONE_ROLE = Roles(np.zeros(3, np.int64), np.arange(3))


def test_a_function_takes_longer_from_two_percent_on() -> None:
    job = job_of(*work_of([1_000, 1_000], [1_000, 1_000], [1_020, 1_020]))
    assert _functions(job, ONE_ROLE, 2) == ()
    job = job_of(*work_of([1_000, 1_000], [1_010, 1_010], [1_026, 1_030]))
    assert _functions(job, ONE_ROLE, 2) == (FunctionExcess("gemm", 2, 1_028.0, 1_005.0, 46.0),)
    apart = Roles(np.array([0, 0, 1]), np.arange(3))
    assert _functions(job, apart, 2) == ()


def test_work_is_held_against_the_role_or_all_ranks() -> None:
    job = job_of(*work_of([100], [200], [600]))
    assert _work_ratio(job, ONE_ROLE, 2) == 3.0
    assert _work_ratio(job, Roles(np.array([0, 1, 1]), np.arange(3)), 2) == 3.0
    assert _work_ratio(job, Roles(np.array([1, 0, 1]), np.arange(3)), 0) == 0.5
    assert _work_ratio(job_of(Made([]), Made([]), Made([])), ONE_ROLE, 0) == 1.0


def windows(*pairs: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    start, end = zip(*pairs, strict=True)
    return np.array(start), np.array(end)


TRACE = of_streams(
    [ran(0, "gemm", 10, 100, 0), ran(0, "gemm", 200, 300, 1), ran(0, "gemm", 301, 310, 2),
     ran(2, "gemm", 0, 50, 3)],
    [did("launch", 0, 5, 0), did("mm", 90, 190), did("launch", 170, 180, 1),
     did("launch", 181, 182, 2), did("launch", 183, 184, 3)],
)  # fmt: skip
"""Device 0 is idle from 100 to 200 and from 300 to 301."""


def test_idle_time_in_windows_is_a_part_of_each_gap() -> None:
    """Of the first gap the host was busy for 70, called for 10 and launched for 20."""
    whole = {"host_busy": 70, "call": 10, "launch": 20, "start": 1}
    found = idle_in(TRACE, *windows((0, 400)))
    assert {what: ns for what, ns in found.items() if ns} == whole
    found = idle_in(TRACE, *windows((0, 125), (175, 250)))
    assert {what: ns for what, ns in found.items() if ns} == {
        "host_busy": 35, "call": 5, "launch": 10,
    }  # fmt: skip
    assert set(idle_in(TRACE, *windows((400, 500))).values()) == {0.0}


def test_paths_to_late_arrivals_are_summed_by_rank() -> None:
    """Of the arrivals at 700 and 1700, the 300 and 200 ns before; a transfer is of no rank."""
    asked: list[tuple[int, int, int]] = []

    class Walks:
        def back(self, place: int, now: int, until: int) -> list[WalkedPart]:
            asked.append((place, now, until))
            return [
                WalkedPart(1, "own", now - 100, now, "x"),
                WalkedPart(1, "transfer", now - 120, now - 100, "x"),
                WalkedPart(0, "own", until, now - 120, ""),
            ]

    detail = SimpleNamespace(start=np.array([5, 700, 6, 1700]), last_row=np.array([1, 3]))
    late = SimpleNamespace(
        collective=np.array([0, 1]), start=np.array([400, 1500]), end=np.array([700, 1700])
    )
    found = _path_times(
        cast(Any, Walks()), cast(Any, SimpleNamespace(detail=detail)), 2, cast(Any, late)
    )
    assert asked == [(2, 700, 400), (2, 1700, 1500)]
    assert found == {1: 200, 0: 180 + 80}


@pytest.mark.parametrize(
    ("times", "idle", "main", "holder"),
    [
        ({0: 500, 1: 80}, 0.0, "waited elsewhere", 0),
        ({0: 80, 1: 500}, 0.0, "waited elsewhere", 1),
        # The rank itself counts only where a fifth of its lateness is its own.
        ({2: 900, 1: 80}, 0.0, "waited elsewhere", 1),
        ({2: 900, 1: 80}, 300.0, "idle", None),
        ({}, 0.0, "waited elsewhere", None),
    ],
)
def test_who_waited_elsewhere_was_held_up_by_the_rank_with_most_of_the_path(
    times: dict[int, int],
    idle: float,
    main: str,
    holder: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = job_of(*(made(100_000, 100_000) for _ in range(3)))
    by = {cause: np.array([0.0]) for cause in CAUSES}
    by |= {"waited elsewhere": np.array([1_000.0]), "idle": np.array([idle])}
    late = Lateness(
        np.array([0]), np.array([9]), np.array([1_000.0 + idle]), by, np.array([0]), np.array([1])
    )
    monkeypatch.setattr(blaming, "_path_times", lambda *given: dict(times))
    one = blaming._explained(job, waits(job), roles(job), cast(Any, None), late, 2)
    assert (one.rank, one.main, one.held_up_by) == (2, main, holder)


@pytest.mark.parametrize(
    ("residual", "most"),
    [
        ([9.0] * 13, 0.0),
        ([1.0] * 7 + [0.0, 0.0, 0.0, -4.0, -5.0, -6.0, -7.0], 4.0),
        ([0.0] * 7 + [3.0] * 4 + [50.0] * 3 + [0.0] * 7, 3.0),
    ],
)
def test_a_clock_wanders_by_the_largest_median_of_seven_ends(
    residual: list[float], most: float
) -> None:
    assert _wander(np.array(residual)) == most


@pytest.mark.parametrize(
    ("longer", "idle", "main", "told"),
    [
        (1.0, 900.0, "idle", True),
        (0.0, 900.0, "idle", False),
        (-5.0, 900.0, "idle", False),
        (900.0, 0.0, "ran longer", True),
    ],
)
def test_functions_are_told_where_their_time_made_the_rank_late(
    longer: float, idle: float, main: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(*(made(100_000, 100_000) for _ in range(3)))
    by = {cause: np.array([0.0]) for cause in CAUSES}
    by |= {"ran longer": np.array([longer]), "idle": np.array([idle])}
    late = Lateness(
        np.array([0]), np.array([9]), np.array([longer + idle]), by, np.array([0]), np.array([1])
    )
    functions = (FunctionExcess("gemm", 6, 4.0, 1.0, 18.0),)
    monkeypatch.setattr(blaming, "_functions", lambda *given: functions)
    one = blaming._explained(job, waits(job), roles(job), cast(Any, None), late, 2)
    assert (one.main, one.functions) == (main, functions if told else ())


@pytest.mark.parametrize(("idle", "told"), [(1.0, True), (0.0, False), (-5.0, False)])
def test_reasons_are_told_where_idle_time_made_the_rank_late(
    idle: float, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(*(made(100_000, 100_000) for _ in range(3)))
    by = {cause: np.array([0.0]) for cause in CAUSES} | {"idle": np.array([idle])}
    late = Lateness(np.array([0]), np.array([9]), np.array([900.0]), by, *windows((0, 1)))
    parts = (IdlePart("call", "the host called", 4.0),)
    monkeypatch.setattr(blaming, "_idle", lambda *given: parts)
    one = blaming._explained(job, waits(job), roles(job), cast(Any, None), late, 2)
    assert one.idle == (parts if told else ())


@pytest.mark.parametrize(("longer", "main"), [(500.0, "ran longer"), (499.0, "")])
def test_what_explains_half_is_the_main_cause(
    longer: float, main: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(*(made(100_000, 100_000) for _ in range(3)))
    by = {cause: np.array([0.0]) for cause in CAUSES} | {"ran longer": np.array([longer])}
    late = Lateness(np.array([0]), np.array([9]), np.array([1_000.0]), by, *windows((0, 1)))
    functions = (FunctionExcess("gemm", 6, 4.0, 1.0, 18.0),)
    monkeypatch.setattr(blaming, "_functions", lambda *given: functions)
    one = blaming._explained(job, waits(job), roles(job), cast(Any, None), late, 2)
    assert (one.main, one.late_ns) == (main, 1_000.0)


def test_a_function_is_held_against_the_peers_that_run_it() -> None:
    """One peer does not run gemm, and nobody else runs the function that the rank has alone."""
    functions = ({}, {"gemm": (2, 2_000)}, {"gemm": (2, 4_000), "alone": (1, 50), "none": (0, 0)})
    ranks = [SimpleNamespace(facts=SimpleNamespace(functions=one)) for one in functions]
    found = _functions(cast(Any, SimpleNamespace(ranks=ranks)), ONE_ROLE, 2)
    assert found == (FunctionExcess("gemm", 2, 2_000.0, 1_000.0, 2_000.0),)


def test_five_functions_are_told_those_that_cost_most_first() -> None:
    def named(longer: int) -> dict[str, tuple[int, int]]:
        return {f"f{k}": (1, 1_000 + longer * (100 + k)) for k in range(6)}

    ranks = [SimpleNamespace(facts=SimpleNamespace(functions=named(k))) for k in (0, 0, 1)]
    found = _functions(cast(Any, SimpleNamespace(ranks=ranks)), ONE_ROLE, 2)
    assert [(one.name, one.extra_ns) for one in found] == [
        (f"f{k}", 100.0 + k) for k in (5, 4, 3, 2, 1)
    ]


def test_a_rank_that_came_no_later_than_its_peers_has_no_main_cause() -> None:
    job = job_of(*(made(100_000, 100_000) for _ in range(3)))
    by = {cause: np.array([0.0]) for cause in CAUSES}
    late = Lateness(np.array([0]), np.array([9]), np.array([0.0]), by, *windows((0, 1)))
    one = blaming._explained(job, waits(job), roles(job), cast(Any, None), late, 2)
    assert (one.main, one.held_up_by) == ("", None)
