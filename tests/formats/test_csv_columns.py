"""CSV files as columns: blanks, missing values, exact numbers, and the line of a wrong one."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lanescope.errors import InputError
from lanescope.formats.csv_columns import (
    CsvColumns,
    _reason,
    header,
    read_columns,
    require,
    thousandths,
)
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
            "is not the CSV file that it should be: line 3 has 1 cell instead of 2; it may be cut "
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


def test_whole_numbers_may_have_a_sign_and_zeros_behind_the_point(tmp_path: Path) -> None:
    found = columns(tmp_path, "a\n+7\n-8.\n9.00\n0\nnan\n-\n")
    assert found.integers("a").tolist() == [7, -8, 9, 0, MISSING, MISSING]


def test_numbers_may_have_an_exponent(tmp_path: Path) -> None:
    found = columns(tmp_path, "a\n+.5\n-2.\n1e3\n25E-1\nnull\n")
    assert found.numbers("a").tolist()[:4] == [0.5, -2.0, 1000.0, 2.5]
    assert np.isnan(found.numbers("a")[4])


@pytest.mark.parametrize("text", ["1.5", "1e3", "x", "--1", "1_0"])
def test_what_is_no_whole_number_is_shown(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as refused:
        columns(tmp_path, f"a\n1\n{text}\n{text}\n").integers("a")
    expected = f"line 3, 'a': a whole number was expected, found {text!r}"
    assert refused.value.problem == expected


@pytest.mark.parametrize("text", [".", "e3", "1e1000", "1e", "0x1", "y" * 50])
def test_what_is_no_number_is_shown(tmp_path: Path, text: str) -> None:
    found = columns(tmp_path, f"a\n{text}\n")
    for read in (found.numbers, found.decimals):
        with pytest.raises(InputError) as refused:
            read("a")
        expected = f"line 2, 'a': a number was expected, found {text[:40]!r}"
        assert refused.value.problem == expected
    assert not found.has_number("a")


def test_a_column_has_a_number_where_any_value_is_one(tmp_path: Path) -> None:
    found = columns(tmp_path, "a,b,c\nx,y,\n2,z,\n")
    assert [found.has_number(name) for name in "abc"] == [True, False, False]
    assert "b" in found and "d" not in found


def test_a_decimal_of_20_digits_is_too_large(tmp_path: Path) -> None:
    found = columns(tmp_path, "a,b\n" + "9" * 19 + ".5," + "9" * 20 + "\n")
    assert str(found.decimals("a")[0].as_py()) == "9" * 19 + "." + "5" + "0" * 17
    with pytest.raises(InputError, match=r"'b' has a number with more digits than a time has$"):
        found.decimals("b")


def test_digits_behind_the_18th_are_cut_off(tmp_path: Path) -> None:
    fine = "0." + "9" * 18
    found = columns(tmp_path, f"a\n{fine}9\n{fine}\n-{fine}99\n")
    assert [str(value) for value in found.decimals("a").to_pylist()] == [fine, fine, f"-{fine}"]


def test_thousandths_that_do_not_fit_are_missing() -> None:
    most = ["9223372036854775.807", "9223372036854775.808", "-9223372036854775.807", None]
    values = pa.array(most).cast(pa.decimal128(37, 18))
    assert thousandths(values).tolist() == [(1 << 63) - 1, MISSING, 1 - (1 << 63), MISSING]
    assert thousandths(values[2:]).tolist() == [1 - (1 << 63), MISSING]
    assert thousandths(values[:0]).tolist() == []


def test_a_file_may_have_names_and_no_rows(tmp_path: Path) -> None:
    for text, skip in (("a,b\n", 0), ("a,b", 0), ("x\na,b\n", 1)):
        found = columns(tmp_path, text, skip=skip)
        assert (found.rows, found.integers("b").tolist()) == (0, [])


@pytest.mark.parametrize(("text", "skip"), [("a,b", 1), ("a,b\n1,2\n", 2), ("\n\n", 1)])
def test_a_file_that_ends_above_the_names_has_none(tmp_path: Path, text: str, skip: int) -> None:
    with pytest.raises(InputError) as refused:
        columns(tmp_path, text, skip=skip)
    expected = f"names of columns were expected in line {skip + 1}, found none"
    assert refused.value.problem == expected


def test_a_file_has_at_most_4096_columns(tmp_path: Path) -> None:
    names = [f"c{k}" for k in range(4097)]
    found = columns(tmp_path, ",".join(names[:-1]) + "\n" + "7," * 4095 + "8\n")
    assert found.integers("c4095").tolist() == [8]
    with pytest.raises(InputError, match="names of columns were expected in line 1, found none"):
        columns(tmp_path, ",".join(names) + "\n" + "7," * 4096 + "8\n")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "In CSV column #2: CSV conversion error to string: invalid UTF8 data",
            "cell 3 is no UTF-8 text",
        ),
        (
            "In CSV column #0: Row #7: CSV conversion error to string: invalid UTF8 data",
            "line 7, cell 1 is no UTF-8 text",
        ),
        (
            "CSV parse error: Expected 2 columns, got 3: 1,2,3",
            "a line has 3 cells instead of 2; it may be cut off there",
        ),
        (
            "CSV parse error: Row #9: Expected 2 columns, got 1: 1",
            "line 9 has 1 cell instead of 2; it may be cut off there",
        ),
        ("CSV parse error: " + "x" * 130 + "\nmore", "x" * 120),
    ],
)
def test_what_the_csv_reader_says_is_told_in_our_words(said: str, reason: str) -> None:
    assert _reason(ValueError(said)) == reason


def test_a_header_ends_with_its_line_and_may_have_quotes() -> None:
    assert header(b'"a, b",c\r\n1,2') == ["a, b", "c"]
    assert header(b"above\na,b\n", skip=1) == ["a", "b"]
    assert header(b"") == []
    assert header(b"a,\xff\n") == ["a", "\ufffd"]
