"""Tables as Arrow and pandas: text for codes, nulls for missing values."""

from __future__ import annotations

import builtins
import subprocess
import sys
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from lanescope.errors import UsageError
from lanescope.trace import SCHEMA, Table, Trace
from lanescope.trace.arrow import arrow_table, plain_text

FEW = {"task": [7, 8], "kind": [0, -1], "core": [3, -(2**31)], "start_ns": [2**53 + 1, -(2**63)]}


def few() -> Table:
    """Two rows of four columns; the second has only its id."""
    tasks = Table.build("tasks", FEW, words=("run",))
    return Table(tasks.schema, {name: tasks[name] for name in FEW}, tasks.words)


def test_arrow_has_words_and_nulls_in_the_schemas_order() -> None:
    arrow = few().to_arrow()
    assert arrow.to_pydict() == {
        "task": [7, 8],
        "kind": ["run", None],
        "core": [3, None],
        "start_ns": [2**53 + 1, None],
    }
    assert arrow.schema.types == [pa.int64(), pa.string(), pa.int32(), pa.int64()]


def test_arrow_sorts_and_joins_by_words(trace: Trace) -> None:
    tasks = trace.tasks.to_arrow().sort_by("kind")
    assert tasks["kind"].to_pylist() == ["dummy", "run", "run", "run"]
    assert tasks.join(trace.functions.to_arrow(), "func").num_rows == 4


def test_a_dictionary_holds_only_the_words_of_its_column(trace: Trace) -> None:
    kinds = arrow_table(trace.tasks)["kind"].combine_chunks()
    assert kinds.dictionary.to_pylist() == ["run", "dummy"]


def test_plain_text_has_strings_for_dictionaries(trace: Trace) -> None:
    plain = plain_text(arrow_table(trace.tasks))
    assert plain["kind"].type == pa.string()
    assert plain["kind"].to_pylist() == ["run", "run", "run", "dummy"]


def test_every_table_has_all_its_columns_in_arrow(trace: Trace) -> None:
    for name, schema in SCHEMA.items():
        assert trace.table(name).to_arrow().column_names == [c.name for c in schema.columns]


def test_pandas_keeps_large_numbers_exact_beside_missing_ones() -> None:
    frame = few().to_pandas()
    assert frame.dtypes.astype(str).tolist() == ["Int64", "string", "Int32", "Int64"]
    assert frame["start_ns"].tolist() == [2**53 + 1, pd.NA]
    assert frame["kind"].tolist() == ["run", pd.NA]


def test_pandas_groups_by_words(trace: Trace) -> None:
    frame = trace.tasks.to_pandas()
    assert frame.groupby("kind").size().to_dict() == {"dummy": 1, "run": 3}
    assert trace.counters.to_pandas()["value"].isna().tolist() == [False, True]


def test_without_pandas_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *args: Any, **options: Any) -> Any:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")
        return imported(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    message = "^to_pandas needs pandas, which is not installed; run: pip install pandas$"
    with pytest.raises(UsageError, match=message):
        few().to_pandas()


def test_traces_load_without_pandas_and_pictures() -> None:
    script = (
        "import sys, lanescope.trace\n"
        "names = ('pandas', 'lanescope.trace.notebook', 'lanescope.trace.picture')\n"
        "sys.exit(', '.join(name for name in names if name in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.strip() == ""
