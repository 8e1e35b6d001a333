"""Parquet files that contradict themselves: a sentence, where Arrow would end the process."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lanescope.errors import InputError
from lanescope.trace import Trace, load, save
from lanescope.trace.parquet import text_of

# A column chunk's footer begins with its type as one Thrift field, followed by a list: 15 TYPE 19.
INT32, DOUBLE = b"\x15\x02\x19", b"\x15\x0a\x19"


def with_wrong_type(file: Path) -> None:
    """Let the first 32-bit column say DOUBLE where it lies; the schema stays as it is."""
    data = file.read_bytes()
    assert INT32 in data
    file.write_bytes(data.replace(INT32, DOUBLE, 1))


def test_a_column_that_is_not_what_the_schema_says_is_refused(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    with_wrong_type(tmp_path / "tiny.lanes" / "tasks.parquet")
    (tmp_path / "tiny.lanes" / "checksums.json").unlink()
    with pytest.raises(InputError, match=r"column 'core' is INT32, and DOUBLE where it lies"):
        load(tmp_path / "tiny.lanes")


def test_a_column_with_fewer_rows_than_the_table_is_refused(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    (tmp_path / "tiny.lanes" / "checksums.json").unlink()
    file = tmp_path / "tiny.lanes" / "tasks.parquet"
    # The number of values, 4, behind the codec (LZ4): 15 0e 16 08.
    whole, _, rest = file.read_bytes().partition(b"\x15\x0e\x16\x08")
    file.write_bytes(whole + b"\x15\x0e\x16\x00" + rest)
    with pytest.raises(InputError, match=r"is damaged \(column 'task' has 0 of 4 rows\)"):
        load(tmp_path / "tiny.lanes")


def test_a_column_whose_name_is_no_text_is_one_sentence(trace: Trace, tmp_path: Path) -> None:
    save(trace, tmp_path / "tiny.lanes")
    (tmp_path / "tiny.lanes" / "checksums.json").unlink()
    file = tmp_path / "tiny.lanes" / "tasks.parquet"
    head, _, tail = file.read_bytes().rpartition(b"depth")  # in the footer, where the column lies
    file.write_bytes(head + b"dept\xff" + tail)
    with pytest.raises(InputError, match=r"tasks\.parquet: is damaged \('utf-8' codec"):
        load(tmp_path / "tiny.lanes")


@pytest.mark.parametrize("codes", [[0, 2], [0, -2], [1, 1 << 30]])
def test_a_code_without_a_text_is_refused(codes: list[int]) -> None:
    indices = pa.array(codes, pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]), safe=False)
    with pytest.raises(pa.ArrowInvalid, match="a code that none of its 2 texts has"):
        text_of(pa.chunked_array([column]))


def test_codes_with_a_text_or_without_one_are_read() -> None:
    column = pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.int32()), pa.array(["a", "b"])
    )
    found = text_of(pa.chunked_array([column]))
    assert (found.codes.tolist(), found.texts) == ([1, -1, 0], ["a", "b"])
