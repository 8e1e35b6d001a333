"""Traces written by hand: rows as dicts, words as text, everything not given is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanescope.trace import SCHEMA, LedgerEntry, Meta, Table, Trace, Words

Row = dict[str, Any]

TIMES = ("dispatch_ns", "receive_ns", "start_ns", "end_ns", "finish_ns")


def make_trace(meta: Row | None = None, **tables: Sequence[Row]) -> Trace:
    words = Words()
    built = {name: make_table(name, rows, words) for name, rows in tables.items()}
    facts = {"name": "hand", "tool": "tests", "origin": "simulated", **(meta or {})}
    return Trace(meta=Meta(**facts), words=words.freeze(), **built)


def make_table(name: str, rows: Sequence[Row], words: Words) -> Table:
    columns = {}
    for column in SCHEMA[name].columns:
        values = [row.get(column.name, column.missing) for row in rows]
        if column.type == "word":
            values = [words.code(v) if isinstance(v, str) else v for v in values]
        columns[column.name] = np.array(values, column.dtype)
    return Table.build(name, columns)


def task(core: int, *times: int | None, **more: Any) -> Row:
    """A run on a core: dispatch, receive, start, end, finish; None is missing."""
    known = {n: t for n, t in zip(TIMES, times, strict=True) if t is not None}
    return {"core": core, "kind": "run", **known, **more}


def phase(kind: str, start: int, end: int, **more: Any) -> Row:
    return {
        "lane": "scheduler",
        "controller": 0,
        "kind": kind,
        "start_ns": start,
        "end_ns": end,
        **more,
    }


def entry(lane: str, total: int, delivered: int, **more: Any) -> LedgerEntry:
    return LedgerEntry(lane=lane, kind="core_task", total=total, delivered=delivered, **more)
