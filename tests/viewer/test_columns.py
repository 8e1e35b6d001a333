"""Packed columns: what goes in comes out, in Python and in the page's own reader."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.trace import MISSING, MISSING32
from lanescope.viewer.columns import PackedColumn, pack, unpack

EXACT = 2**52
numbers = st.lists(st.integers(-EXACT, EXACT) | st.just(MISSING), min_size=1, max_size=40)


def only(values: np.ndarray, *delta: str) -> PackedColumn:
    (column,) = pack({"a": values}, frozenset(delta))
    return column


@settings(deadline=None)
@given(numbers)
def test_any_column_comes_back(values: list[int]) -> None:
    array = np.array(values, np.int64)
    packed = pack({"a": array})
    if (array == MISSING).all():
        assert packed == ()
    else:
        assert unpack(packed[0]).tolist() == values


@settings(deadline=None)
@given(st.lists(st.integers(-(2**50), 2**50), min_size=1, max_size=40))
def test_a_column_of_differences_comes_back(values: list[int]) -> None:
    assert unpack(only(np.array(values, np.int64), "a")).tolist() == values


def test_missing_values_of_32_bits_are_not_known() -> None:
    column = only(np.array([3, MISSING32, -4], np.int32))
    assert column.gaps
    assert unpack(column).tolist() == [3, MISSING, -4]


def test_the_clocks_period_is_taken_out() -> None:
    column = only(np.array([100, 40, 2000], np.int64))
    assert (column.unit, column.width) == (20, 1)


def test_what_is_not_known_takes_no_room() -> None:
    """Units of 1,000 and one byte, with and without a gap."""
    values = [0, 5000, MISSING, 20_000, -3000]
    form = only(np.array(values)).as_dict()
    assert form == {"name": "a", "width": 1, "unit": 1000, "delta": False, "gaps": True}
    assert only(np.array(values[3:])).as_dict() == {**form, "gaps": False}


_READ = """
import { gunzip, readColumn } from %s;
const jobs = JSON.parse(process.argv[2]);
const said = [];
for (const { form, data, rows } of jobs) {
  const planes = await gunzip(Uint8Array.from(Buffer.from(data, "base64")));
  const values = [...readColumn(planes, form, rows)];
  said.push(values.map((value) => (Number.isNaN(value) ? null : value)));
}
console.log(JSON.stringify(said));
"""


def test_the_page_reads_the_same(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: it runs the page's reader")
    rng = np.random.default_rng(3)
    columns = [rng.integers(-(2**bits), 2**bits, 50) for bits in (3, 7, 8, 15, 23, 31, 32, 40, 52)]
    columns += [np.where(rng.random(50) < 0.3, MISSING, column) for column in columns]
    packed = [only(column) for column in columns] + [only(np.cumsum(columns[4]), "a")]
    jobs = [
        {"form": c.as_dict(), "data": base64.b64encode(c.data).decode(), "rows": 50} for c in packed
    ]
    script = tmp_path / "read.mjs"
    reader = Path(__file__).parents[2] / "viewer" / "packed.js"
    (tmp_path / "packed.mjs").write_text(reader.read_text())
    script.write_text(_READ % json.dumps("./packed.mjs"))
    done = subprocess.run([node, script, json.dumps(jobs)], capture_output=True, check=True)
    wanted = [[None if v == MISSING else v for v in unpack(c).tolist()] for c in packed]
    assert json.loads(done.stdout) == wanted


@pytest.mark.parametrize(
    ("values", "width"),
    [
        ([1, 0], 1),
        ([1, 127], 1),
        ([1, 128], 2),
        ([1, -128], 1),
        ([1, -129], 2),
        ([1, 127, MISSING], 1),
        ([1, -128, MISSING], 2),
        ([1, (1 << 15) - 1], 2),
        ([1, 1 << 15], 3),
        ([0, 0], 1),
    ],
)
def test_a_column_has_as_many_bytes_as_its_largest_number_needs(
    values: list[int], width: int
) -> None:
    column = only(np.array(values))
    assert column.width == width
    assert unpack(column).tolist() == values


def test_a_unit_holds_for_every_value_of_a_long_column() -> None:
    values = np.full(4096, 10)
    assert only(values).unit == 10
    values[1] = 15
    assert only(values).unit == 5
    values[2049] = 16
    column = only(values)
    assert (column.unit, unpack(column).tolist()) == (1, values.tolist())
    assert only(np.zeros(3, np.int64)).unit == 1
