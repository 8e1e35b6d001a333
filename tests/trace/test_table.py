"""Tables are checked when they are built."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.trace import MISSING, MISSING32, NO_WORD, Table, Trace, Words


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
