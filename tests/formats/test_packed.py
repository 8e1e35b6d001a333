"""Packed files are read like plain ones."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.formats import import_paths

EXAMPLE = Path(__file__).parents[2] / "examples" / "small_run"
RECORDS = (EXAMPLE / "chip_swimlane_records.json").read_bytes()


def test_packed_json_is_read_like_plain_json(tmp_path: Path) -> None:
    (tmp_path / "records.json.gz").write_bytes(gzip.compress(RECORDS))
    (tmp_path / "deps.json.gz").write_bytes(gzip.compress((EXAMPLE / "deps.json").read_bytes()))
    (trace,) = import_paths([tmp_path])
    assert (int(trace.ran().sum()), len(trace.edges)) == (122, 127)


def test_a_named_packed_file_gives_its_name_without_endings(tmp_path: Path) -> None:
    event = b'{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}'
    (tmp_path / "chart.json.gz").write_bytes(gzip.compress(event))
    (trace,) = import_paths([tmp_path / "chart.json.gz"])
    assert trace.meta.name == "chart"


def test_a_cut_off_packed_file_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "records.json.gz").write_bytes(gzip.compress(RECORDS)[:-400])
    with pytest.raises(InputError, match=r"records\.json\.gz: cannot be unpacked"):
        import_paths([tmp_path])


def test_a_bomb_is_refused_before_it_fills_the_disk(tmp_path: Path) -> None:
    (tmp_path / "records.json.gz").write_bytes(gzip.compress(b" " * (64 << 20)))
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        import_paths([tmp_path])


def test_packed_lines_are_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "pmu.json.gz").write_bytes(gzip.compress(b"thread_id,core_id,task_id\n"))
    with pytest.raises(InputError, match="unpack it with gunzip"):
        import_paths([tmp_path])
