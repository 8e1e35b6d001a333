"""The spool: what was appended comes back, and nothing else, whatever happens to the file."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from lanescope.capture.spool import FrameKind, SpoolReader, SpoolWriter
from lanescope.errors import InputError
from lanescope.trace.locks import lock_now

PAYLOADS = [b"", b"x", b"head" * 10, bytes(range(256)) * 5, b"LSFR" * 30]


def written(path: Path) -> list[int]:
    """Where each frame ends."""
    ends = []
    writer = SpoolWriter(path)
    for payload in PAYLOADS:
        writer.append(FrameKind.BUFFERS, payload)
        ends.append(writer.bytes)
    writer.close()
    return ends


def payloads(reader: SpoolReader) -> list[bytes]:
    return [frame.payload.tobytes() for frame in reader.frames()]


def test_frames_come_back_as_they_were_appended(tmp_path: Path) -> None:
    written(tmp_path / "spool")
    reader = SpoolReader(tmp_path / "spool")
    assert payloads(reader) == PAYLOADS
    assert [frame.index for frame in reader.frames()] == [0, 1, 2, 3, 4]
    assert reader.damage == []


@pytest.mark.skipif(sys.platform == "win32", reason="recording needs Linux or macOS")
def test_a_spool_is_locked_until_it_is_closed(tmp_path: Path) -> None:
    """So nobody recovers it while it is written."""
    writer = SpoolWriter(tmp_path / "spool")
    other = os.open(tmp_path / "spool", os.O_RDONLY)
    try:
        with pytest.raises(BlockingIOError):
            lock_now(other)
        writer.close()
        lock_now(other)
    finally:
        os.close(other)


def test_a_spool_cut_at_any_byte_gives_every_whole_frame_before_the_cut(tmp_path: Path) -> None:
    ends = written(tmp_path / "spool")
    data = (tmp_path / "spool").read_bytes()
    cut = tmp_path / "cut"
    for size in range(8, len(data)):
        cut.write_bytes(data[:size])
        reader = SpoolReader(cut)
        # A frame is whole when its payload is; the padding after it may be cut off.
        whole = sum(end - -len(p) % 8 <= size for end, p in zip(ends, PAYLOADS, strict=True))
        assert payloads(reader) == PAYLOADS[:whole]
        inside = size > ends[whole - 1] if whole else size > 8
        assert bool(reader.damage) == inside


def test_any_flipped_bit_costs_its_own_frame_only_and_is_placed(tmp_path: Path) -> None:
    ends = written(tmp_path / "spool")
    starts = [8, *ends[:-1]]
    data = (tmp_path / "spool").read_bytes()
    bad = tmp_path / "bad"
    rng = random.Random(1)
    for _ in range(400):
        at, bit = rng.randrange(8, len(data)), 1 << rng.randrange(8)
        bad.write_bytes(data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :])
        hit = sum(end <= at for end in ends)
        reader = SpoolReader(bad)
        found = payloads(reader)
        unchecked = starts[hit] + 28 <= at < starts[hit] + 32 or at >= ends[hit] - (
            -len(PAYLOADS[hit]) % 8
        )
        if unchecked:  # the padding and the header's spare word carry nothing
            assert found == PAYLOADS
            continue
        assert found == PAYLOADS[:hit] + PAYLOADS[hit + 1 :]
        assert reader.damage[0].offset == starts[hit]


def test_garbage_between_frames_is_skipped_and_named(tmp_path: Path) -> None:
    ends = written(tmp_path / "spool")
    data = (tmp_path / "spool").read_bytes()
    (tmp_path / "bad").write_bytes(data[: ends[1]] + b"garbage!" * 3 + data[ends[1] :])
    reader = SpoolReader(tmp_path / "bad")
    assert payloads(reader) == PAYLOADS
    [damage] = reader.damage
    assert (damage.offset, damage.size) == (ends[1], 24)
    assert damage.problem == "no frame begins here"


@pytest.mark.parametrize("data", [b"", b"LSSPOO", b"PAR1\0\0\0\0", b"LSSPOOL2"])
def test_another_file_is_no_spool(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "spool").write_bytes(data)
    with pytest.raises(InputError, match="expected a spool, which begins with LSSPOOL1"):
        SpoolReader(tmp_path / "spool")


def test_an_existing_spool_is_never_written_over(tmp_path: Path) -> None:
    written(tmp_path / "spool")
    with pytest.raises(FileExistsError):
        SpoolWriter(tmp_path / "spool")
