"""SQL over the tables of a served trace: one process per question, with limits on all it takes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

import numpy as np
import pyarrow as pa

from lanescope.trace import SCHEMA, Trace

SECONDS = 10.0
"""How long a question may take."""
AT_ONCE = 2
"""Questions that are answered at the same time."""
MOST_ROWS = 20_000_000
"""Rows of a table that can be asked about."""
_MOST_SQL = 10_000
_MOST_BYTES = 4 << 20
"""Longest answer."""
_MOST_HIGHLIGHTS = 10_000
_RUNNING = BoundedSemaphore(AT_ONCE)

READY = (
    (
        "Which functions took the most time?",
        "SELECT f.name, count(*) AS tasks, sum(t.end_ns - t.start_ns) / 1e6 AS total_ms\n"
        "FROM tasks t JOIN functions f USING (func) WHERE t.end_ns IS NOT NULL\n"
        "GROUP BY f.name ORDER BY total_ms DESC",
    ),
    (
        "Which tasks were the longest?",
        "SELECT t.task, f.name, t.core, t.start_ns, t.end_ns - t.start_ns AS length_ns\n"
        "FROM tasks t LEFT JOIN functions f USING (func) WHERE t.end_ns IS NOT NULL\n"
        "ORDER BY length_ns DESC LIMIT 50",
    ),
    (
        "Which tasks took more than twice the median of their function?",
        "SELECT t.task, t.core, t.start_ns, t.end_ns - t.start_ns AS length_ns, m.median_ns\n"
        "FROM tasks t JOIN (SELECT func, median(end_ns - start_ns) AS median_ns FROM tasks\n"
        "  WHERE end_ns IS NOT NULL GROUP BY func) m USING (func)\n"
        "WHERE t.end_ns - t.start_ns > 2 * m.median_ns ORDER BY length_ns / m.median_ns DESC",
    ),
    (
        "How busy was each core?",
        "SELECT c.name, count(*) AS tasks, sum(t.end_ns - t.start_ns) / 1e6 AS busy_ms\n"
        "FROM tasks t JOIN cores c USING (core) WHERE t.end_ns IS NOT NULL\n"
        "GROUP BY c.name ORDER BY busy_ms",
    ),
    (
        "Where were the longest gaps on a core?",
        "SELECT core, start_ns, start_ns - before_ns AS gap_ns FROM (\n"
        "  SELECT core, start_ns,\n"
        "    lag(end_ns) OVER (PARTITION BY core ORDER BY start_ns) AS before_ns\n"
        "  FROM tasks WHERE end_ns IS NOT NULL) ORDER BY gap_ns DESC NULLS LAST LIMIT 50",
    ),
    (
        "Which tasks waited longest between dispatch and start?",
        "SELECT task, core, start_ns, start_ns - dispatch_ns AS waited_ns FROM tasks\n"
        "WHERE dispatch_ns IS NOT NULL AND start_ns IS NOT NULL\n"
        "ORDER BY waited_ns DESC LIMIT 50",
    ),
    (
        "What did the controllers spend their time on?",
        "SELECT lane, kind, count(*) AS phases, sum(end_ns - start_ns) / 1e6 AS total_ms\n"
        "FROM phases WHERE end_ns IS NOT NULL GROUP BY lane, kind ORDER BY total_ms DESC",
    ),
    (
        "Which tasks have the most successors?",
        "SELECT e.pred AS task, count(*) AS successors FROM edges e\n"
        "GROUP BY e.pred ORDER BY successors DESC LIMIT 50",
    ),
)
"""Questions that the page offers, each with its SQL."""


def offered() -> dict[str, Any]:
    """What the page knows of SQL before a question: whether it can be asked, and what is ready."""
    if find_spec("duckdb") is None:
        return {"missing": "pip install 'lanescope[sql]'"}
    tables = {name: [column.name for column in SCHEMA[name].columns] for name in SCHEMA}
    return {"ready": [list(one) for one in READY], "tables": tables}


class SqlTables:
    """The tables of a trace as files that a question reads; written when first asked about."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files: dict[str, str] = {}
        self._lock = Lock()

    def answer(self, sql: Any) -> dict[str, Any]:
        """Columns, rows and the bars they are about; or a sentence under `error`."""
        if not isinstance(sql, str) or len(sql) > _MOST_SQL:
            return {"error": f"A question has at most {_MOST_SQL:,} characters."}
        if find_spec("duckdb") is None:
            return {"error": "This needs the package duckdb: pip install 'lanescope[sql]'"}
        names = [name for name in SCHEMA if re.search(rf"\b{name}\b", sql, re.IGNORECASE)]
        large = [name for name in names if len(self._trace.table(name)) > MOST_ROWS]
        if large:
            return {
                "error": f"The table {large[0]} has more than {MOST_ROWS:,} rows; "
                "--since and --until show a part that can be asked about."
            }
        if not _RUNNING.acquire(blocking=False):
            return {"error": f"{AT_ONCE} questions are being answered; ask again after them."}
        try:
            told = _ask(sql, self._written(names))
        finally:
            _RUNNING.release()
        return told | {"bars": self._bars(told)}

    def close(self) -> None:
        """Remove the files."""
        with self._lock:
            if self._folder is not None:
                self._folder.cleanup()
            self._folder, self._files = None, {}

    def _written(self, names: list[str]) -> dict[str, str]:
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="lanescope-sql-")
            for name in names:
                if name not in self._files:
                    path = Path(self._folder.name) / f"{name}.arrow"
                    table = self._trace.table(name).to_arrow()
                    with pa.OSFile(str(path), "wb") as sink:
                        with pa.ipc.new_file(sink, table.schema) as writer:
                            writer.write_table(table)
                    self._files[name] = str(path)
            return {name: self._files[name] for name in names}

    def _bars(self, told: dict[str, Any]) -> list[list[int]]:
        """Core and start of the tasks that the rows are about, by those columns or by `task`."""
        columns = told.get("columns", [])
        tasks = self._trace.tasks
        if "core" in columns and "start_ns" in columns:
            places = columns.index("core"), columns.index("start_ns")
            pairs = [[row[place] for place in places] for row in told["rows"]]
            return [pair for pair in pairs if all(type(one) is int for one in pair)]
        if "task" not in columns:
            return []
        place = columns.index("task")
        wanted = [
            int(row[place]) for row in told["rows"] if str(row[place]).lstrip("-").isdecimal()
        ]
        rows = np.flatnonzero(np.isin(tasks["task"], wanted) & self._trace.ran())
        picked = rows[:_MOST_HIGHLIGHTS]
        core, start = tasks["core"][picked].tolist(), tasks["start_ns"][picked].tolist()
        return [list(pair) for pair in zip(core, start, strict=True)]


def _ask(sql: str, files: dict[str, str]) -> dict[str, Any]:
    """Ask a process of its own, which is ended when its time is over."""
    question = json.dumps({"sql": sql, "files": files})
    command = [sys.executable, "-m", "lanescope.viewer.sql_job"]
    try:
        done = subprocess.run(
            command, input=question.encode(), capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"The question took more than {SECONDS:.0f} s and was ended."}
    if done.returncode or len(done.stdout) > _MOST_BYTES:
        return {"error": "The question needs too much memory."}
    told = json.loads(done.stdout)
    assert isinstance(told, dict)
    return told
