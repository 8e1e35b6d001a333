"""Raw chunk files as traces."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.chunks.test_decoder import SAME, mark, stamp, state, stream

from lanescope.errors import InputError
from lanescope.formats.chip6.read import RawStream, read_chip6
from lanescope.trace import MISSING


def written(folder: Path, *words: int) -> RawStream:
    path = folder / "raw.bin"
    path.write_bytes(stream(*words))
    return RawStream(path, SAME, core=4, kind="aiv")


def test_times_count_from_the_first_stamp(tmp_path: Path) -> None:
    raw = written(tmp_path, *stamp(700), mark(1, 9, 5), *stamp(800), state(4, 1), state(0, 2))
    trace, _ = read_chip6(raw)
    assert (trace.meta.base_cycles, trace.meta.clock_hz) == (700, 10**9)
    assert trace.text("marks", "pipe") == ["cube", "vector"]
    assert trace.marks["start_ns"].tolist() == [101, 5]
    assert trace.marks["end_ns"].tolist() == [103, 5]
    assert trace.text("cores", "name") == ["aiv 4"]
    assert trace.meta.notes == ()


def test_a_bit_that_never_ends_is_in_the_ledger(tmp_path: Path) -> None:
    trace, _ = read_chip6(written(tmp_path, *stamp(700), state(4, 1)))
    assert trace.marks["end_ns"].tolist() == [MISSING]
    entry = trace.meta.ledger[1]
    assert (entry.total, entry.unmatched, entry.reason) == (1, 1, "1 have only one end")


def test_a_file_without_a_good_stamp_says_so(tmp_path: Path) -> None:
    trace, _ = read_chip6(written(tmp_path, mark(0, 1, 1)))
    assert len(trace.marks) == 0
    assert trace.meta.notes == ("The file has no good start stamp, so nothing in it has a time.",)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_chip6(RawStream(tmp_path / "none.bin", SAME))
