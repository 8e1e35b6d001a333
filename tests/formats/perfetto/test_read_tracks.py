"""What tracks are called, whose they are, and which of them are one lane."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.perfetto.packets import packet, track

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.packets import read_packets
from lanescope.formats.perfetto.read_tracks import Described, Descriptions, read_descriptions
from lanescope.formats.perfetto.wire import message, number, text
from lanescope.formats.proto_rows import ProtoFile
from lanescope.formats.tracks import Track


def described(folder: Path, *descriptors: bytes) -> dict[int, Described]:
    (folder / "a.pftrace").write_bytes(b"".join(packet(one) for one in descriptors))
    return read_descriptions(read_packets(ProtoFile.open(folder / "a.pftrace", "a trace"))).tracks


@pytest.mark.parametrize(
    ("one", "key"),
    [
        (Described(name="a", parent=3), (3, "a")),
        (Described(name="a"), (0, "a")),
        (Described(parent=3), 7),
        (Described(name="a", is_thread=True), 7),
        (Described(name="a", is_process=True), 7),
        (Described(name="a", merges=False), 7),
    ],
)
def test_plain_tracks_of_one_name_and_parent_are_one_lane(
    one: Described, key: tuple[int, str] | int
) -> None:
    assert Descriptions({7: one}).lane_key(7) == key
    assert Descriptions({7: one}).lane_key(8) == 8


@pytest.mark.parametrize(
    ("tracks", "shown"),
    [
        ({}, Track(name="track 7", group="", process=None)),
        ({7: Described(name="a")}, Track(name="a", group="", process=None)),
        (
            {7: Described(process=5, process_name="python", is_process=True)},
            Track(name="python", group="python", process=5),
        ),
        (
            {7: Described(process=5, process_name="python", is_thread=True)},
            Track(name="thread of python", group="python", process=5),
        ),
        (
            {7: Described(process=5, is_thread=True)},
            Track(name="thread of 5", group="", process=5),
        ),
        ({7: Described(process=5)}, Track(name="track 7", group="", process=5)),
        (
            {7: Described(name="main", process=5, process_name="python", is_thread=True)},
            Track(name="main", group="python", process=5),
        ),
        (
            {7: Described(name="a", parent=8), 8: Described(name="b", parent=9)},
            Track(name="a", group="b", process=None),
        ),
        (
            {
                7: Described(name="a", parent=8),
                8: Described(name="b", parent=9),
                9: Described(name="c", process=5, process_name="python", parent=10),
                10: Described(name="d"),
            },
            Track(name="a", group="python", process=5),
        ),
        (
            {7: Described(name="a", parent=8), 8: Described(name="b", parent=7)},
            Track(name="a", group="", process=None),
        ),
    ],
)
def test_a_track_is_named_after_itself_and_grouped_by_what_is_above(
    tracks: dict[int, Described], shown: Track
) -> None:
    assert Descriptions(tracks).track(7) == shown


def test_a_number_above_63_bits_is_shown_without_a_sign() -> None:
    assert Descriptions().track(-1).name == f"track {(1 << 64) - 1}"


def test_a_later_descriptor_adds_to_an_earlier_one(tmp_path: Path) -> None:
    no_merge = number(f.TRACK_SIBLING_MERGE, f.MERGE_NONE)
    found = described(
        tmp_path,
        track(1, "old", parent=4, counter=(1000, True)),
        track(1, "new"),
        message(f.PACKET_TRACK_DESCRIPTOR, number(f.TRACK_UUID, 1), no_merge),
        track(1, parent=5),
        track(2, "x", counter=(1000, True)),
        track(2, counter=(10, False)),
    )
    assert found == {
        1: Described(name="new", parent=5, merges=False, multiplier=1000, incremental=True),
        2: Described(name="x", multiplier=10),
    }


@pytest.mark.parametrize("field", [f.TRACK_NAME, f.TRACK_STATIC_NAME, f.TRACK_ATRACE_NAME])
def test_a_name_stands_in_one_of_three_fields(tmp_path: Path, field: int) -> None:
    head = number(f.TRACK_UUID, 1)
    found = described(tmp_path, message(f.PACKET_TRACK_DESCRIPTOR, head, text(field, "a")))
    assert found == {1: Described(name="a")}


def test_threads_and_processes_tell_their_numbers_and_names(tmp_path: Path) -> None:
    head = [number(f.TRACK_UUID, uuid) for uuid in range(9)]
    nameless = message(f.TRACK_THREAD, number(f.THREAD_PID, 70), number(f.THREAD_TID, 72))
    alone = message(f.TRACK_THREAD, number(f.THREAD_PID, 70))
    found = described(
        tmp_path,
        track(1, thread=(70, 71, "main")),
        track(2, "mine", thread=(70, 71, "main")),
        message(f.PACKET_TRACK_DESCRIPTOR, head[3], nameless),
        message(f.PACKET_TRACK_DESCRIPTOR, head[4], alone),
        track(5, process=(70, "python")),
        track(5, process=(70, "")),
        track(6, process=(80, "")),
    )
    assert found == {
        1: Described(name="main", is_thread=True, process=70, process_name="python"),
        2: Described(name="mine", is_thread=True, process=70, process_name="python"),
        3: Described(name="thread 72", is_thread=True, process=70, process_name="python"),
        4: Described(is_thread=True, process=70, process_name="python"),
        5: Described(is_process=True, process=70, process_name="python"),
        6: Described(is_process=True, process=80),
    }


@pytest.mark.parametrize(
    ("counter", "told"), [((0, 0), (1, False)), ((1000, 1), (1000, True)), ((2, 0), (2, False))]
)
def test_a_counter_tells_its_unit_and_whether_it_tells_differences(
    tmp_path: Path, counter: tuple[int, int], told: tuple[int, bool]
) -> None:
    [found] = described(tmp_path, track(1, "c", counter=counter)).values()
    assert (found.multiplier, found.incremental) == told
    [found] = described(tmp_path, track(1, "c")).values()
    assert (found.multiplier, found.incremental) == (1, False)
