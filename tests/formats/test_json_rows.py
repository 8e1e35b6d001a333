"""The native row reader against Python's own json, on random rows and at every cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanescope.errors import InputError
from lanescope.formats.json_cells import (
    first_word,
    identity,
    integer,
    integers,
    micros,
    number,
    span,
    text,
    word,
)
from lanescope.formats.json_rows import (
    Rows,
    TextSpan,
    read_array_rows,
    read_line_rows,
    read_object_rows,
    row_width,
)
from lanescope.trace import MISSING
from lanescope.trace.task_ids import signed

MAX = (1 << 63) - 1
PATH = Path("rows.json")
quiet = settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def piece(source: str | bytes) -> TextSpan:
    data = np.frombuffer(source.encode() if isinstance(source, str) else source, np.uint8)
    return TextSpan(PATH, data, data)


def array_rows(source: str | bytes, *cells: Any) -> Rows:
    return read_array_rows(piece(source), cells, what="rows")


def object_rows(source: str | bytes, *cells: Any) -> Rows:
    return read_object_rows(piece(source), cells, what="rows")


def problem(source: str | bytes, *cells: Any, objects: bool = False) -> str:
    reader = object_rows if objects else array_rows
    with pytest.raises(InputError) as caught:
        reader(source, *cells)
    return caught.value.problem


def test_array_rows_by_position() -> None:
    rows = array_rows(' [ [1, "2"] ,\n[-3,4e2]\t] ', integer("a", low=-MAX), integer("b"))
    assert (rows.count, rows["a"].tolist(), rows["b"].tolist()) == (2, [1, -3], [2, 400])


def test_trailing_cells_may_be_absent_or_null() -> None:
    rows = array_rows("[[1], [2, null], [3, 4]]", integer("a"), integer("b", required=False))
    assert rows["b"].tolist() == [MISSING, MISSING, 4]


def test_object_rows_by_key_in_any_order() -> None:
    source = '[{"b": 2, "x": {"a": [1, "}"]}, "a": 1}, {"a": 3}, {"b": null, "a": 5}]'
    rows = object_rows(source, integer("a"), integer("b", required=False))
    assert (rows["a"].tolist(), rows["b"].tolist()) == ([1, 3, 5], [2, MISSING, MISSING])


@pytest.mark.parametrize(
    "tail", ['"}"', '"\\\\"', '"\\"}"', '[{"a": 9}]', f'"{"}" * 200}"', "[" * 9 + "]" * 9]
)
def test_behind_the_last_column_a_row_is_only_walked(tail: str) -> None:
    rows = object_rows(f'[{{"a": 1, "x": {tail}, "y": 0}}, {{"a": 2}}]', integer("a"))
    assert rows["a"].tolist() == [1, 2]


@pytest.mark.parametrize("tail", ["", '"', '"}]', "[}", '{"}'])
def test_a_row_that_ends_behind_its_last_column_is_cut_off(tail: str) -> None:
    with pytest.raises(InputError, match="row 0: the file ends inside this value"):
        object_rows(f'[{{"a": 1, "x": {tail}', integer("a"))


def test_no_rows() -> None:
    for source in ("[]", " [\n] "):
        assert array_rows(source, integer("a")).count == 0


def test_rows_continue_over_chunks() -> None:
    count = (1 << 16) + 3
    source = "[" + ",".join(f'[{k}, "{k % 5}"]' for k in range(count)) + "]"
    rows = array_rows(source, integer("a"), text("t"))
    assert rows["a"].tolist() == list(range(count))
    decoded = [rows.values["t"][code] for code in rows["t"].tolist()]
    assert decoded == [str(k % 5) for k in range(count)]


def test_an_error_in_a_later_chunk_names_its_row() -> None:
    count = 1 << 16
    source = "[" + "[1]," * (count + 5) + "[x]]"
    assert problem(source, integer("a")).startswith(f"rows row {count + 5}, 'a': ")


@pytest.mark.parametrize(
    ("source", "ns"),
    [
        ("0", 0),
        ("1.5", 1500),
        ("-2.0004", -2000),
        ("-2.0005", -2000),
        ("-2.0015", -2002),
        ("0.0005", 0),
        ("0.0015", 2),
        ("0.00050000000000000000000000001", 1),
        ("0.0005" + "0" * 30, 0),
        ("0.0025" + "0" * 30, 2),
        ("-0.0025" + "0" * 30, -2),
        ("0.0025" + "0" * 29 + "1", 3),
        ('"1704161511420306.491"', 1704161511420306491),
        ("1704161511420306.4915", 1704161511420306492),
        ("1704161511420306.4905", 1704161511420306490),
        ("0.00049999999999999999999", 0),
        ("9223372036854775.807", MAX),
        ("1e3", 1_000_000),
        ("12.5E-1", 1250),
        ("0e999", 0),
        ("0." + "0" * 400, 0),
        ("0." + "0" * 50 + "1e50", 100),
    ],
)
def test_microseconds_are_exact_nanoseconds(source: str, ns: int) -> None:
    assert array_rows(f"[[{source}]]", micros("t", low=-MAX))["t"].tolist() == [ns]


@pytest.mark.parametrize("source", ["9223372036854775.808", "1e16", "-1e400", "1" * 30])
def test_microseconds_beyond_64_bits_are_refused(source: str) -> None:
    message = problem(f"[[{source}]]", micros("t", low=-MAX))
    assert message.startswith("rows row 0, 't': the number does not fit in 64 bits, found ")


def test_fixed_arrays_of_integers() -> None:
    rows = object_rows('[{"q":[1, 2,3]},{"q":null},{}]', integers("q", 3, required=False))
    assert rows["q"].tolist() == [[1, 2, 3], [MISSING] * 3, [MISSING] * 3]


def test_texts_share_a_code_and_null_is_none() -> None:
    source = '[{"t":"a"},{"t":null},{"t":"a"},{"t":[1]},{"t":"\\u00b5\\""},{}]'
    rows = object_rows(source, text("t", required=False))
    assert rows["t"].tolist() == [0, MISSING, 0, 1, 2, MISSING]
    assert rows.values["t"] == ["a", [1], 'µ"']


@pytest.mark.parametrize(
    "values",
    [[1, 12, 1], ["a", "a", "ab"], [[1], [1, 2], [1]], [True, True, False], ['a"', 'a"b', 'a"']],
)
def test_a_text_that_begins_like_the_one_before_it_is_another(values: list[Any]) -> None:
    rows = object_rows(json.dumps([{"k": value} for value in values]), text("k"))
    assert [rows.values["k"][code] for code in rows["k"]] == values


def test_keys_may_change_their_order_from_row_to_row() -> None:
    source = (
        '[{"a":1,"b":2,"ab":3},{"ab":4,"a":5,"b":6},'
        '{"b":7,"x":0,"ab":8,"a":9},{"a":10,"ab":11,"b":12}]'
    )
    rows = object_rows(source, integer("a"), integer("b"), integer("ab"))
    assert [rows[key].tolist() for key in ("a", "b", "ab")] == [
        [1, 5, 9, 10],
        [2, 6, 7, 12],
        [3, 4, 8, 11],
    ]


def test_spans_are_the_raw_text() -> None:
    source = '[{"s": {"x": "}"}}, {}, {"s":  12}]'
    rows = object_rows(source, span("s", required=False))
    cut = [source[a : a + n] if a != MISSING else None for a, n in rows["s"].tolist()]
    assert cut == ['{"x": "}"}', None, "12"]


REFUSED = {
    "a whole number was expected, found '1.5]]' (line 1, byte 2)": ("[[1.5]]", integer("a")),
    "a whole number was expected, found 'nul]]' (line 1, byte 2)": (
        "[[nul]]",
        integer("a", required=False),
    ),
    "a whole number was expected, found '\"1x\"]]' (line 1, byte 2)": ('[["1x"]]', integer("a")),
    "a number was expected, found '\"1x\"]]' (line 1, byte 2)": ('[["1x"]]', micros("a")),
    "a number was expected, found '\"\"]]' (line 1, byte 2)": ('[[""]]', number("a")),
    "the number is too small, found '-1]]' (line 1, byte 2)": ("[[-1]]", integer("a")),
    "an array of 2 whole numbers was expected, found '[1]]]' (line 1, byte 2)": (
        "[[[1]]]",
        integers("a", 2),
    ),
    "an array of 2 whole numbers was expected, found '[1,2,3]]]' (line 1, byte 2)": (
        "[[[1,2,3]]]",
        integers("a", 2),
    ),
    "the row has no such column, found '[]]' (line 1, byte 1)": ("[[]]", integer("a")),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refusals_show_the_value_and_its_place(sentence: str) -> None:
    source, cell = REFUSED[sentence]
    assert problem(source, cell) == f"rows row 0, 'a': {sentence}"


def test_a_word_must_be_a_short_string() -> None:
    expected = "rows, 'w': a string of at most 256 characters was expected, found "
    assert problem('[{"w":5}]', word("w"), objects=True) == f"{expected}'5' (line 1, byte 6)"
    long = problem('[\n{"w":"' + "x" * 300 + '"}]', word("w"), objects=True)
    assert long == f"{expected}'\"{'x' * 31}'… (line 2, byte 7)"


def test_something_else_than_an_array_is_refused() -> None:
    assert problem('{"a": 1}', integer("a")) == (
        "rows: an array was expected, found '{\"a\": 1}' (line 1, byte 0)"
    )


def test_more_texts_than_the_column_takes_are_refused() -> None:
    source = "[" + ",".join(f'["{k}"]' for k in range(5)) + "]"
    assert array_rows(source, text("t", texts=8)).count == 5
    message = problem(source, text("t", texts=4))
    assert message.startswith("rows row 4, 't': the column has more different texts than this")


KEYS = ("a", "b", "t")
ints = st.integers(-MAX, MAX)
quoted = ints.map(str)
other = st.recursive(
    st.none()
    | st.booleans()
    | ints
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
row = st.fixed_dictionaries(
    {"a": ints | quoted},
    optional={"b": ints | quoted | st.none(), "t": other, "other": other, 'q"\\': other},
)


def expected_integer(value: Any) -> int:
    return MISSING if value is None else int(value)


@quiet
@given(st.lists(row, max_size=6), st.sampled_from([None, 1]), st.booleans())
def test_object_rows_agree_with_json(
    values: list[dict[str, Any]], indent: int | None, ascii_only: bool
) -> None:
    source = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    cells = (integer("a", low=-MAX), integer("b", low=-MAX, required=False))
    try:
        source.encode()
    except UnicodeEncodeError:
        return
    rows = object_rows(source, *cells, text("t", required=False))
    assert rows.count == len(values)
    assert rows["a"].tolist() == [int(value["a"]) for value in values]
    assert rows["b"].tolist() == [expected_integer(value.get("b")) for value in values]
    found = [rows.values["t"][code] if code != MISSING else None for code in rows["t"].tolist()]
    assert found == [value.get("t") for value in values]


@quiet
@given(st.lists(st.tuples(ints, quoted, ints | st.none()), max_size=6))
def test_array_rows_agree_with_json(values: list[tuple[int, str, int | None]]) -> None:
    cells = [integer(key, low=-MAX, required=key != "c") for key in "abc"]
    rows = array_rows(json.dumps(values), *cells)
    columns = [[expected_integer(value[k]) for value in values] for k in range(3)]
    assert [rows[key].tolist() for key in "abc"] == columns


@quiet
@given(st.lists(row, min_size=1, max_size=3))
def test_rows_cut_anywhere_are_refused(values: list[dict[str, Any]]) -> None:
    source = json.dumps(values).encode()
    cells = (integer("a", low=-MAX), integer("b", low=-MAX, required=False))
    for length in range(len(source)):
        with pytest.raises(InputError):
            object_rows(source[:length], *cells, text("t", required=False))


@quiet
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(source: bytes) -> None:
    for reader in (array_rows, object_rows):
        for data in (source, b"[[" + source, b'[{"a":' + source):
            try:
                reader(data, integer("a"), span("s", required=False), text("t", required=False))
            except InputError:
                continue


@quiet
@given(st.lists(st.tuples(st.integers(0, (1 << 64) - 1), st.booleans()), min_size=1))
def test_ids_of_64_bits_are_read_exactly(ids: list[tuple[int, bool]]) -> None:
    source = json.dumps([[str(one) if quoted else one] for one, quoted in ids])
    try:
        expected = [signed(one) for one, _ in ids]
    except ValueError:
        with pytest.raises(InputError, match="this is no task id: its two upper bits are set"):
            read_array_rows(piece(source), [identity("id")], what="ids")
    else:
        rows = read_array_rows(piece(source), [identity("id")], what="ids")
        assert rows["id"].tolist() == expected


@pytest.mark.parametrize("cell", ["-1", "1.5", '"1', '""', "1e3", str(1 << 64), "9" * 30, "true"])
def test_what_is_no_id_is_refused(cell: str) -> None:
    with pytest.raises(InputError):
        read_array_rows(piece(f"[[{cell}]]"), [identity("id")], what="ids")


@pytest.mark.parametrize(
    ("source", "width"), [("[]", None), ("[[1,2,3]]", 3), (" [ [ 1 ] ,[2]]", 1), ("[{}]", None)]
)
def test_the_width_is_that_of_the_first_row(source: str, width: int | None) -> None:
    assert row_width(piece(source)) == width


def test_rows_know_where_they_end() -> None:
    for source in ("[]", "[[1],[2]]", " [ [1] ] "):
        rows = read_array_rows(piece(source + ',"more":[3]'), [integer("n")], what="rows")
        assert source[: rows.end].rstrip().endswith("]") and rows.end <= len(source)


def line_rows(source: str | bytes, *cells: Any) -> Rows:
    return read_line_rows(piece(source), cells, what="lines")


@quiet
@given(st.lists(st.tuples(st.integers(0, MAX), st.text(max_size=4)), max_size=8), st.booleans())
def test_lines_are_rows(values: list[tuple[int, str]], last_end: bool) -> None:
    lines = "\n".join(json.dumps({"b": b, "a": a, "c": [1, {"d": 2}]}) for a, b in values)
    rows = line_rows(lines + "\n" * last_end, integer("a"), text("b"))
    assert rows["a"].tolist() == [a for a, _ in values]
    assert [rows.values["b"][code] for code in rows["b"]] == [b for _, b in values]


def test_lines_over_several_chunks_are_all_read() -> None:
    count = (1 << 16) + 7
    rows = line_rows("".join(f'{{"a":{k}}}\n' for k in range(count)), integer("a"))
    assert (rows["a"] == np.arange(count)).all()


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ('{"a": 1}\n{"a": 2', "the file ends inside this value"),
        ('{"a": 1}\n[2]\n', "this is not a row of this format"),
        ('{"a": 1}\n]\n', "this is not a row of this format"),
        ('{"a": 1}\0{"a": 1}', "this is not a row of this format"),
        ('{"a": 1},{"a": 1}', "this is not a row of this format"),
        ('{"b": 1}\n', "the row has no such column"),
    ],
)
def test_what_is_no_line_is_refused_with_its_place(source: str, place: str) -> None:
    with pytest.raises(InputError, match=place):
        line_rows(source, integer("a"))


def test_of_a_first_word_the_rest_is_passed_over() -> None:
    texts = ["M_MM { a: 1 }", "M_MM(2)", "V_ADD", "", ' "', "M_MM\\n", "é x"]
    rows = line_rows("\n".join(json.dumps({"op": one}) for one in texts), first_word("op"))
    found = [rows.values["op"][code] for code in rows["op"]]
    assert found == ["M_MM", "M_MM", "V_ADD", "", "", "M_MM", ""]
    plain = line_rows('{"op": "é x"}', first_word("op"))
    assert plain.values["op"] == ["é"]
    for wrong in ("3", "null", "[]", "{}", ""):
        with pytest.raises(InputError, match=r"a string was expected|the file ends inside"):
            line_rows(f'{{"op": {wrong}', first_word("op"))
