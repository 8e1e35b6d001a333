"""CSV files as columns: blanks, missing values, exact numbers, and the line of a wrong one."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest

from lanescope.errors import InputError
from lanescope.formats.csv_columns import CsvColumns, header, read_columns, require, thousandths
from lanescope.trace import MISSING


def columns(folder: Path, text: str, **more: int) -> CsvColumns:
    path = folder / "a.csv"
    path.write_text(text)
    return read_columns(path, **more)  # type: ignore[arg-type]


def test_blanks_do_not_count_and_some_texts_are_missing_values(tmp_path: Path) -> None:
    found = columns(tmp_path, 'a , b\n 1 ,x\t\nN/A,\n+3.0,"y, z"\n')
    assert found.integers("a").tolist() == [1, MISSING, 3]
    codes, texts = found.texts("b")
    assert (codes.tolist(), texts) == ([0, -1, 1], ["x", "y, z"])
    assert np.isnan(found.numbers("a")[1])


def test_lines_above_the_names_are_passed_over(tmp_path: Path) -> None:
    found = columns(tmp_path, "ARCH: x\na,b\n1,2\n", skip=1)
    assert found.integers("b").tolist() == [2]
    assert found.line(0) == "line 3"


def test_of_two_columns_of_one_name_the_first_counts(tmp_path: Path) -> None:
    assert columns(tmp_path, "a,a\n1,2\n").integers("a").tolist() == [1]


def test_decimals_are_exact_and_rounded_once_halves_to_even(tmp_path: Path) -> None:
    rows = ("1699529622790614.8,0.0005", "0.0015,1e-3", "-0.0025,12.770127573574461234567")
    found = columns(tmp_path, "\n".join(["a,b", *rows]))
    a, b = found.decimals("a"), found.decimals("b")
    assert thousandths(a).tolist() == [1699529622790614800, 2, -2]
    assert thousandths(b).tolist() == [0, 1, 12770]
    assert thousandths(pc.add(a, b)).tolist() == [1699529622790614800, 2, 12768]


def test_a_missing_decimal_is_missing(tmp_path: Path) -> None:
    assert thousandths(columns(tmp_path, "a,b\n,1\n2.5,1\n").decimals("a")).tolist() == [
        MISSING,
        2500,
    ]


def test_only_wanted_columns_are_read_from_a_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert list(read_columns(path, ("b", "c")).columns) == ["b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n1\nx1\n", "line 3, 'a': a whole number was expected, found 'x1'"),
        ("a\n" + "9" * 25 + "\n", "'a' has a number with more digits than a time has"),
        (
            "a,b\n1,2\n3\n",
            "is not the CSV file that it should be: line 3 has 1 cells instead of 2; it may be cut "
            "off there",
        ),
        ("\n", "names of columns were expected in line 1, found none"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        columns(tmp_path, text).integers("a")
    assert str(refused.value) == f"{tmp_path / 'a.csv'}: {message}"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n\xff\xfe,1\n")
    with pytest.raises(InputError) as refused:
        read_columns(path)
    problem = "is not the CSV file that it should be: line 2, cell 1 is no UTF-8 text"
    assert str(refused.value) == f"{path}: {problem}"


def test_a_column_that_is_needed_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no column 'b', 'c', which a table of x has"):
        require(columns(tmp_path, "a\n1\n"), ("a", "b", "c"), "a table of x")


def test_names_may_follow_a_byte_order_mark() -> None:
    assert header(b"\xef\xbb\xbfa, b \r\n1,2") == ["a", "b"]
