"""What is left in a region, in memory made by hand: which buffers are read, which are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lanescope.capture.gather import gather
from lanescope.capture.leftover import leftover_buffers
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import Region, RegionConfig, create_region

TWO_LANES = RegionConfig(
    flags=level_features(1),
    cores=(Core("aic"), Core("aiv")),
    clock_hz=1_000_000_000,
    buffers=4,
    buffer_records=8,
)


def region(folder: Path) -> Region:
    """A region whose first lane has published six buffers of eight records, and opened another."""
    own = create_region(folder / "region", TWO_LANES)
    lane = own.lanes[0]
    lane["published"], lane["opened"], lane["recorded"], lane["released"] = 6, 7, 51, 3
    for sequence in range(3, 7):
        at = int(lane["buffers"]) + sequence % 4 * int(lane["buffer_stride"])
        header = own.memory[at:][: layout("ls_buffer").itemsize].view(layout("ls_buffer"))[0]
        header["sequence"], header["lane"] = sequence, 0
        header["first"], header["count"] = 8 * sequence, 8 if sequence < 6 else 0
    return own


def left(own: Region, taken: int) -> tuple[list[tuple[int, int]], tuple[str, ...], frozenset[int]]:
    """The buffers of the first lane as (sequence, count), the problems, and the damaged lanes."""
    found = leftover_buffers(own.memory, own.head, np.array([taken, 0], np.uint64))
    buffers = gather([found.payload], own.head).buffers
    read = list(zip(buffers["sequence"].tolist(), buffers["count"].tolist(), strict=True))
    return read, found.problems, found.damaged


@pytest.mark.parametrize(("taken", "sequences"), [(3, [3, 4, 5, 6]), (5, [5, 6]), (6, [6])])
def test_what_was_not_taken_is_read_and_an_open_buffer_as_far_as_it_was_counted(
    tmp_path: Path, taken: int, sequences: list[int]
) -> None:
    expected = [(number, 8 if number < 6 else 3) for number in sequences]
    assert left(region(tmp_path), taken) == (expected, (), frozenset())


def test_buffers_that_were_given_back_unsaved_are_there_until_they_are_opened_again(
    tmp_path: Path,
) -> None:
    """Nobody saved what was taken, and the first three buffers have been overwritten."""
    read, problems, _ = left(region(tmp_path), 0)
    assert ([sequence for sequence, _ in read], problems) == ([3, 4, 5, 6], ())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("refused", 1),
        ("published", 4),  # fewer than were taken
        ("published", 8),  # more than were opened
        ("opened", 10),  # more than the ring has after what was given back
        ("recorded", 57),  # more than the opened buffers hold
        ("dropped", 1 << 56),  # more than anybody makes in years
        ("intruded", 1 << 63),
        ("mismatched", 1 << 56),
    ],
)
def test_a_lane_whose_counters_contradict_each_other_is_left_alone(
    tmp_path: Path, field: str, value: int
) -> None:
    own = region(tmp_path)
    own.lanes[field][0] = value
    assert left(own, 5) == (
        [],
        (
            "core 0: the counters of its lane contradict each other, so what is left in its "
            "buffers was not read",
        ),
        frozenset({0}),
    )


@pytest.mark.parametrize(("field", "value"), [("opened", 9), ("recorded", 56)])
def test_counters_at_their_limits_are_sound(tmp_path: Path, field: str, value: int) -> None:
    own = region(tmp_path)
    own.lanes[field][0] = value
    assert left(own, 5)[2] == frozenset()


@pytest.mark.parametrize(
    ("kind", "made", "taken", "sound"),
    [
        ("tensor", 5, 5, True),
        ("burst", 5, 6, False),  # more than were made
        ("tensor", 1 << 56, 0, False),
        ("slice", 0, 1 << 60, True),  # what a lane of slices is at lies there
    ],
)
def test_what_a_lane_counts_of_its_source_must_be_possible(
    tmp_path: Path, kind: str, made: int, taken: int, sound: bool
) -> None:
    own = region(tmp_path)
    lane, head = own.lanes[0], own.head
    lane["source_made"], lane["source_taken"] = made, taken
    head.lanes["kind"][0] = KINDS.index(kind)
    found = leftover_buffers(own.memory, head, np.array([6, 0], np.uint64))
    assert (0 not in found.damaged) == sound


@pytest.mark.parametrize(("field", "value"), [("sequence", 1), ("lane", 1), ("count", 9)])
def test_a_buffer_with_another_header_ends_its_lane(tmp_path: Path, field: str, value: int) -> None:
    own = region(tmp_path)
    lane = own.lanes[0]
    at = int(lane["buffers"]) + 5 % 4 * int(lane["buffer_stride"])
    own.memory[at:][: layout("ls_buffer").itemsize].view(layout("ls_buffer"))[field] = value
    read, problems, damaged = left(own, 4)
    assert (read, damaged) == ([(4, 8)], frozenset())
    assert problems == (
        "core 0: buffer 5 in the region has another one's header, so it was not read",
    )


@pytest.mark.parametrize(("recorded", "count"), [(40, 0), (48, 0), (55, 7), (56, 8)])
def test_an_open_buffer_has_between_none_and_all_of_its_records(
    tmp_path: Path, recorded: int, count: int
) -> None:
    own = region(tmp_path)
    own.lanes["recorded"][0] = recorded
    assert left(own, 6)[0] == [(6, count)]
