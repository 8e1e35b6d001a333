"""Tables as Arrow and as pandas: words are text and missing values are nulls.

Parquet files, CSV files and notebooks all take their tables from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lanescope.errors import UsageError
from lanescope.trace.later import pa
from lanescope.trace.schema import NO_WORD, Column

if TYPE_CHECKING:
    from lanescope.trace.table import Array, Table


def arrow_table(table: Table) -> Any:
    """The table as Arrow: text columns are dictionary-encoded strings, missing values nulls."""
    return pa.table(
        {
            column.name: _text(table[column.name], table)
            if column.type == "word"
            else _numbers(table[column.name], column)
            for column in table.present()
        }
    )


def pandas_frame(table: Table) -> Any:
    """The table as a pandas DataFrame that shows missing values as missing.

    Whole numbers become Int64 and Int32, because float64 would round counts of cycles. Text
    becomes strings and not categories, because groupby would list categories that no row has.
    """
    try:
        import pandas
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        message = "to_pandas needs pandas, which is not installed; run: pip install pandas"
        raise UsageError(message) from None
    types = {
        pa.int64(): pandas.Int64Dtype(),
        pa.int32(): pandas.Int32Dtype(),
        pa.string(): pandas.StringDtype("pyarrow"),
    }
    return plain_text(arrow_table(table)).to_pandas(types_mapper=types.get)


def plain_text(arrow: Any) -> Any:
    """The same Arrow table with plain strings where it has dictionary-encoded ones."""
    for index, column in enumerate(arrow.schema):
        if pa.types.is_dictionary(column.type):
            arrow = arrow.set_column(index, column.name, arrow[column.name].cast(pa.string()))
    return arrow


def _text(codes: Array, table: Table) -> Any:
    """The dictionary holds the words that the column uses, and no others."""
    used, places = np.unique(codes, return_inverse=True)
    shift = int(len(used) > 0 and used[0] == NO_WORD)
    words = table.words_of(used[shift:])
    places = places.astype(np.int32) - np.int32(shift)
    return pa.DictionaryArray.from_arrays(
        pa.array(places, mask=places < 0), pa.array(words, pa.string())
    )


def _numbers(values: Array, column: Column) -> Any:
    missing = column.is_missing(values)
    return pa.array(values, mask=missing if missing.any() else None)
