"""SQLite files as columns: what is there is read, what is not there is missing."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.formats.sqlite_columns import open_sqlite
from lanescope.trace import MISSING


def file(folder: Path) -> Path:
    path = folder / "a b?.db"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "t x" (a, b TEXT, c)')
    rows = [(1, "7", 0.5), (None, None, "far"), (3, "9", 2)]
    connection.executemany('INSERT INTO "t x" VALUES (?, ?, ?)', rows)
    connection.execute("CREATE TABLE names (id, value)")
    connection.executemany("INSERT INTO names VALUES (?, ?)", [(1, "one"), (2, None)])
    connection.commit()
    connection.close()
    return path


def test_columns_are_read_as_far_as_they_are_there(tmp_path: Path) -> None:
    with open_sqlite(file(tmp_path)) as found:
        columns = found.integers("t x", ("b", "a", "z"))
        assert {name: values.tolist() for name, values in columns.items()} == {
            "b": [7, MISSING, 9],
            "a": [1, MISSING, 3],
            "z": [MISSING] * 3,
        }
        assert found.integers("none", ("a",))["a"].tolist() == []
        assert np.array_equal(found.numbers("t x", "c"), [0.5, np.nan, 2], equal_nan=True)
        assert found.texts("names", "id", "value") == {1: "one"}
        assert (found.count("t x"), found.count("none")) == (3, 0)
        assert found.has("t x", "a") and not found.has("t x", "z")


def test_a_packed_file_is_read_alike(tmp_path: Path) -> None:
    packed = tmp_path / "a.db.gz"
    packed.write_bytes(gzip.compress(file(tmp_path).read_bytes()))
    with open_sqlite(packed) as found:
        assert found.integers("t x", ("a",))["a"].tolist() == [1, MISSING, 3]


def test_a_text_that_is_no_number_is_shown(tmp_path: Path) -> None:
    path = file(tmp_path)
    with open_sqlite(path) as found, pytest.raises(InputError) as refused:
        found.integers("t x", ("a", "c"))
    problem = "table t x, column 'c': a whole number was expected, found 'far'"
    assert str(refused.value) == f"{path}: {problem}"


def test_nothing_is_written_beside_the_file(tmp_path: Path) -> None:
    path = file(tmp_path)
    before = path.read_bytes()
    with open_sqlite(path) as found:
        found.count("names")
        assert [one.name for one in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 500)
    with pytest.raises(InputError) as refused, open_sqlite(path):
        pass
    assert "cannot be read as an SQLite database" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_wrong_is_one_line_whatever_a_table_is_called(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "a\nb\x1b[31m" (x)')
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE ('")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match=r"\(malformed database schema \(a b \[31m\)") as raised:
        open_sqlite(path).__enter__()
    assert "\n" not in str(raised.value)
    assert "\x1b" not in str(raised.value)
