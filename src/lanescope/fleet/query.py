"""SQL over a fleet's tables, by DuckDB. It sees `measures` and `traces`, and no file."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lanescope.errors import UsageError
from lanescope.trace.sql import guard, short_error


def query(sql: str, traces: pa.Table, measures: pa.Table) -> pa.Table:
    """The answer as a table; what DuckDB does not understand is a UsageError."""
    try:
        import duckdb
    except ImportError:
        raise UsageError(
            "this needs the package duckdb; install it with: pip install 'lanescope[fleet]'"
        ) from None
    with duckdb.connect(":memory:") as connection:
        connection.register("traces", traces)
        connection.register("measures", measures)
        guard(connection)
        try:
            return _table(connection.sql(sql))
        except duckdb.Error as error:
            raise UsageError(
                f"the query failed ({short_error(error)}); the tables are traces and measures"
            ) from None


def _table(answer: Any) -> pa.Table:
    """A statement that is no query has no answer."""
    if answer is None:
        return pa.table({})
    table = answer.to_arrow_table() if hasattr(answer, "to_arrow_table") else answer.arrow()
    return table.read_all() if isinstance(table, pa.RecordBatchReader) else table
