"""Rows of the host's threads: calls of CUDA, NVTX ranges and marks, the profiler's own overhead."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from lanescope.formats.columns import Columns, Tables, require, require_times
from lanescope.formats.nsys.lanes import LaunchKeys, NsysThreads, process_of
from lanescope.formats.nsys.operators import inherited
from lanescope.formats.streams import HostRows
from lanescope.formats.streams.recording import CATEGORIES
from lanescope.trace import MISSING
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array

_CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
_RANGES = "NVTX_EVENTS"
_OVERHEADS = ("CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD")
_MARK, _PUSH_POP, _START_END = 34, 59, 60
_OP_ID = re.compile(r", op_id = (\d{1,18})(?=,|$)")
_EXTRAS = re.compile(r", (?:op_id|seq) = \d{1,18}(?=,|$)")
"""PyTorch's `emit_nvtx` appends both to an operator's name: torch/csrc/autograd/profiler_legacy."""


@dataclass(frozen=True, slots=True)
class NsysHost:
    """The rows of all threads, in one order: calls, then overhead, then ranges."""

    thread: Array
    """global id"""
    name: Array
    names: list[str]
    category: Array
    start: Array
    end: Array
    correlation: Array
    op_id: Array
    open_ranges: int

    @classmethod
    def of(cls, tables: Tables, strings: dict[int, str]) -> NsysHost:
        """Read the tables that are there."""
        names: dict[str, int] = {}
        parts = [_read(tables, _CALLS, "call", strings, names)]
        parts += [_read(tables, table, "overhead", strings, names) for table in _OVERHEADS]
        ranges, open_ranges = _ranges(tables, strings, names)
        parts.append(ranges)
        columns = {key: np.concatenate([part[key] for part in parts]) for key in ranges}
        latest = int(columns["end"].max(initial=0))
        columns["end"] = np.where(columns["end"] == MISSING, latest, columns["end"])
        columns["end"] = np.where(
            columns.pop("open") == 1, np.maximum(columns["end"], columns["start"]), columns["end"]
        )
        return cls(names=list(names), open_ranges=open_ranges, **columns)

    def rows(self, threads: NsysThreads, launches: LaunchKeys) -> HostRows:
        """As every importer of streams gives them."""
        thread = threads.place(self.thread)
        process = process_of(self.thread)
        is_call = self.category == CATEGORIES.index("call")
        launch = launches.number(process, np.where(is_call, self.correlation, MISSING))
        op = launches.number(process, self.op_id)
        return HostRows(
            thread=thread,
            name=self.name,
            names=self.names,
            category=self.category,
            start=self.start,
            end=self.end,
            launch=launch,
            op=inherited(thread, self.start, self.end, op),
        )


def _read(
    tables: Tables, table: str, category: str, strings: dict[int, str], names: dict[str, int]
) -> dict[str, Array]:
    rows = tables.read(table, ("start", "end", "globalTid", "correlationId", "nameId"))
    _require(tables, table, rows, ("start", "end"))
    used, code = numbered(rows["nameId"])
    texts = [strings.get(key, "") or f"({category} without a name)" for key in used.tolist()]
    numbers = np.array([names.setdefault(text, len(names)) for text in texts], np.int64)
    return {
        "thread": rows["globalTid"],
        "name": numbers[code],
        "category": np.full(rows.count, CATEGORIES.index(category)),
        "start": rows["start"],
        "end": rows["end"],
        "correlation": rows["correlationId"],
        "op_id": np.full(rows.count, MISSING),
        "open": np.zeros(rows.count, np.int64),
    }


def _ranges(
    tables: Tables, strings: dict[int, str], names: dict[str, int]
) -> tuple[dict[str, Array], int]:
    """Ranges and marks, and how many ranges never ended; other events only name things."""
    wanted = ("start", "end", "eventType", "globalTid", "textId")
    rows = tables.read(_RANGES, wanted, texts=("text",))
    kind = rows["eventType"]
    kept = np.isin(kind, (_MARK, _PUSH_POP, _START_END))
    _require(tables, _RANGES, rows, ("start",))
    text, op_id, code = _texts(rows, strings)
    numbers = np.array([names.setdefault(one, len(names)) for one in text], np.int64)
    is_operator = op_id[code] != MISSING
    start, end = rows["start"], np.where(kind == _MARK, rows["start"], rows["end"])
    is_open = (end == MISSING) & kept
    category = np.where(is_operator, CATEGORIES.index("operator"), CATEGORIES.index("annotation"))
    columns = {
        "thread": rows["globalTid"],
        "name": numbers[code] if len(numbers) else code,
        "category": category,
        "start": start,
        "end": end,
        "correlation": np.full(rows.count, MISSING),
        "op_id": op_id[code],
        "open": is_open.astype(np.int64),
    }
    kept_columns = {key: column[kept] for key, column in columns.items()}
    return kept_columns, int(is_open.sum())


def _texts(rows: Columns, strings: dict[int, str]) -> tuple[list[str], Array, Array]:
    """Different names, the operator number of each, and which of them each row has."""
    inline = rows.texts["text"]
    ids, by_id = numbered(rows["textId"])
    raw = [*inline.texts, *(strings.get(key, "") for key in ids.tolist())]
    code = np.where(inline.codes >= 0, inline.codes, len(inline.texts) + by_id)
    op_ids = [int(found[1]) if (found := _OP_ID.search(one)) else MISSING for one in raw]
    names = [_EXTRAS.sub("", one) or "(no text)" for one in raw]
    return names, np.array([*op_ids, MISSING], np.int64), code


def _require(tables: Tables, table: str, rows: Columns, names: tuple[str, ...]) -> None:
    if rows.count:
        require(tables, table, rows, names)
    for name in ("start", "end"):
        require_times(tables, table, rows[name], name)
