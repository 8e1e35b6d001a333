"""The JSON of rocprofv3: one entry per process, its records in lists by kind.

Source: rocprofiler-sdk `source/lib/output/generateJSON.cpp`. Names of calls are in `strings`, by
kind and operation; those of kernels in `kernel_symbols`, by kernel id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.columns import whole_id
from lanescope.formats.json_cells import Cell, integer, nested, text
from lanescope.formats.json_file import JsonFile, decode_span, part_of, split_array
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows
from lanescope.formats.rocprof.rows import (
    Calls,
    Copies,
    Dispatches,
    RocAgent,
    RocRows,
    kernel_name,
)
from lanescope.trace import MISSING
from lanescope.trace.table import Array

TOOL = "rocprofiler-sdk-tool"
_FAR = 1 << 61
_MANY = 1 << 20
_CALLS = ("hip_api", "hsa_api", "rccl_api", "rocdecode_api", "rocjpeg_api", "marker_api")
_RANGES = "marker_api"
_GPU = 2


def _whole(key: str) -> Cell:
    return integer(key, lenient=True)


def _handle(key: str) -> Cell:
    return nested(key, (_whole("handle"),))


_SIZES = ("x", "y", "z")
_TIMED = (
    integer("start_timestamp"),
    integer("end_timestamp"),
    nested("correlation_id", (_whole("internal"),)),
)
_CALL = (*_TIMED, _whole("kind"), _whole("operation"), _whole("thread_id"))
_DISPATCH = (
    *_TIMED,
    nested(
        "dispatch_info",
        (
            _handle("agent_id"),
            _handle("queue_id"),
            _whole("kernel_id"),
            _whole("group_segment_size"),
            nested("workgroup_size", tuple(_whole(one) for one in _SIZES)),
            nested("grid_size", tuple(_whole(one) for one in _SIZES)),
        ),
    ),
    _handle("stream_id"),
)
_COPY = (*_CALL, _handle("src_agent_id"), _handle("dst_agent_id"), _whole("bytes"))
_SYMBOL = (
    _whole("kernel_id"),
    _whole("arch_vgpr_count"),
    text("formatted_kernel_name", required=False, texts=_MANY),
    text("kernel_name", required=False, texts=_MANY),
)


class _Parts:
    """A JSON object's values, each a piece of the file."""

    def __init__(self, span: TextSpan, what: str) -> None:
        self.what = what
        raw = decode_span(span, dict[str, msgspec.Raw], what=what)
        self.values = {key: part_of(span, value) for key, value in raw.items()}

    def inner(self, key: str) -> _Parts | None:
        """An object inside; None where there is none."""
        if key not in self.values:
            return None
        return _Parts(self.values[key], f"{self.what}, {key!r}")

    def rows(self, key: str, cells: tuple[Cell, ...]) -> Rows | None:
        """The rows of a list inside; None where there is none."""
        if key not in self.values:
            return None
        rows = read_object_rows(self.values[key], cells, what=key)
        for name in ("start_timestamp", "end_timestamp"):
            far = np.flatnonzero(rows.columns.get(name, np.empty(0)) >= _FAR)
            if len(far):
                problem = f"{key} row {int(far[0])}, {name!r}: the time is more than 73 years"
                raise InputError(self.values[key].path, problem)
        return rows

    def count(self, key: str) -> int:
        """How many elements a list inside has; 0 where it is none."""
        return len(self.decoded(key, list[msgspec.Raw]))

    def decoded(self, key: str, kind: Any) -> Any:
        """A small value; its empty form where it is absent or of another type."""
        try:
            return decode_span(self.values[key], kind, what=key)
        except (KeyError, InputError):
            return (getattr(kind, "__origin__", None) or kind)()


def json_processes(json: JsonFile) -> Iterator[RocRows]:
    """What each process of a file recorded."""
    for number, span in enumerate(split_array(json.values[TOOL], what=TOOL)):
        yield _process(_Parts(span, f"{TOOL} {number}"))


def _process(tool: _Parts) -> RocRows:
    about = tool.decoded("metadata", dict[str, Any])
    told = whole_id(about.get("pid"))
    process = MISSING if told is None else told
    records = tool.inner("buffer_records")
    rows = RocRows(agents=_agents(tool.decoded("agents", list[Any])), facts=_facts(about))
    if records is None:
        return rows
    names = _operations(tool)
    rows.dispatches = _dispatches(tool, records, process)
    copies = records.rows("memory_copy", _COPY)
    if copies is not None and copies.count:
        name, texts = _named(copies, names, "copy")
        rows.copies = Copies(
            process=np.full(copies.count, process),
            source=copies["src_agent_id.handle"],
            target=copies["dst_agent_id.handle"],
            name=name,
            names=texts,
            start=copies["start_timestamp"],
            end=copies["end_timestamp"],
            correlation=copies["correlation_id.internal"],
            bytes=copies["bytes"],
        )
    rows.calls = _calls(tool, records, names, process)
    read = {*_CALLS, "kernel_dispatch", "memory_copy"}
    rows.left_out = {key: records.count(key) for key in records.values if key not in read}
    counted = tool.inner("callback_records")
    rows.left_out["counter_collection"] = counted.count("counter_collection") if counted else 0
    return rows


def _facts(about: dict[str, Any]) -> dict[str, Any]:
    node = about.get("node")
    host = node.get("hostname") if isinstance(node, dict) else None
    return {"host": host[:256]} if isinstance(host, str) else {}


def _agents(agents: list[Any]) -> dict[int, RocAgent]:
    known = {}
    gpus = 0
    for agent in agents:
        handle = agent.get("id", {}).get("handle") if isinstance(agent, dict) else None
        if not isinstance(handle, int):
            continue
        is_gpu = agent.get("type") == _GPU
        number = agent.get("logical_node_type_id")
        device = number if isinstance(number, int) and 0 <= number < 1 << 31 else gpus
        name = agent.get("product_name") or agent.get("name")
        known[handle] = RocAgent(device if is_gpu else None, name if isinstance(name, str) else "")
        gpus += is_gpu
    return known


def _operations(tool: _Parts) -> dict[tuple[int, int], str]:
    """(kind, operation) → its name."""
    strings = tool.inner("strings")
    kinds = [] if strings is None else strings.decoded("buffer_records", list[Any])
    return {
        (kind, operation): name
        for kind, one in enumerate(kinds)
        if isinstance(one, dict) and isinstance(one.get("operations"), list)
        for operation, name in enumerate(one["operations"])
        if isinstance(name, str)
    }


def _named(rows: Rows, names: dict[tuple[int, int], str], what: str) -> tuple[Array, list[str]]:
    """The name of each row, by its kind and operation."""
    used, code = np.unique(
        np.stack([rows["kind"], rows["operation"]], axis=1), axis=0, return_inverse=True
    )
    texts = [names.get((k, o)) or f"{what} without a name" for k, o in used.tolist()]
    return code.reshape(-1), texts


def _dispatches(tool: _Parts, records: _Parts, process: int) -> Dispatches:
    rows = records.rows("kernel_dispatch", _DISPATCH)
    if rows is None or not rows.count:
        return Dispatches()
    info = "dispatch_info."
    used, code = np.unique(rows[f"{info}kernel_id"], return_inverse=True)
    names, registers = _symbols(tool, used)
    return Dispatches(
        process=np.full(rows.count, process),
        agent=rows[f"{info}agent_id.handle"],
        queue=rows[f"{info}queue_id.handle"],
        stream=rows["stream_id.handle"],
        name=code.reshape(-1),
        names=names,
        start=rows["start_timestamp"],
        end=rows["end_timestamp"],
        correlation=rows["correlation_id.internal"],
        workgroup=np.stack([rows[f"{info}workgroup_size.{one}"] for one in _SIZES], axis=1),
        grid=np.stack([rows[f"{info}grid_size.{one}"] for one in _SIZES], axis=1),
        shared=rows[f"{info}group_segment_size"],
        registers=registers[code.reshape(-1)],
    )


def _symbols(tool: _Parts, used: Array) -> tuple[list[str], Array]:
    """Names and vector registers of these kernels."""
    rows = tool.rows("kernel_symbols", _SYMBOL)
    if rows is None or not rows.count:
        return [kernel_name(one) for one in used.tolist()], np.full(len(used), MISSING)
    row_of = {kernel: row for row, kernel in enumerate(rows["kernel_id"].tolist())}
    names, registers = [], []
    for kernel in used.tolist():
        row = row_of.get(kernel)
        found = (
            []
            if row is None
            else [
                rows.values[key][rows[key][row]]
                for key in ("formatted_kernel_name", "kernel_name")
                if rows[key][row] != MISSING
            ]
        )
        names.append(
            next((one for one in found if isinstance(one, str) and one), kernel_name(kernel))
        )
        registers.append(MISSING if row is None else int(rows["arch_vgpr_count"][row]))
    return names, np.array(registers, np.int64)


def _calls(tool: _Parts, records: _Parts, names: dict[tuple[int, int], str], process: int) -> Calls:
    """Calls of all runtimes one after the other."""
    parts = []
    for key in _CALLS:
        rows = records.rows(key, _CALL)
        if rows is not None and rows.count:
            parts.append((key, rows))
    if not parts:
        return Calls()
    messages = _messages(tool)
    code: list[Array] = []
    texts: list[str] = []
    for key, rows in parts:
        own, called = _named(rows, names, key)
        if key == _RANGES:
            own, called = _with_messages(rows, own, called, messages)
        code.append(own + len(texts))
        texts += called

    def joined(name: str) -> Array:
        return np.concatenate([rows[name] for _, rows in parts])

    count = sum(rows.count for _, rows in parts)
    return Calls(
        process=np.full(count, process),
        thread=joined("thread_id"),
        name=np.concatenate(code),
        names=texts,
        start=joined("start_timestamp"),
        end=joined("end_timestamp"),
        correlation=joined("correlation_id.internal"),
        is_range=np.concatenate([np.full(rows.count, key == _RANGES) for key, rows in parts]),
    )


def _messages(tool: _Parts) -> dict[int, str]:
    """Correlation → the text of a marker."""
    strings = tool.inner("strings")
    markers = [] if strings is None else strings.decoded(_RANGES, list[Any])
    return {
        one["key"]: one["value"]
        for one in markers
        if isinstance(one, dict)
        and isinstance(one.get("key"), int)
        and isinstance(one.get("value"), str)
    }


def _with_messages(
    rows: Rows, code: Array, names: list[str], messages: dict[int, str]
) -> tuple[Array, list[str]]:
    """Markers are called by their text where they have one."""
    correlation = rows["correlation_id.internal"].tolist()
    texts = [
        messages.get(one) or names[k] for one, k in zip(correlation, code.tolist(), strict=True)
    ]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(texts))}
    return np.array([numbers[one] for one in texts], np.int64), list(numbers)
