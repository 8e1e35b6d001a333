"""Tables of a folder of Parquet files: columns by their types, what is not there is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lanescope.errors import InputError
from lanescope.formats.parquet_tables import ParquetTables, column_names
from lanescope.trace import MISSING

BIG = 1 << 62


def tables(folder: Path, **columns: Any) -> ParquetTables:
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return ParquetTables(folder)


def test_a_table_is_called_as_its_file(tmp_path: Path) -> None:
    found = tables(tmp_path, a=[1], b=["x"])
    (tmp_path / "notes.txt").write_text("x")
    assert found.names == {"t"}
    assert ParquetTables(tmp_path).names == {"t"}
    assert (found.columns("t"), found.columns("none")) == ({"a", "b"}, frozenset())


def test_whole_numbers_with_gaps_may_be_floats(tmp_path: Path) -> None:
    floats = [1.0, np.nan, np.inf, float(BIG), float(BIG - 1024), -float(BIG)]
    found = tables(
        tmp_path,
        whole=pa.array([1, None, 3, 4, 5, 6], pa.int32()),
        wide=pa.array([1, None, (1 << 64) - 1, 1 << 63, (1 << 63) - 1, 6], pa.uint64()),
        floats=floats,
        texts=list("abcdef"),
    ).read("t", ("whole", "wide", "floats", "texts", "none"))
    assert found.count == 6
    assert found["whole"].tolist() == [1, MISSING, 3, 4, 5, 6]
    assert found["wide"].tolist() == [1, MISSING, MISSING, MISSING, (1 << 63) - 1, 6]
    assert found["floats"].tolist() == [1, MISSING, MISSING, MISSING, BIG - 1024, MISSING]
    assert found["texts"].tolist() == [MISSING] * 6
    assert found["none"].tolist() == [MISSING] * 6


def test_numbers_are_floats_and_nothing_else_is(tmp_path: Path) -> None:
    found = tables(tmp_path, whole=[1, None], real=[0.5, None], text=["1", "2"]).read(
        "t", reals=("whole", "real", "text", "none")
    )
    assert np.array_equal(found["whole"], [1, np.nan], equal_nan=True)
    assert np.array_equal(found["real"], [0.5, np.nan], equal_nan=True)
    assert np.isnan(found["text"]).tolist() == [True, True]
    assert np.isnan(found["none"]).tolist() == [True, True]


def test_texts_may_be_large_or_codes_and_nothing_else_is_one(tmp_path: Path) -> None:
    found = tables(
        tmp_path,
        plain=["b", None, "b"],
        large=pa.array(["b", None, "b"], pa.large_string()),
        coded=pa.array(["b", None, "b"]).dictionary_encode(),
        whole=[1, 2, 3],
        codes=pa.array([1, None, 1]).dictionary_encode(),
    ).read("t", texts=("plain", "large", "coded", "whole", "codes", "none"))
    for name in ("plain", "large", "coded"):
        column = found.texts[name]
        assert (column.codes.tolist(), column.texts) == ([0, -1, 0], ["b"])
    for name in ("whole", "codes", "none"):
        column = found.texts[name]
        assert (column.codes.tolist(), column.texts) == ([-1, -1, -1], [])


def test_rows_are_counted_where_no_column_is_wanted(tmp_path: Path) -> None:
    found = tables(tmp_path, a=[1, 2, 3])
    assert found.read("t").count == 3
    assert found.read("t", ("b",)).count == 3


def test_a_table_that_is_not_there_is_empty(tmp_path: Path) -> None:
    found = tables(tmp_path, a=[1]).read("none", ("a",), reals=("b",), texts=("c",))
    assert (found.count, found["a"].tolist(), found["b"].tolist()) == (0, [], [])
    assert (found.texts["c"].codes.tolist(), found.texts["c"].texts) == ([], [])


def test_a_damaged_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + b"x" * 99)
    with pytest.raises(InputError) as refused:
        column_names(path)
    assert refused.value.problem.startswith("is a damaged Parquet file (Parquet magic bytes not")
    assert refused.value.problem.endswith("); export or copy it again")
    assert "\n" not in refused.value.problem
