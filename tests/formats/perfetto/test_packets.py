"""Packets as columns: what was packed inside them, what they inherit, and names by number."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.formats.perfetto.packets import CLEARED, default_track, names, packet

from lanescope.errors import InputError
from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.packets import InternedNames, Packets, _inflated, read_packets
from lanescope.formats.perfetto.wire import message, number
from lanescope.formats.proto_rows import ProtoFile
from lanescope.trace import MISSING


def read(folder: Path, *packets: bytes) -> Packets:
    (folder / "a.pftrace").write_bytes(b"".join(packets))
    return read_packets(ProtoFile.open(folder / "a.pftrace", "a trace"))


def zstd(data: bytes) -> bytes:
    return pa.compress(data, codec="zstd", asbytes=True)


PACKERS = {f.PACKET_COMPRESSED: zlib.compress, f.PACKET_COMPRESSED_ZSTD: zstd}
packers = pytest.mark.parametrize(("field", "pack"), PACKERS.items(), ids=["zlib", "zstd"])
Pack = Callable[[bytes], bytes]


@packers
def test_packed_packets_stand_where_they_were_packed(
    tmp_path: Path, field: int, pack: Pack
) -> None:
    def packed(*inner: bytes) -> bytes:
        return packet(message(field, pack(b"".join(inner))))

    found = read(
        tmp_path,
        packed(packet(at=1), packet(at=2, sequence=7)),
        packet(at=3),
        packet(at=4),
        packed(packet(at=5)),
        packed(),
        packed(packet(at=6)),
        packet(at=7),
    )
    assert found.time.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert found.sequence.tolist() == [1, 7, 1, 1, 1, 1, 1]


@packers
def test_damaged_packed_packets_are_told_with_their_place(
    tmp_path: Path, field: int, pack: Pack
) -> None:
    before = packet(at=1)
    damaged = message(field, b"?" + pack(b"x" * 50)[1:])
    with pytest.raises(InputError) as caught:
        read(tmp_path, before, packet(damaged))
    problem = caught.value.problem
    begin = (before + packet(damaged)).index(b"?")
    assert problem.startswith(f"byte {begin}: packets inside a packet cannot be unpacked (")
    assert problem.endswith("); the file is damaged")


@packers
def test_packed_packets_may_not_grow_too_much_together(
    tmp_path: Path, field: int, pack: Pack
) -> None:
    """Each takes three quarters of what a file of this size may unpack to."""
    bomb = packet(message(field, pack(packet(message(999, bytes(800_000))))))
    assert len(read(tmp_path, bomb).time) == 1
    with pytest.raises(InputError) as caught:
        read(tmp_path, bomb, bomb)
    assert caught.value.problem == "unpacks to more than 200 times its size, so it was refused"


@packers
def test_packed_packets_may_grow_to_the_limit_and_not_a_byte_more(
    tmp_path: Path, field: int, pack: Pack
) -> None:
    raw = pack(b"x" * 100)
    (tmp_path / "a").write_bytes(b"??" + raw)
    file, place = ProtoFile.open(tmp_path / "a", "a trace"), [2, len(raw)]
    zlib_at, zstd_at = (place, [-1, 0]) if pack is zlib.compress else ([-1, 0], place)
    assert _inflated(file, zlib_at, zstd_at, 100) == b"x" * 100
    for limit in (99, 1, 0, -5):
        with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
            _inflated(file, zlib_at, zstd_at, limit)


def test_a_sequence_begins_a_new_generation_where_it_is_cleared(tmp_path: Path) -> None:
    cleared = number(f.PACKET_STATE_CLEARED, 1)
    found = read(
        tmp_path,
        packet(CLEARED),
        packet(sequence=2),
        packet(),
        packet(CLEARED),
        packet(sequence=2),
        packet(cleared),
        packet(number(f.PACKET_SEQUENCE_FLAGS, 2)),
    )
    one, other = found.generation[[0, 2, 3, 5, 6]], found.generation[[1, 4]]
    assert np.unique(one, return_inverse=True)[1].tolist() == [0, 0, 1, 2, 2]
    assert len(set(other.tolist())) == 1
    assert not set(one.tolist()) & set(other.tolist())


def test_a_packet_has_the_last_defaults_of_its_generation(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        packet(),
        packet(default_track(5)),
        packet(sequence=2),
        packet(default_track(6)),
        packet(),
        packet(CLEARED),
        packet(default_track(7), sequence=2),
    )
    assert found.default_track.tolist() == [0, 5, 0, 6, 6, 0, 7]


def test_a_packet_without_a_clock_has_that_of_its_defaults(tmp_path: Path) -> None:
    defaults = message(f.PACKET_DEFAULTS, number(f.DEFAULTS_CLOCK_ID, 3))
    found = read(tmp_path, packet(defaults), packet(at=5), packet(at=6, clock=9), packet())
    assert (found.time.tolist(), found.unknown_clock) == ([MISSING, 5, 6, MISSING], 2)


def test_a_name_is_known_in_its_generation_only(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        packet(CLEARED, names(_2="two", _9="nine")),
        packet(names(_4="four")),
        packet(CLEARED, names(_2="other")),
        packet(names(_2="later")),
    )
    told = InternedNames(found, f.INTERNED_EVENT_NAME)
    first, second = found.generation[[0, 2]].tolist()

    def named(generation: int, *iids: int) -> list[str | None]:
        places = told.find(np.full(len(iids), generation), np.array(iids, np.int64)).tolist()
        return [told.texts[place] if place >= 0 else None for place in places]

    assert named(first, 2, 4, 9, 0, 3, 5, 10) == ["two", "four", "nine", None, None, None, None]
    assert named(second, 2, 4, 9) == ["later", None, None]
    assert named(second + 1, 2) == [None]


def test_without_names_no_number_has_one(tmp_path: Path) -> None:
    told = InternedNames(read(tmp_path, packet(CLEARED)), f.INTERNED_EVENT_NAME)
    one = np.ones(2, np.int64)
    assert told.find(one, one).tolist() == [-1, -1]
