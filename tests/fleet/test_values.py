"""Measures of a fleet as numbers: the matrix of traces and measures, and which one a name means."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lanescope.errors import UsageError
from lanescope.fleet.values import Values, values_of


def table(*rows: tuple[str, str, str, float, str, int | None]) -> pa.Table:
    """Rows of trace, group, name, value, unit and runs."""
    names = ("trace", "group", "name", "value", "unit", "runs")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    texts = {
        name: pa.array(columns[name]).dictionary_encode()
        for name in ("trace", "group", "name", "unit")
    }
    return pa.table(
        {**texts, "value": list(columns["value"]), "runs": pa.array(columns["runs"], pa.int64())}
    )


VALUES = values_of(
    table(
        ("a", "run", "makespan", 5.0, "ns", 3),
        ("a", "function", "QK", 2.0, "ns", None),
        ("b", "run", "makespan", 7.0, "ns", 4),
        ("b", "core time", "QK", 0.5, "share", None),
    )
)


def test_a_matrix_has_a_row_per_trace_and_a_column_per_measure() -> None:
    assert VALUES.traces == {"a": 0, "b": 1}
    assert dict(zip(VALUES.keys, VALUES.units, strict=True)) == {
        ("run", "makespan"): "ns",
        ("function", "QK"): "ns",
        ("core time", "QK"): "share",
    }
    keys = [VALUES.keys.index(key) for key in (("function", "QK"), ("run", "makespan"))]
    np.testing.assert_array_equal(
        VALUES.matrix(["b", "c", "a"], keys), [[np.nan, 7.0], [np.nan, np.nan], [2.0, 5.0]]
    )
    np.testing.assert_array_equal(
        VALUES.matrix(["b", "a"], keys, "runs"), [[np.nan, 4.0], [0.0, 3.0]]
    )


def test_a_measure_is_found_by_its_name_or_with_its_group() -> None:
    assert VALUES.keys[VALUES.find("makespan")] == ("run", "makespan")
    assert VALUES.keys[VALUES.find("core time/QK")] == ("core time", "QK")


@pytest.mark.parametrize(
    ("values", "measure", "sentence"),
    [
        (VALUES, "QK", "several measures are called 'QK'; say one of "),
        (VALUES, "PV", "expected a measure of the fleet (run/makespan, "),
        (values_of(pa.table({"trace": [], "group": [], "name": [], "value": [], "unit": [],
                             "runs": pa.array([], pa.int64())})), "PV",
         "expected a measure of the fleet (it has none), found 'PV'"),
    ],
)  # fmt: skip
def test_an_unknown_or_unclear_measure_is_refused(
    values: Values, measure: str, sentence: str
) -> None:
    with pytest.raises(UsageError) as caught:
        values.find(measure)
    assert str(caught.value).startswith(sentence)


def test_both_groups_of_an_unclear_name_are_told() -> None:
    with pytest.raises(UsageError) as caught:
        VALUES.find("QK")
    told = str(caught.value).partition("say one of ")[2].split(", ")
    assert sorted(told) == ["core time/QK", "function/QK"]


def test_twelve_measures_are_told_and_more_are_hinted_at() -> None:
    many = values_of(table(*(("a", "run", f"m{k:02}", 1.0, "ns", None) for k in range(13))))
    with pytest.raises(UsageError, match=r"\(run/m00, .*run/m11, …\), found 'x'"):
        many.find("x")
    twelve = values_of(table(*(("a", "run", f"m{k:02}", 1.0, "ns", None) for k in range(12))))
    with pytest.raises(UsageError, match=r"run/m11\), found 'x'"):
        twelve.find("x")
