"""Numbers that a profiler counted: by how much they differ, and how rows are numbered anew."""

from __future__ import annotations

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs import counted
from lanescope.jobs.counted import _note, _positions, _renumbered, _scatter, _shift
from lanescope.trace.table import Array

ENDS = 100_000 * np.arange(800) + np.random.default_rng(5).integers(0, 60_000, 800)
"""About every 100 µs; a wrong shift is as wrong as any other."""


def shift(first: slice, second: slice, kinds: tuple[Array, Array] | None = None) -> int:
    """Two ranks recorded these of the same operations, and both count from 0."""
    parts = ENDS[first], ENDS[second] + 7_000_000
    kind = kinds or tuple(np.zeros(len(one), np.int64) for one in parts)
    columns = {
        "end": np.concatenate(parts),
        "sequence": np.concatenate([np.arange(len(one)) for one in parts]),
        "kind": np.concatenate(kind),
    }
    rows = np.arange(len(columns["end"]))
    return _shift(columns, rows[: len(parts[0])], rows[len(parts[0]) :])


def test_a_recording_that_begins_later_is_shifted_by_what_it_missed() -> None:
    assert shift(slice(3, 40), slice(0, 40)) == 3
    assert shift(slice(0, 40), slice(5, 40)) == -5
    assert shift(slice(0, 40), slice(0, 40)) == 0


@pytest.mark.parametrize(("late", "found"), [(31, 31), (32, 0)])
def test_recordings_of_one_length_begin_less_than_32_operations_apart(
    late: int, found: int
) -> None:
    assert shift(slice(late, late + 100), slice(0, 100)) == found
    assert shift(slice(0, 100), slice(late, late + 100)) == -found


@pytest.mark.parametrize("seed", [0, 2, 5, 9, 10, 12, 13, 15])
def test_the_last_shift_that_is_tried_is_not_believed(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """33 is right; of ends that wander so, 32 leaves less than a quarter of what 0 leaves."""
    wandering = np.cumsum(np.random.default_rng(seed).integers(0, 200_000, 200))
    monkeypatch.setattr(f"{__name__}.ENDS", wandering)
    assert shift(slice(33, 133), slice(0, 100)) == 0
    assert shift(slice(31, 131), slice(0, 100)) == 31


@pytest.mark.parametrize(("late", "found"), [(511, 511), (512, 0)])
def test_recordings_begin_less_than_512_operations_apart(late: int, found: int) -> None:
    assert shift(slice(late, 700), slice(0, 700)) == found


@pytest.mark.parametrize(("count", "found"), [(4, 2), (3, 0)])
def test_three_operations_tell_nothing(count: int, found: int) -> None:
    assert shift(slice(2, 2 + count), slice(0, 20)) == found


@pytest.mark.parametrize(("late", "found"), [(5, 5), (6, 0)])
def test_half_of_the_shorter_recording_must_be_in_both(late: int, found: int) -> None:
    assert shift(slice(late, late + 10), slice(0, 10)) == found


def test_an_operation_is_never_one_of_another_kind() -> None:
    """Operation 4 has another kind on one rank, so the right shift is impossible."""
    kinds = np.zeros(40, np.int64)
    changed = kinds.copy()
    changed[4] = 1
    assert shift(slice(3, 40), slice(0, 40), (changed[3:], kinds)) == 0
    assert shift(slice(3, 40), slice(0, 40), (changed[3:], changed)) == 3


@pytest.mark.parametrize(("least", "found"), [(2.0, 0), (1.9, 1)])
def test_a_shift_that_leaves_less_than_a_quarter_of_the_scatter_is_believed(
    least: float, found: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 8 operations shifts of -4 to 4 leave 4 or more in common; 0 is in the middle."""
    scatter = np.array([9.0, 9.0, 9.0, 9.0, 8.0, least, 9.0, 9.0, 9.0])
    monkeypatch.setattr(counted, "_scatter", lambda *given: scatter)
    assert shift(slice(0, 8), slice(0, 8)) == found


def test_a_row_stands_where_its_number_is_and_behind_the_last_where_it_comes() -> None:
    found = _positions(np.array([9, 10, 12, 13, 14, 15]), np.array([10, 11, 13]))
    assert found.tolist() == [-1, 0, -1, 2, 4, 5]


def test_scatter_is_the_median_distance_from_a_line() -> None:
    """Differences of 0, 0, 0, -4 at -15, -5, 5, 15 ns: a slope of -0.12, distances of 0.6 to 2.2.

    The last end is not inside, and does not count.
    """
    end = np.array([0.0, 10.0, 20.0, 30.0, 999.0])
    reference = np.array([1_000.0, 1_010.0, 1_020.0, 1_034.0, 7.0])
    inside = np.array([[True] * 4 + [False], [True] * 3 + [False] * 2])
    found = _scatter(end, reference, np.tile(np.arange(5), (2, 1)), inside)
    assert found.tolist() == pytest.approx([1.2, 0.0])


def test_rows_take_the_numbers_of_the_reference_where_that_has_them() -> None:
    sequence = np.array([10, 11, 13, 14, 9, 10, 11, 14, 15])
    found = _renumbered(sequence, np.arange(4, 9), np.arange(4), 1)
    assert found.tolist() == [11, 11, 13, 15, 16]


def test_a_group_of_one_rank_and_a_rank_that_is_right_are_left_alone() -> None:
    """Of the second group ranks 1 and 3 begin later, and the longest recording is the measure."""
    ends = ENDS[:40].tolist()

    def rows(first: int, group: str) -> list[Row]:
        return [
            Row(k, end - 1_000, end, group, matched="group") for k, end in enumerate(ends[first:])
        ]

    job = job_of(
        Made([*rows(0, "alone"), *rows(0, "b")]),
        Made(rows(3, "b")),
        Made(rows(0, "b")[:39]),
        Made(rows(2, "b")),
    )
    arrivals = job.arrivals
    assert arrivals.notes == (
        "Operations of b were counted from different moments; numbers were moved so that the ends "
        "agree: rank 1 by +3, rank 3 by +2.",
    )
    assert arrivals.present.tolist() == [2, 2, 3, *[4] * 36, 3]
    assert np.ptp(np.maximum.reduceat(arrivals.end, arrivals.first[:-1]) - ENDS[:40]) == 0


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, "rank 0 by -1"),
        (4, "rank 0 by -1, rank 1 by +0, rank 2 by +1, rank 3 by +2"),
        (5, "rank 0 by -1, rank 1 by +0, rank 2 by +1, rank 3 by +2 and 1 more"),
    ],
)
def test_four_ranks_are_named(count: int, told: str) -> None:
    assert _note("g", [(k, k - 1) for k in range(count)]) == (
        "Operations of g were counted from different moments; numbers were moved so that the ends "
        f"agree: {told}."
    )
