"""Tables are checked when they are built."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.trace import MISSING, MISSING32, NO_WORD, SCHEMA, Table, Trace, Words


def test_columns_not_given_are_missing() -> None:
    table = Table.build("tasks", {"task": [1, 2]})
    assert table["start_ns"].tolist() == [MISSING, MISSING]
    assert table["core"].tolist() == [MISSING32, MISSING32]
    assert table["kind"].tolist() == [NO_WORD, NO_WORD]


def test_columns_cannot_be_changed() -> None:
    table = Table.build("tasks", {"task": np.array([1, 2])})
    with pytest.raises(ValueError, match="read-only"):
        table["task"][0] = 9


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(KeyError, match="table 'edges' has no column 'weight'"):
        Table.build("edges", {"weight": [1]})


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="columns differ in length"):
        Table.build("edges", {"pred": [1], "succ": [1, 2]})


def test_floats_never_become_times() -> None:
    with pytest.raises(TypeError, match="Cannot cast"):
        Table.build("tasks", {"start_ns": [1.5]})


def test_words_are_the_same_code_for_the_same_text() -> None:
    words = Words()
    assert words.codes(["a", "b", "a"]).tolist() == [0, 1, 0]
    assert words.freeze() == ("a", "b")


def test_a_word_the_trace_does_not_use_matches_no_row(trace: Trace) -> None:
    assert not (trace.tasks["kind"] == trace.code("alloc")).any()
    assert not (trace.marks["pipe"] == trace.code("cube")).any()


def test_a_text_column_is_words(trace: Trace) -> None:
    assert trace.cores.text("name") == ["aic 0", "aiv 1"]
    assert trace.cores.text("kind") == ["", ""]


def test_a_column_of_numbers_is_no_text(trace: Trace) -> None:
    with pytest.raises(UsageError, match="'core' of table 'cores' holds numbers, not text"):
        trace.cores.text("core")
    with pytest.raises(KeyError, match="table 'cores' has no column 'speed'"):
        trace.cores.text("speed")


def test_a_table_outside_of_a_trace_says_where_its_words_are() -> None:
    table = Table.build("functions", {"func": [0], "name": [0]})
    message = "does not hold the words of its text; .* take it from there: trace.functions$"
    for use in (table.to_dict, table.to_arrow, lambda: table.text("name")):
        with pytest.raises(UsageError, match=message):
            use()


def test_a_table_as_lists_has_words_and_none() -> None:
    table = Table.build(
        "counters",
        {"name": [0, NO_WORD], "value": [np.nan, 1.5], "task": [MISSING, 3]},
        words=("busy",),
    )
    none = [None, None]
    assert table.to_dict() == {
        "name": ["busy", None],
        "value": [None, 1.5],
        "task": [None, 3],
        "core": none,
        "token": none,
        "time_ns": none,
        "order": none,
        "site": none,
        "run": none,
    }


def test_a_table_prints_as_name_rows_and_columns() -> None:
    assert repr(Table.build("functions", {"func": range(1000)})) == (
        "Table functions: 1,000 rows, 3 columns\n  func, name, work"
    )


@pytest.mark.parametrize("name", SCHEMA)
def test_every_table_prints_in_five_lines(name: str) -> None:
    text = repr(Table.build(name))
    assert len(text.splitlines()) <= 5
    assert all(column.name in text for column in SCHEMA[name].columns)


def test_a_table_of_a_few_columns_has_a_length() -> None:
    few = Table(SCHEMA["stalls"], {"core": np.zeros(3, np.int32)})
    assert (len(few), len(Table(SCHEMA["stalls"], {}))) == (3, 0)
    assert repr(few) == "Table stalls: 3 rows, 1 columns\n  core"


def test_bounds_are_of_known_values() -> None:
    tasks = Table.build("tasks", {"start_ns": [MISSING, 7, -3], "core": [MISSING32, 4, 9]})
    assert tasks.bounds("start_ns") == (-3, 7)
    assert tasks.bounds("core") == (4, 9)
    assert tasks.bounds("end_ns") is None
