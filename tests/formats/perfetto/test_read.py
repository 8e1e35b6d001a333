"""Perfetto traces by hand: tracks, slices, names, flows, counters, clocks; and damaged ones."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import numpy as np
import pytest
from tests.formats.perfetto.packets import (
    CLEARED,
    default_track,
    event,
    flow,
    legacy,
    names,
    packet,
    snapshot,
    track,
)
from tests.formats.perfetto_engine import query
from tests.formats.simpler.runs import rows

from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.formats.drawn import KEY
from lanescope.formats.look import FileLook
from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto import read as reading
from lanescope.formats.perfetto.read import _greatest_field, _varint, recognises
from lanescope.formats.perfetto.wire import message, number, tag
from lanescope.trace import LedgerEntry, Trace

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def perfetto(folder: Path, *packets: bytes, name: str = "a.pftrace") -> Trace:
    (folder / name).write_bytes(b"".join(packets))
    return import_trace(folder / name)


def slices(trace: Trace) -> list[tuple[object, ...]]:
    lanes, functions = trace.text("cores", "name"), trace.text("functions", "name")
    return [
        (lanes[core], functions[func], start, end, depth)
        for core, func, start, end, depth in rows(
            trace, "tasks", "core", "func", "start_ns", "end_ns", "depth"
        )
    ]


def test_begins_and_ends_are_slices_of_their_track(tmp_path: Path) -> None:
    trace = perfetto(
        tmp_path,
        packet(track(5, process=(70, "python")), CLEARED),
        packet(track(6, thread=(70, 71, "main"))),
        packet(event(BEGIN, "outer", track=6), at=1000),
        packet(event(BEGIN, "inner", track=6), at=1200),
        packet(event(BEGIN, "lost", track=6), at=1900),
        packet(event(END, track=6), at=1300),
        packet(event(END, track=6), at=1800),
        packet(event(INSTANT, "now", track=5), at=1500),
    )
    assert slices(trace) == [("main", "outer", 0, 800, 0), ("main", "inner", 200, 300, 1)]
    assert rows(trace, "cores", "name", "kind", "lane", "process") == [
        ("python", "python", "track", 70),
        ("main", "python", "track", 70),
    ]
    assert rows(trace, "marks", "core", "pipe", "name", "start_ns") == [(0, "instant", "now", 500)]
    assert trace.meta.ledger == (LedgerEntry("all lanes", "slice", 3, 2, unmatched=1),)


def test_names_are_numbers_that_a_sequence_may_use_again_for_others(tmp_path: Path) -> None:
    def pair(iid: int, at: int, sequence: int) -> list[bytes]:
        begin = packet(event(BEGIN, iid), at=at, sequence=sequence)
        return [begin, packet(event(END), at=at + 5, sequence=sequence)]

    trace = perfetto(
        tmp_path,
        packet(CLEARED, names(_1="gemm", _2="copy"), default_track(10), track(10, "one")),
        packet(CLEARED, names(_1="other"), default_track(20), track(20, "two"), sequence=2),
        *pair(1, 100, 1),
        *pair(1, 100, 2),
        packet(CLEARED, names(_1="gemm again"), default_track(10)),
        *pair(1, 200, 1),
        *pair(2, 300, 1),
    )
    assert slices(trace) == [
        ("one", "gemm", 0, 5, 0),
        ("one", "gemm again", 100, 105, 0),
        ("one", "(no name)", 200, 205, 0),
        ("two", "other", 0, 5, 0),
    ]


def test_flows_join_slices_in_the_order_of_time(tmp_path: Path) -> None:
    def slice_(at: int, *flows: bytes) -> bytes:
        return packet(event(BEGIN, str(at), *flows), at=at) + packet(event(END), at=at + 5)

    trace = perfetto(
        tmp_path,
        packet(CLEARED, default_track(1), track(1, "t")),
        slice_(10, flow(f.EVENT_FLOW, 7), number(f.EVENT_FLOW_OLD, 9)),
        slice_(20, flow(f.EVENT_TERMINATING_FLOW, 7)),
        slice_(30, flow(f.EVENT_FLOW, 7)),
        slice_(40, flow(f.EVENT_FLOW, 7), number(f.EVENT_TERMINATING_FLOW_OLD, 9)),
    )
    assert sorted(rows(trace, "edges", "pred", "succ", "kind")) == [
        (0, 1, "flow"),
        (0, 3, "flow"),
        (2, 3, "flow"),
    ]


def test_events_of_older_writers_are_read_too(tmp_path: Path) -> None:
    trace = perfetto(
        tmp_path,
        packet(CLEARED, default_track(1), track(1, "t")),
        packet(event(0, "X", legacy("X", duration_us=3, bind_id=8)), at=1000),
        packet(event(0, "b", legacy("b", local_id=5)), at=2000),
        packet(event(0, "c", legacy("b", local_id=6)), at=3000),
        packet(event(0, "", legacy("e", local_id=5)), at=4000),
        packet(event(0, "", legacy("e", local_id=6)), at=5000),
        packet(event(0, "i", legacy("I")), at=6000),
        packet(event(0, "Y", legacy("X", duration_us=1, bind_id=8)), at=7000),
        packet(event(0, "odd", legacy("M")), at=7000),
    )
    found = [(name, start, end) for _, name, start, end, _ in slices(trace)]
    assert found == [
        ("X", 0, 3000),
        ("Y", 6000, 7000),
        ("b", 1000, 3000),
        ("c", 2000, 4000),
    ]
    assert rows(trace, "edges", "pred", "succ") == [(0, 1)]
    assert trace.text("marks", "name") == ["i"]
    assert trace.meta.notes == ("Not read: 1 track event of unknown type.",)


def test_counters_are_values_over_time(tmp_path: Path) -> None:
    def value(at: int, uuid: int, amount: int) -> bytes:
        return packet(event(COUNTER, 0, number(f.EVENT_COUNTER, amount), track=uuid), at=at)

    double = b"\xe1\x02" + b"\x00\x00\x00\x00\x00\x00\xf8\x3f"
    trace = perfetto(
        tmp_path,
        packet(CLEARED, track(1, "plain", counter=(1, 0))),
        packet(track(2, "sum", counter=(1000, 1))),
        value(10, 1, -4),
        value(11, 2, 3),
        value(12, 2, -1),
        packet(event(COUNTER, 0, double, track=1), at=15),
    )
    assert rows(trace, "counters", "name", "value", "time_ns") == [
        ("plain", -4.0, 0),
        ("sum", 3000.0, 1),
        ("sum", 2000.0, 2),
        ("plain", 1.5, 5),
    ]


def test_tracks_of_one_name_under_one_parent_are_one_lane(tmp_path: Path) -> None:
    def pair(uuid: int, at: int) -> bytes:
        begin = packet(event(BEGIN, "a", track=uuid), at=at)
        return begin + packet(event(END, track=uuid), at=at + 10)

    trace = perfetto(
        tmp_path,
        packet(CLEARED, track(1, "group")),
        *(packet(track(uuid, "requests", parent=1)) for uuid in (2, 3)),
        packet(track(4, "requests", parent=9)),
        pair(2, 10),
        pair(3, 15),
        pair(4, 20),
        pair(5, 30),
    )
    assert rows(trace, "cores", "name", "kind") == [
        ("requests", "group"),
        ("requests", "track"),
        ("track 5", "track"),
    ]
    assert trace.tasks["core"].tolist() == [0, 0, 1, 2]


def test_clocks_are_put_on_the_traces_own_and_on_utc(tmp_path: Path) -> None:
    utc = 1_771_595_639_000_000_000
    trace = perfetto(
        tmp_path,
        packet(snapshot((1, utc), (6, 500), (3, 100)), sequence=9),
        packet(CLEARED, snapshot((6, 1000), (64, 7, 1, 10)), default_track(1), track(1, "t")),
        packet(event(BEGIN, "a"), at=1, clock=64),
        packet(event(END), at=2, clock=64),
        packet(event(BEGIN, "b"), at=900, clock=3),
        packet(event(END), at=1400),
        packet(event(BEGIN, "c"), at=5000, clock=77),
        packet(event(END), at=5001, clock=77),
    )
    assert [row[1:4] for row in slices(trace)] == [
        ("a", 0, 20),
        ("b", 290, 390),
        ("c", 3990, 3991),
    ]
    assert trace.meta.epoch_ns == utc + 1010 - 500
    assert trace.meta.notes == (
        "Times of 2 packets were taken as they are: the file does not relate their clock to its "
        "own.",
    )


def test_packets_inside_packets_are_unpacked(tmp_path: Path) -> None:
    inner = packet(event(BEGIN, "a", track=1), at=10) + packet(event(END, track=1), at=12)
    trace = perfetto(
        tmp_path,
        packet(CLEARED, track(1, "t")),
        packet(message(f.PACKET_COMPRESSED, zlib.compress(inner))),
        packet(event(BEGIN, "b", track=1), at=20),
        packet(event(END, track=1), at=22),
    )
    assert [row[1:4] for row in slices(trace)] == [("a", 0, 2), ("b", 10, 12)]


SQL = """
    select t.name as lane, s.name, s.ts, s.dur, s.depth
    from slice s join track t on t.id = s.track_id order by t.name, s.ts, s.depth
"""


def test_slices_are_those_that_the_real_engine_finds(tmp_path: Path) -> None:
    """Twenty times random begins and ends on three tracks; what is open is closed at the end.

    They are in one file because the engine takes longer to start than to answer.
    """
    rng = random.Random(11)
    packets, now = [packet(CLEARED)], 1
    for example in range(20):
        tracks = range(1 + 3 * example, 4 + 3 * example)
        packets += [packet(track(uuid, f"t{uuid:02}")) for uuid in tracks]
        open_ = dict.fromkeys(tracks, 0)
        for _ in range(rng.randint(0, 30)):
            uuid, begins, wait = rng.choice(tracks), rng.random() < 0.5, rng.randint(0, 9)
            now += wait + 1
            begins = begins or not open_[uuid]
            open_[uuid] += 1 if begins else -1
            what = event(BEGIN, f"n{wait}", track=uuid) if begins else event(END, track=uuid)
            packets.append(packet(what, at=now))
        left = [uuid for uuid, count in open_.items() for _ in range(count)]
        packets += [packet(event(END, track=uuid), at=now + 5) for uuid in left]
        now += 10
    trace = perfetto(tmp_path, *packets)
    expected = [tuple(row.values()) for row in query(tmp_path / "a.pftrace", {"a": SQL})["a"]]
    first = min((row[2] for row in expected), default=0)
    shift = first - min((row[2] for row in slices(trace)), default=0)  # type: ignore[operator]
    found = [
        (lane, name, start + shift, end - start, depth)  # type: ignore[operator]
        for lane, name, start, end, depth in slices(trace)
    ]
    assert found == expected


GOOD = [
    packet(CLEARED, names(_1="gemm", _2="copy"), default_track(10), track(10, "one")),
    *(packet(event(BEGIN, 1, flow(f.EVENT_FLOW, k)), at=10 * k) for k in range(20)),
    *(packet(event(END), at=500 + k) for k in range(20)),
    packet(snapshot((1, 5), (6, 7))),
]


def outcome(path: Path, data: bytes) -> str:
    """Empty where the file is read; else why it is refused."""
    path.write_bytes(data)
    try:
        import_trace(path)
    except InputError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
        return error.problem
    return ""


def test_a_cut_or_mutated_file_is_refused_or_read(tmp_path: Path) -> None:
    data = b"".join(GOOD)
    rng = random.Random(5)
    refused = 0
    for cut in range(1, len(data), 37):
        refused += bool(outcome(tmp_path / "a.pftrace", data[:cut]))
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 5)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        refused += bool(outcome(tmp_path / "a.pftrace", bytes(broken)))
    assert refused > 100


def test_a_file_that_is_no_trace_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.pftrace").write_bytes(b"hello world")
    with pytest.raises(InputError) as caught:
        import_trace(tmp_path / "a.pftrace")
    assert caught.value.problem == "is not a Perfetto trace, as its name says: it has no packets"


@pytest.mark.parametrize("unit", [1, 1 << 40])
@pytest.mark.parametrize("value", [7, (1 << 62) + 5])
def test_a_clock_that_no_clock_shows_ends_in_a_sentence_or_a_trace(
    tmp_path: Path, unit: int, value: int
) -> None:
    packets = (
        packet(snapshot((1, value), (6, value, 0, unit)), sequence=9),
        packet(
            CLEARED, snapshot((6, value), (64, value, 1, unit)), default_track(1), track(1, "t")
        ),
        packet(event(BEGIN, "a"), at=5, clock=64),
        packet(event(END), at=9, clock=64),
    )
    try:
        trace = perfetto(tmp_path, *packets)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert abs(trace.meta.epoch_ns or 0) < 1 << 62


def bytes_of(*values: int) -> np.ndarray:
    return np.array(values, np.uint8)


@pytest.mark.parametrize(
    ("data", "at", "found"),
    [
        ((0x05, 0x01), 0, (5, 1)),
        ((0x80, 0x01), 0, (128, 2)),
        ((0xFF, 0x7F), 0, (0x3FFF, 2)),
        ((0x01, 0x82, 0x01), 1, (130, 3)),
        ((0x80,), 0, (0, 1)),
        ((), 0, (0, 0)),
        ((0x80,) * 10 + (1,), 0, (0, 10)),
        ((0x80,) * 9 + (1,), 0, (1 << 63, 10)),
    ],
)
def test_a_number_of_several_bytes(data: tuple[int, ...], at: int, found: tuple[int, int]) -> None:
    assert _varint(bytes_of(*data), at) == found


@pytest.mark.parametrize(
    ("data", "most"),
    [
        (b"", 0),
        (number(3, 300) + number(9, 1), 9),
        (number(9, 1) + number(3, 300), 9),
        (message(7, bytes(5)) + number(4, 1), 7),
        (tag(5, 1) + bytes(8) + number(6, 1), 6),
        (tag(5, 5) + bytes(4) + number(8, 1), 8),
        (tag(5, 0) + bytes([3]) + tag(6, 3), 0),
        (number(9, 1) + bytes([0]), 0),
    ],
)
def test_the_greatest_field_of_a_message(data: bytes, most: int) -> None:
    assert _greatest_field(np.frombuffer(data, np.uint8), 0, len(data)) == most


def known(path: Path, *packets: bytes) -> str | None:
    path.write_bytes(b"".join(packets))
    return recognises(FileLook(path))


def test_a_file_is_told_by_a_field_in_its_first_eight_packets(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    plane, own = message(f.TRACE_PACKET, number(2, 5)), packet()
    assert known(path, *[plane] * 7, own) == "perfetto"
    assert known(path, *[plane] * 8, own) is None
    assert known(path, message(f.TRACE_PACKET, number(f.PACKET_CLOCK_SNAPSHOT, 5))) is None
    assert known(path, message(f.TRACE_PACKET, number(f.PACKET_CLOCK_SNAPSHOT + 1, 5))) == (
        "perfetto"
    )
    assert known(path, plane, number(3, 1), own) is None
    assert known(path, b"x") is None


@pytest.mark.parametrize("name", ["a.pftrace", "a.perfetto-trace", "a.pftrace.gz"])
def test_a_file_that_only_its_name_calls_a_trace_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="is not a Perfetto trace, as its name says"):
        known(tmp_path / name, message(f.TRACE_PACKET, number(2, 5)))


def test_what_is_passed_over_is_noted(tmp_path: Path) -> None:
    other = message(1, number(1, 5))
    trace = perfetto(tmp_path, packet(CLEARED, track(1, "t")), packet(other), packet(other))
    assert trace.meta.notes == (
        "Not read: 2 packets with other data than track events, such as ftrace records.",
    )
    untimed = packet(event(BEGIN, "a", track=1))
    trace = perfetto(tmp_path, packet(CLEARED, track(1, "t")), packet(other), untimed, untimed)
    assert trace.meta.notes[0] == "Not read: 2 track events without a time."
    begin, end = packet(event(BEGIN, "a", track=1), at=1), packet(event(END, track=1), at=2)
    trace = perfetto(tmp_path, packet(CLEARED, track(1, "t")), packet(other), begin, end)
    assert trace.meta.notes == ()


def test_a_file_of_too_many_tracks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_MANY_TRACKS", 2)
    packets = [
        packet(event(BEGIN, "a", track=1), at=1) + packet(event(END, track=1), at=2),
        packet(event(INSTANT, "b", track=2), at=3),
    ]
    assert len(perfetto(tmp_path, packet(CLEARED), *packets).cores) == 2
    packets.append(packet(event(INSTANT, "c", track=3), at=3))
    with pytest.raises(InputError) as caught:
        perfetto(tmp_path, packet(CLEARED), *packets)
    assert caught.value.problem == "has 3 tracks, at most 2 are taken"


def test_described_tracks_come_in_the_order_of_the_file_then_the_others_by_number(
    tmp_path: Path,
) -> None:
    def pair(uuid: int) -> bytes:
        begin = packet(event(BEGIN, "a", track=uuid), at=1)
        return begin + packet(event(END, track=uuid), at=2)

    trace = perfetto(
        tmp_path,
        packet(CLEARED, track(9, "nine")),
        packet(track(5, "unused")),
        packet(track(3, "three")),
        *(pair(uuid) for uuid in (8, 3, 4, 9)),
    )
    assert trace.text("cores", "name") == ["nine", "three", "track 4", "track 8"]


def test_our_name_without_our_text_makes_no_file_ours(tmp_path: Path) -> None:
    trace = perfetto(
        tmp_path,
        packet(CLEARED, track(1, "t")),
        packet(event(BEGIN, "a", track=1), at=1),
        packet(event(END, track=1), at=2),
        packet(names(f.INTERNED_ANNOTATION_NAME, _1=KEY)),
    )
    assert [row[1:4] for row in slices(trace)] == [("a", 0, 1)]
