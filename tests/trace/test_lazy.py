"""A stored trace opened lazily is the loaded one, column by column, and says what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.viewer.traces import small

from lanescope.errors import InputError
from lanescope.trace import SCHEMA, load, open_lazily, save
from lanescope.trace.table import LazyColumns


def test_every_column_is_that_of_the_loaded_trace(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    eager, lazy = load(tmp_path / "a.lanes"), open_lazily(tmp_path / "a.lanes")
    assert (lazy.meta, lazy.words) == (eager.meta, eager.words)
    for name, schema in SCHEMA.items():
        assert len(lazy.table(name)) == len(eager.table(name))
        for column in schema.columns:
            found, wanted = lazy.table(name)[column.name], eager.table(name)[column.name]
            assert found.dtype == wanted.dtype
            assert np.array_equal(found, wanted, equal_nan=column.type == "f64")


def test_a_column_is_read_once_and_again_after_it_was_forgotten(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    tasks = open_lazily(tmp_path / "a.lanes").tasks
    first = tasks["start_ns"]
    assert tasks["start_ns"] is first and not first.flags.writeable
    tasks.forget("start_ns")
    again = tasks["start_ns"]
    assert again is not first and np.array_equal(again, first)


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    lazy = open_lazily(tmp_path / "a.lanes")
    (tmp_path / "a.lanes" / "tasks.parquet").unlink()
    assert len(lazy.tasks) == 32
    with pytest.raises(InputError, match="is missing from the trace"):
        lazy.tasks["start_ns"]


def test_bounds_come_from_the_file_and_are_those_of_the_columns(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    eager, lazy = load(tmp_path / "a.lanes"), open_lazily(tmp_path / "a.lanes")
    for name, schema in SCHEMA.items():
        table = lazy.table(name)
        assert isinstance(table.columns, LazyColumns)
        for column in schema.columns:
            if column.type in ("i64", "i32"):
                assert table.bounds(column.name) == eager.table(name).bounds(column.name)
        assert table.columns.bounds.keys().isdisjoint(table.columns._kept)


def test_bounds_of_a_file_in_parts_are_those_of_all_parts(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    file = tmp_path / "a.lanes" / "tasks.parquet"
    pq.write_table(pq.read_table(file), file, row_group_size=5)
    (file.parent / "checksums.json").unlink()
    eager, lazy = load(tmp_path / "a.lanes").tasks, open_lazily(tmp_path / "a.lanes").tasks
    assert lazy.bounds("end_ns") == eager.bounds("end_ns")
    assert lazy.bounds("core") == eager.bounds("core")


def test_bounds_that_a_file_does_not_state_are_read(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    file = tmp_path / "a.lanes" / "tasks.parquet"
    pq.write_table(pq.read_table(file), file, write_statistics=False)
    (file.parent / "checksums.json").unlink()
    lazy = open_lazily(tmp_path / "a.lanes").tasks
    assert isinstance(lazy.columns, LazyColumns)
    assert lazy.columns.bounds == {}
    assert lazy.bounds("end_ns") == load(tmp_path / "a.lanes").tasks.bounds("end_ns")


def test_asking_whether_a_column_is_there_does_not_read_it(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    columns = open_lazily(tmp_path / "a.lanes").tasks.columns
    (tmp_path / "a.lanes" / "tasks.parquet").unlink()
    assert "start_ns" in columns
    assert "speed" not in columns


def test_a_table_can_be_cut(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.lanes")
    tasks = open_lazily(tmp_path / "a.lanes").tasks.rows(np.array([3, 1]))
    assert not isinstance(tasks.columns, LazyColumns)
    assert tasks["token"].tolist() == [3, 1]


def test_a_missing_trace_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such trace"):
        open_lazily(tmp_path / "none.lanes")
