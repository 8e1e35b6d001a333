"""A stored trace is what was written, or it says so: sizes, footers, pages, every single bit."""

from __future__ import annotations

import random
import shutil
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import lanescope
from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.trace import Meta, Table, Trace, Words, load, open_lazily, save
from lanescope.trace.integrity import _footer_crc32, damaged_files


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = Words()
    rng = np.random.default_rng(3)
    start = np.cumsum(rng.integers(1, 5000, 400))
    tasks = Table.build(
        "tasks",
        {
            "task": np.arange(400),
            "kind": np.full(400, words.code("run"), np.int32),
            "core": np.repeat(np.arange(4, dtype=np.int32), 100),
            "start_ns": start,
            "end_ns": start + rng.integers(1, 900, 400),
        },
    )
    meta = Meta(name="a", tool="a test", origin="imported")
    trace = Trace(meta=meta, tasks=tasks, words=words.freeze())
    return save(trace, tmp_path_factory.mktemp("stored") / "a.lanes")


def copied(stored: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(stored, target)
    return target


def content(trace: Trace) -> tuple[object, ...]:
    tasks = trace.tasks
    columns = tuple(tasks[name].tobytes() for name in ("task", "core", "start_ns", "end_ns"))
    return (*columns, tasks.text("kind"), trace.meta)


def test_a_whole_trace_is_whole(stored: Path) -> None:
    assert damaged_files(stored) == {}
    assert lanescope.verify(stored).whole
    assert len(lanescope.verify(stored).files) == len(list(stored.iterdir())) - 1


@pytest.mark.parametrize("name", ["tasks.parquet", "functions.parquet", "meta.json"])
def test_no_single_bit_changes_an_answer_unseen(stored: Path, tmp_path: Path, name: str) -> None:
    good = content(load(stored))
    size = (stored / name).stat().st_size * 8
    chance = random.Random(11)
    seen = {"same": 0, "refused": 0, "noted": 0}
    for bit in chance.sample(range(size), 150):
        place = copied(stored, tmp_path / "b.lanes")
        data = bytearray((place / name).read_bytes())
        data[bit // 8] ^= 1 << bit % 8
        (place / name).write_bytes(bytes(data))
        assert set(damaged_files(place)) == {name}
        try:
            trace = load(place)
        except InputError:
            seen["refused"] += 1
            continue
        if "meta.json was changed after the trace was written." in trace.meta.notes:
            seen["noted"] += 1
            continue
        assert content(trace) == good
        seen["same"] += 1
    assert seen["refused"] + seen["noted"] > 60


def test_a_page_is_checked_when_its_column_is_read(stored: Path, tmp_path: Path) -> None:
    place = copied(stored, tmp_path / "b.lanes")
    file = place / "tasks.parquet"
    data = bytearray(file.read_bytes())
    good, found = load(stored).tasks["start_ns"], 0
    for at in range(4, len(data) - 2000, 97):
        changed = bytearray(data)
        changed[at] ^= 0xFF
        file.write_bytes(bytes(changed))
        try:
            assert (open_lazily(place).tasks["start_ns"] == good).all()
        except InputError:
            found += 1
    assert found > 0


@pytest.mark.parametrize("bytes_left", [0, 100, -1])
def test_a_cut_table_is_refused_before_it_is_read(
    stored: Path, tmp_path: Path, bytes_left: int
) -> None:
    place = copied(stored, tmp_path / "b.lanes")
    file = place / "tasks.parquet"
    file.write_bytes(file.read_bytes()[:bytes_left])
    with pytest.raises(InputError, match=r"is damaged \(it has [\d,]+ bytes, [\d,]+ were written"):
        load(place)


def test_a_table_that_is_gone_is_missed_though_older_traces_lack_it(
    stored: Path, tmp_path: Path
) -> None:
    place = copied(stored, tmp_path / "b.lanes")
    (place / "collectives.parquet").unlink()
    with pytest.raises(InputError, match="is missing from the trace"):
        load(place)
    assert damaged_files(place) == {"collectives.parquet": "is missing"}


def test_a_trace_without_checksums_is_read_and_not_verified(stored: Path, tmp_path: Path) -> None:
    place = copied(stored, tmp_path / "b.lanes")
    (place / "checksums.json").unlink()
    assert content(load(place)) == content(load(stored))
    with pytest.raises(InputError, match="has no checksums"):
        lanescope.verify(place)


def test_damaged_checksums_are_said_so(stored: Path, tmp_path: Path) -> None:
    place = copied(stored, tmp_path / "b.lanes")
    (place / "checksums.json").write_text("{")
    with pytest.raises(InputError, match=r"checksums.json: is damaged"):
        load(place)


def test_the_command_names_the_damaged_file(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = copied(stored, tmp_path / "b.lanes")
    assert main(["verify", str(place)]) == 0
    assert "files are as they were written" in capsys.readouterr().out
    data = bytearray((place / "tasks.parquet").read_bytes())
    data[50] ^= 1
    (place / "tasks.parquet").write_bytes(bytes(data))
    assert main(["verify", str(place)]) == 1
    assert capsys.readouterr().out == (
        f"{place}: tasks.parquet has the right size and another content\n"
    )


def test_a_place_that_is_neither_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no trace"):
        lanescope.verify(tmp_path)
    with pytest.raises(InputError, match="both are directories"):
        lanescope.verify(tmp_path / "nothing")


def test_a_footer_is_as_long_as_its_file_says() -> None:
    """The checksum covers the footer, its length and the magic number; not what is before it."""

    def summed(before: bytes, length: int) -> int:
        data = before + b"footer" + length.to_bytes(4, "little") + b"PAR1"
        return _footer_crc32(pa.BufferReader(data))

    assert summed(b"rows", 6) == summed(b"ROWS", 6) == zlib.crc32(b"footer\6\0\0\0PAR1")
    assert summed(b"rows", 7) != summed(b"rowS", 7)
    for beyond in (1 << 24, 1 << 31):
        assert summed(b"rows", beyond) != summed(b"ROWS", beyond)
    assert _footer_crc32(pa.BufferReader(b"abc")) == zlib.crc32(b"abc")
