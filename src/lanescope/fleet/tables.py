"""The two tables of a fleet's index, as they lie on disk and as SQL sees them.

`traces` has a row per trace or job, also for those that failed; `measures` a row per trace and
measure. docs/fleet.md shows the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from lanescope.fleet.measured import Measure

IN, FAILED, GONE = "in", "failed", "gone"
"""What became of a trace. Gone ones are not in the index; only its parts know the word."""

TRACES = pa.schema(
    [
        ("trace", pa.string()),
        ("root", pa.string()),
        ("kind", pa.string()),
        ("job", pa.string()),
        ("status", pa.string()),
        ("why", pa.string()),
        ("name", pa.string()),
        ("workload", pa.string()),
        ("origin", pa.string()),
        ("chip", pa.string()),
        ("tool", pa.string()),
        ("commit", pa.string()),
        ("host", pa.string()),
        ("date", pa.timestamp("us")),
        ("date_from", pa.string()),
        ("rank", pa.int32()),
        ("world", pa.int32()),
        ("run", pa.string()),
        ("labels", pa.map_(pa.string(), pa.string())),
        ("bytes", pa.int64()),
        ("fingerprint", pa.string()),
    ]
)
"""A text that is not known is empty, a number that is not known is null."""

MEASURES = pa.schema(
    [
        ("trace", pa.string()),
        ("group", pa.string()),
        ("name", pa.string()),
        ("value", pa.float64()),
        ("unit", pa.string()),
        ("runs", pa.int64()),
    ]
)

COLUMNS = {
    "traces": {
        "trace": "Path or URL of the trace or job.",
        "root": "The folder or URL that was indexed when it was found.",
        "kind": "`trace` or `job`.",
        "job": "The job that the trace is a rank of.",
        "status": "`in`, or `failed`.",
        "why": "Why it failed, in a sentence.",
        "name": "The run's name.",
        "workload": "What it is compared with: the label `workload`, else the run's name.",
        "origin": "`imported`, `simulated`, `measured` or `predicted`.",
        "chip": "The chip's name.",
        "tool": "What wrote the trace.",
        "commit": "The label `commit`, else what the trace says.",
        "host": "The label `host`, else what the trace says.",
        "date": "The label `date`, else UTC at 0 ns of the trace, else when it was stored.",
        "date_from": "Which of these it is: `label`, `trace` or `stored`.",
        "rank": "The rank that the trace is of.",
        "world": "Number of ranks of the job.",
        "run": "What the source calls the run.",
        "labels": "Labels by name.",
        "bytes": "Size of its files.",
        "fingerprint": "Sizes and times of its files: another text after it was written anew.",
    },
    "measures": {
        "trace": "As in `traces`.",
        "group": "Group of the measure, such as `run`, `core time` or `function`.",
        "name": "Name of the measure, such as `makespan`.",
        "value": "The value in its unit.",
        "unit": "`ns`, `count` or `ratio`.",
        "runs": "Of a function: over how many runs `value` is the mean.",
    },
}
"""What the columns mean; docs/fleet.md has the same table."""


def traces_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows of `traces`; a column that a row does not have is empty or null."""
    columns = {}
    for column in TRACES:
        empty: Any = "" if pa.types.is_string(column.type) else None
        values = [row.get(column.name, empty) for row in rows]
        columns[column.name] = pa.array(values, column.type)
    return pa.table(columns, TRACES)


def measures_table(rows: Iterable[tuple[str, Sequence[Measure]]]) -> pa.Table:
    """Rows of `measures`, from each trace and its measures."""
    flat = [(trace, *measure) for trace, measures in rows for measure in measures]
    columns = list(zip(*flat, strict=True)) if flat else [()] * len(MEASURES)
    arrays = [pa.array(values, one.type) for values, one in zip(columns, MEASURES, strict=True)]
    return pa.table(arrays, schema=MEASURES)
