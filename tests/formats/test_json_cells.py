"""Columns of nested objects, lenient columns, floats and exact times, against json and decimal."""

from __future__ import annotations

import json
import math
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.errors import InputError
from lanescope.formats.exact_times import round_ends, round_times
from lanescope.formats.json_cells import (
    Cell,
    exact_micros,
    integer,
    integers,
    micros,
    nested,
    number,
    span,
    text,
    word,
)
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows
from lanescope.trace import MISSING

LOW = -(1 << 63) + 1
quiet = settings(deadline=None, max_examples=150, derandomize=True)


def read(source: str, *cells: Cell) -> Rows:
    data = np.frombuffer(source.encode(), np.uint8)
    return read_object_rows(TextSpan(Path("rows.json"), data, data), cells, what="rows")


def problem(source: str, *cells: Cell) -> str:
    with pytest.raises(InputError) as caught:
        read(source, *cells)
    return caught.value.problem


def test_keys_of_an_inner_object_are_columns_of_the_row() -> None:
    source = """[{"args": {"b": "x", "a": 1, "c": {"a": 9}}, "a": 2}, {"a": 3, "args": {}},
        {"a": 4}, {"a": 5, "args": [{"a": 7}]}, {"a": 6, "args": null}, {"args": "text", "a": 7}]"""
    rows = read(source, nested("args", (integer("a"), text("b"))), integer("a"))
    assert rows["a"].tolist() == [2, 3, 4, 5, 6, 7]
    assert rows["args.a"].tolist() == [1] + [MISSING] * 5
    assert rows["args.b"].tolist() == [0] + [MISSING] * 5
    assert rows.values == {"args.b": ["x"]}


def test_objects_nest_as_deep_as_their_cells() -> None:
    rows = read('[{"o": {"p": {"a": [1, 2]}}}]', nested("o", (nested("p", (integers("a", 2),)),)))
    assert rows["o.p.a"].tolist() == [[1, 2]]


def test_an_error_inside_an_object_names_the_way_to_it() -> None:
    cell = nested("args", (integer("n"),))
    assert problem('[{"args": {"n": "x"}}]', cell) == (
        "rows row 0, 'args.n': a whole number was expected, found '\"x\"}}]' (line 1, byte 16)"
    )
    assert problem('[{"args": {"n": 1', cell).startswith(
        "rows row 0: the file ends inside this value"
    )
    assert problem('[{"args": {"w": 1}}]', nested("args", (word("w"),))).startswith(
        "rows, 'args.w': a string of at most 256 characters was expected, found '1'"
    )


def test_more_than_64_columns() -> None:
    keys = [f"k{k}" for k in range(150)]
    source = json.dumps(
        [{key: k for k, key in enumerate(keys) if k != 100}, dict.fromkeys(keys, 7)]
    )
    rows = read(source, *(integer(key, required=False) for key in keys))
    expected = [[MISSING if k == 100 else k, 7] for k in range(150)]
    assert [rows[key].tolist() for key in keys] == expected
    message = problem(source, *(integer(key) for key in keys))
    assert message.startswith("rows row 0, 'k100': the row has no such column")


NOT_WHOLE = ['""', '"x"', "1.5", "true", "[1]", "{}", '"12 "', "-1", "1e30", "9223372036854775808"]


@pytest.mark.parametrize("value", NOT_WHOLE)
def test_a_lenient_column_misses_what_is_not_of_its_type(value: str) -> None:
    source = f'[{{"a": {value}, "b": 1}}, {{"a": "12", "b": 2}}]'
    rows = read(source, integer("a", lenient=True), integer("b"))
    assert (rows["a"].tolist(), rows["b"].tolist()) == ([MISSING, 12], [1, 2])
    assert problem(source, integer("a"), integer("b")).startswith("rows row 0, 'a': ")


def test_lenient_arrays_and_times() -> None:
    source = '[{"g": [1, 2], "t": "", "n": {}}, {"g": [1, 2, 3], "t": "1.5", "n": "2.5"}]'
    cells = (integers("g", 3, lenient=True), micros("t", lenient=True), number("n", lenient=True))
    rows = read(source, *cells)
    assert rows["g"].tolist() == [[MISSING] * 3, [1, 2, 3]]
    assert rows["t"].tolist() == [MISSING, 1500]
    assert math.isnan(rows["n"][0]) and rows["n"][1] == 2.5


@pytest.mark.parametrize("source", ['[{"a": "12', '[{"a": "', '[{"a": ', '[{"a": x:'])
def test_a_lenient_column_hides_no_damage(source: str) -> None:
    assert "rows row 0" in problem(source, integer("a", lenient=True))


@quiet
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.none()))
def test_numbers_are_those_of_python(values: list[float | int | None]) -> None:
    values = [value for value in values if not isinstance(value, int) or abs(value) < 10**19]
    for quoted in (False, True):
        rows = [{"n": str(value) if quoted and value is not None else value} for value in values]
        found = read(json.dumps(rows), number("n", required=False))["n"]
        expected = [math.nan if value is None else float(value) for value in values]
        np.testing.assert_array_equal(found, np.array(expected, np.float64))


def test_numbers_beyond_a_double_are_refused() -> None:
    assert problem('[{"n": 1e999}]', number("n")) == (
        "rows row 0, 'n': the number does not fit in 64 bits, found '1e999}]' (line 1, byte 7)"
    )
    assert read('[{"n": 1e-999}]', number("n"))["n"].tolist() == [0.0]


decimals = st.decimals(
    min_value=-(10**15), max_value=2 * 10**15, allow_nan=False, places=None
).filter(lambda value: value == 0 or value.adjusted() > -200)
EXACT = Context(prec=400, rounding=ROUND_HALF_EVEN)


def in_ns(value: Decimal) -> int:
    return int(EXACT.quantize(EXACT.multiply(value, Decimal(1000)), Decimal(1)))


@quiet
@given(st.lists(decimals, max_size=8), st.booleans())
def test_microseconds_are_rounded_half_to_even(values: list[Decimal], quoted: bool) -> None:
    quote = '"' if quoted else ""
    source = "[" + ",".join(f'{{"t": {quote}{value}{quote}}}' for value in values) + "]"
    rows = read(source, micros("t", low=LOW))
    assert rows["t"].tolist() == [in_ns(value) for value in values]


fine = st.integers(-(10**15), 2 * 10**15).flatmap(
    lambda whole: st.integers(0, 10**21 - 1).map(lambda rest: Decimal(f"{whole}.{rest:021d}"))
)


@quiet
@given(st.lists(st.tuples(fine, fine), max_size=8))
def test_ends_are_rounded_once(values: list[tuple[Decimal, Decimal]]) -> None:
    source = "[" + ",".join(f'{{"ts": {ts:f}, "dur": "{dur:f}"}}' for ts, dur in values) + "]"
    rows = read(source, exact_micros("ts", low=LOW), exact_micros("dur", low=LOW))
    assert round_times(rows["ts"]).tolist() == [in_ns(ts) for ts, _ in values]
    ends = [in_ns(EXACT.add(ts, dur)) for ts, dur in values]
    assert round_ends(rows["ts"], rows["dur"]).tolist() == ends


def test_a_start_and_an_end_between_two_nanoseconds() -> None:
    """Rounding the duration first would end the first interval 1 ns too early."""
    source = (
        '[{"ts": "10.0004", "dur": 0.0004}, {"ts": 1, "dur": null}, {"ts": 0.0005, "dur": 0.001}]'
    )
    rows = read(source, exact_micros("ts"), exact_micros("dur", required=False))
    assert round_times(rows["ts"]).tolist() == [10_000, 1000, 0]
    assert round_ends(rows["ts"], rows["dur"]).tolist() == [10_001, MISSING, 2]
    assert "the number is too small" in problem('[{"ts": -0.0001}]', exact_micros("ts"))


inner = st.dictionaries(
    st.sampled_from(["a", "s", "z"]),
    st.integers(LOW, -LOW) | st.sampled_from([0.5, -1.25e-30]) | st.text(max_size=3) | st.none(),
)
odd = st.none() | st.integers() | st.text(max_size=4) | st.lists(st.integers(), max_size=3)


@quiet
@given(st.lists(st.dictionaries(st.sampled_from(["o", "a", "x"]), inner | odd), max_size=6))
def test_lenient_rows_agree_with_json(values: list[dict[str, Any]]) -> None:
    cells = (nested("o", (integer("a", low=LOW, lenient=True), span("s"))),)
    source = json.dumps(values)
    rows = read(source, *cells, integer("a", low=LOW, lenient=True))

    def whole(value: Any) -> int:
        if isinstance(value, str):
            plain = value.removeprefix("-")
            value = int(value) if plain.isascii() and plain.isdigit() else None
        return value if isinstance(value, int) and LOW <= value <= -LOW else MISSING

    objects = [o if isinstance(o := value.get("o"), dict) else {} for value in values]
    assert rows["a"].tolist() == [whole(value.get("a")) for value in values]
    assert rows["o.a"].tolist() == [whole(value.get("a")) for value in objects]
    found = [json.loads(source[a : a + n]) if a != MISSING else None for a, n in rows["o.s"]]
    assert found == [value.get("s") for value in objects]
