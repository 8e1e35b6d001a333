"""SQLite files as columns: what is there is read, what is not there is missing."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.formats import sqlite_columns
from lanescope.formats.sqlite_columns import open_sqlite, quoted
from lanescope.formats.sqlite_tables import open_tables
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


def made(folder: Path, *values: object) -> Path:
    """A table t with a column a of these values, and b that counts them."""
    path = folder / "made.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a, b)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(v, k) for k, v in enumerate(values)])
    connection.execute("CREATE VIEW v AS SELECT b AS c FROM t")
    connection.commit()
    connection.close()
    return path


def test_a_column_that_is_not_there_has_no_number_in_any_row(tmp_path: Path) -> None:
    with open_sqlite(made(tmp_path, 1, 2)) as found:
        assert np.isnan(found.numbers("t", "z")).tolist() == [True, True]
        assert found.numbers("none", "a").tolist() == []
        assert found.integers("v", ("c",))["c"].tolist() == [0, 1]
        assert found.integers("t", ("z",))["z"].tolist() == [MISSING, MISSING]


def test_an_empty_table_has_empty_columns(tmp_path: Path) -> None:
    with open_sqlite(made(tmp_path)) as found:
        assert found.integers("t", ("a",))["a"].tolist() == []
        assert found.numbers("t", "a").tolist() == []
        assert found.texts("t", "a", "b") == {}


def test_rows_come_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_columns, "_CHUNK", 2)
    with open_sqlite(made(tmp_path, 10, None, 12, 13, 14)) as found:
        columns = found.integers("t", ("a", "b"))
        assert columns["a"].tolist() == [10, MISSING, 12, 13, 14]
        assert columns["b"].tolist() == [0, 1, 2, 3, 4]
        assert found.numbers("t", "b").tolist() == [0, 1, 2, 3, 4]
        assert [len(chunk) for chunk in found.chunks("SELECT a FROM t")] == [2, 2, 1]
    with open_tables(made(tmp_path / "..", 10, "x", 12)) as tables:
        read = tables.read("t", ("a", "z"), reals=("b",), texts=("a",))
        assert read["a"].tolist() == [MISSING if k == 1 else 10 + k for k in range(3)]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "table t, column 'a': a whole number was expected, found ''"),
        ("-5x", "table t, column 'a': a whole number was expected, found '-5x'"),
        ("x" * 50, f"table t, column 'a': a whole number was expected, found '{'x' * 40}'"),
        (b"ab", "table t, column 'a': a whole number was expected, found \"b'ab'\""),
        ("9" * 30, "table t: a value is no whole number of 64 bits"),
    ],
)
def test_a_value_that_is_no_whole_number_is_shown(
    tmp_path: Path, value: object, problem: str
) -> None:
    with open_sqlite(made(tmp_path, 1, value)) as found, pytest.raises(InputError) as refused:
        found.integers("t", ("b", "a"))
    assert refused.value.problem == problem


def test_names_of_other_types_are_passed_over(tmp_path: Path) -> None:
    with open_sqlite(made(tmp_path, "x", 7, None)) as found:
        assert found.texts("t", "b", "a") == {0: "x"}
        assert found.texts("t", "b", "z") == {}


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    path = made(tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO t VALUES (CAST(x'41ff' AS TEXT), 1)")
    connection.commit()
    connection.close()
    with open_sqlite(path) as found:
        assert found.texts("t", "b", "a") == {1: "A\ufffd"}


def test_a_file_that_is_not_there_is_told_why(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused, open_sqlite(tmp_path / "none.db"):
        pass
    assert refused.value.problem == "cannot be read (No such file or directory)"


def test_a_name_is_quoted_as_sql_takes_it() -> None:
    assert quoted('a "b" c') == '"a ""b"" c"'


def test_a_table_has_a_type_for_each_column_and_nothing_where_there_is_none(tmp_path: Path) -> None:
    with open_tables(made(tmp_path, 1, 2.5, "x", b"y", None)) as tables:
        assert tables.columns("t") == {"a", "b"}
        assert tables.columns("none") == frozenset()
        found = tables.read("t", ("a", "z"), reals=("b", "y"), texts=("w",))
        assert found.count == 5
        assert found["a"].tolist() == [1, MISSING, MISSING, MISSING, MISSING]
        assert found["z"].tolist() == [MISSING] * 5
        assert found["b"].tolist() == [0, 1, 2, 3, 4]
        assert np.isnan(found["y"]).all() and len(found["y"]) == 5
        assert found.texts["w"].codes.tolist() == [-1] * 5
        text = tables.read("t", texts=("a",)).texts["a"]
        assert (text.codes.tolist(), text.texts) == ([-1, -1, 0, -1, -1], ["x"])
        real = tables.read("t", reals=("a",))["a"]
        assert real[:2].tolist() == [1, 2.5] and np.isnan(real[2:]).all()
        assert tables.read("t").count == 5
        assert tables.read("none", ("a",), texts=("b",)).count == 0
        assert tables.read("none", ("a",))["a"].tolist() == []
