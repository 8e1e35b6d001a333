"""docs/trace-format.md, written from the schema: run `python -m lanescope.trace.document`."""

from __future__ import annotations

import ast
import inspect
import sys
from enum import IntFlag

from lanescope.trace.flags import EXPORT_VERSIONS, LEVEL_DOCS, Feature
from lanescope.trace.meta import (
    BufferSize,
    FunctionWork,
    HostClock,
    LedgerEntry,
    Meta,
    ProgramWork,
    RecordingFacts,
    RoofFacts,
    ScheduleFacts,
    Source,
    WaitFacts,
    WorkFacts,
)
from lanescope.trace.schema import SCHEMA_VERSION, Column, EdgeFlag, TableSchema, TaskFlag
from lanescope.trace.tables import SCHEMA

_INTRO = f"""# The trace format

This page is written by `python -m lanescope.trace.document` from `src/lanescope/trace/schema.py`
and `meta.py`; a test keeps it current. Schema version: {SCHEMA_VERSION}.

A trace is a directory `NAME.lanes/`: `meta.json`, one Parquet file per table, and `checksums.json`
with the size, SHA-256 and number of rows of each, which `lanescope verify` compares. Times are
whole nanoseconds from the trace's base (`*_ns`) beside the device's own count (`*_cycles`), never
floats. A value that is not known is null. The directory is put in place by one rename when it is
complete; on an object store `meta.json` is written last ([object-stores.md](object-stores.md)).

Any Parquet reader opens the tables. With DuckDB, the busiest functions of a run:

```python
import duckdb

print(duckdb.sql(\"\"\"
    select f.name, count(*) as tasks, sum(end_ns - start_ns)::bigint as busy_ns
    from 'run.lanes/tasks.parquet' join 'run.lanes/functions.parquet' f using (func)
    where kind = 'run' group by f.name order by busy_ns desc
\"\"\"))
```

In Python the same tables are numpy columns:

```python
import lanescope

trace = lanescope.load("run.lanes")
busy = (trace.tasks["end_ns"] - trace.tasks["start_ns"])[trace.ran()]
print(trace.meta.name, len(busy), "tasks,", busy.sum(), "ns busy")
```

There a null is `lanescope.trace.MISSING` (int64), `MISSING32` (int32), `NaN` or, for text,
`NO_WORD`; text columns hold codes into `trace.words`. `to_arrow()`, `to_pandas()` (with pandas
installed) and `to_dict()` of a table have text and nulls instead:

```python
import lanescope

tasks = lanescope.load("run.lanes").tasks.to_pandas()
print(tasks.groupby("kind")["end_ns"].agg(["count", "max"]))
```
"""

_STRUCTS = (
    *(Meta, Source, LedgerEntry, HostClock),
    *(RecordingFacts, BufferSize, WorkFacts, RoofFacts, FunctionWork, ProgramWork),
    *(ScheduleFacts, WaitFacts),
)
"""Of meta.json, in the page's order."""
_TYPES = {"i64": "int64", "i32": "int32", "f64": "double", "word": "string"}


def trace_format() -> str:
    """The whole page as Markdown."""
    parts = [_INTRO, "## Tables\n"]
    parts += [_table(schema) for schema in SCHEMA.values()]
    parts.append("## Levels\n\n" + _levels())
    parts.append("## meta.json\n")
    parts += [_struct(kind) for kind in _STRUCTS]
    return "\n".join(parts)


def _table(schema: TableSchema) -> str:
    since = f" Since {schema.since}." if schema.since else ""
    lines = [f"### {schema.name}", "", schema.doc + since, "", "| column | type | meaning |"]
    lines.append("|---|---|---|")
    lines += [f"| `{c.name}` | {_TYPES[c.type]} | {c.doc}{_since(c)} |" for c in schema.columns]
    flags = {"tasks": TaskFlag, "edges": EdgeFlag}.get(schema.name)
    if flags is not None:
        lines += ["", "| bit | name | meaning |", "|---|---|---|", *_bits(flags)]
    return "\n".join(lines) + "\n"


def _since(column: Column) -> str:
    return f" (since {column.since})" if column.since else ""


def _bits(flags: type[IntFlag]) -> list[str]:
    docs = _attribute_docs(flags)
    return [f"| {int(bit)} | {bit.name} | {docs.get(bit.name or '', '')} |" for bit in flags]


def _levels() -> str:
    lines = ["| level | recorded | exported schema version |", "|---|---|---|"]
    for level, doc in enumerate(LEVEL_DOCS):
        version = EXPORT_VERSIONS[level] if level else "–"
        lines.append(f"| {level} | {doc} | {version} |")
    lines += ["", "Bits of `meta.flags`:", "", "| bit | feature |", "|---|---|"]
    lines += [f"| {int(bit)} | {(bit.name or '').lower()} |" for bit in Feature]
    return "\n".join(lines) + "\n"


def _struct(kind: type) -> str:
    docs = _attribute_docs(kind)
    lines = [f"### {kind.__name__}", "", inspect.getdoc(kind) or "", "", "| key | meaning |"]
    lines.append("|---|---|")
    lines += [f"| `{name}` | {docs.get(name, '')} |" for name in kind.__annotations__]
    return "\n".join(lines) + "\n"


def _attribute_docs(kind: type) -> dict[str, str]:
    """Attribute name to the string below it, for a class."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for before, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            target = before.target if isinstance(before, ast.AnnAssign) else None
            if isinstance(before, ast.Assign):
                target = before.targets[0]  # type: ignore[assignment]
            if isinstance(target, ast.Name):
                docs[target.id] = " ".join(str(after.value.value).split())
    return docs


if __name__ == "__main__":
    sys.stdout.write(trace_format())
