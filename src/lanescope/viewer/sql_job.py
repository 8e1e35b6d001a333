"""The process that answers one SQL question: `python -m lanescope.viewer.sql_job`.

DuckDB's own limits do not hold for lists and texts that one expression makes, so the process has
limits of the system, and whoever started it ends it when its time is over. The question comes as
JSON on the input, with the Arrow files of the tables; the answer goes as JSON to the output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from lanescope.trace.sql import guard, short_error

MOST_ROWS = 1000
MOST_TEXT = 500
"""Longest text of a cell."""
MEMORY_BYTES = 1 << 30
"""Memory that a question may take beside the tables."""
_LARGEST = 1 << 53
"""Whole numbers beyond this are sent as text: a page would round them."""


def answer(sql: str, files: dict[str, str]) -> dict[str, Any]:
    """The answer to one SELECT: columns and rows, or a sentence under `error`."""
    import duckdb

    with duckdb.connect(":memory:", config=_config()) as connection:
        for name, path in files.items():
            with pa.memory_map(path) as file:
                connection.register(name, pa.ipc.open_file(file).read_all())
        guard(connection)
        try:
            statements = connection.extract_statements(sql)
            if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
                return {"error": "Only one SELECT is answered."}
            done = connection.execute(statements[0])
            columns = [column[0] for column in done.description]
            rows = done.fetchmany(MOST_ROWS + 1)
        except duckdb.Error as error:
            return {"error": short_error(error)}
        except MemoryError:
            return {"error": "The question needs too much memory."}
    cells = [[_cell(value) for value in row] for row in rows[:MOST_ROWS]]
    return {"columns": columns, "rows": cells, "more": len(rows) > MOST_ROWS}


def _config() -> dict[str, Any]:
    return {
        "threads": 1,
        "memory_limit": f"{MEMORY_BYTES >> 21}MB",
        "temp_directory": "",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }


def _limit_memory(files: dict[str, str]) -> None:
    """Have the system refuse more memory; where it cannot, DuckDB's own limit is left."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    tables = sum(Path(path).stat().st_size for path in files.values())
    most = pages * resource.getpagesize() + tables + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _cell(value: Any) -> Any:
    """A value as JSON; what JSON does not have becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_LARGEST < value < _LARGEST else str(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"


def main() -> int:
    """Answer the question on the input."""
    question = json.loads(sys.stdin.readline())
    _limit_memory(question["files"])
    print(json.dumps(answer(question["sql"], question["files"])))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
