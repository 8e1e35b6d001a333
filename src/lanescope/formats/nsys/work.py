"""Kernels, copies, fills and whole graphs: what ran on the streams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lanescope.formats.columns import (
    Columns,
    Tables,
    different_rows,
    require,
    require_times,
)
from lanescope.formats.nsys.lanes import LANE_KEY, LaunchKeys, NsysStreams
from lanescope.formats.streams import DeviceRows
from lanescope.formats.streams.kernels import communicates
from lanescope.formats.streams.recording import WORK
from lanescope.trace import MISSING
from lanescope.trace.table import Array

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY"
FILLS = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
_ALL = ("start", "end", "correlationId", "graphNodeId", *LANE_KEY)
_GRID = ("gridX", "gridY", "gridZ")
_BLOCK = ("blockX", "blockY", "blockZ")
_SHARED = ("staticSharedMemory", "dynamicSharedMemory")
_NAMES = ("demangledName", "shortName", "mangledName")
_MORE = {
    KERNELS: (*_NAMES, "registersPerThread", *_GRID, *_BLOCK, *_SHARED),
    COPIES: ("bytes", "copyKind", "srcKind", "dstKind"),
    FILLS: ("bytes", "memKind"),
    GRAPHS: ("graphId",),
}
_COPY_KINDS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP"}
_COPY = "ENUM_CUDA_MEMCPY_OPER"
_MEMORY = "ENUM_CUDA_MEM_KIND"


@dataclass(slots=True)
class NsysWork:
    """The tables of what ran on streams, as they were read."""

    parts: dict[str, Columns] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Tables) -> NsysWork:
        """Read the tables; one that is not there has no rows."""
        work = cls()
        for table, more in _MORE.items():
            part = tables.read(table, (*_ALL, *more))
            require(tables, table, part, ("start", "end") if part.count else ())
            for name in ("start", "end"):
                require_times(tables, table, part[name], name)
            work.parts[table] = part
        return work

    @property
    def processes(self) -> list[Array]:
        """The process of every row, table by table."""
        return [part["globalPid"] for part in self.parts.values()]

    def joined(self, name: str) -> Array:
        """A column of all tables one after the other; MISSING where a table lacks it."""
        return np.concatenate(
            [np.empty(0, np.int64)]
            + [part.numbers.get(name, np.full(part.count, MISSING)) for part in self.parts.values()]
        )


def device_rows(
    tables: Tables,
    work: NsysWork,
    streams: NsysStreams,
    launches: LaunchKeys,
    strings: dict[int, str],
) -> DeviceRows:
    """The rows of all tables; kernels first."""
    names: dict[str, int] = {}
    name, kind = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for table, part in work.parts.items():
        texts, code = _called(table, part, tables, strings)
        numbers = np.array([names.setdefault(text, len(names)) for text in texts], np.int64)
        name.append(numbers[code])
        kind.append(_kinds(table, texts)[code])
    lanes = [streams.place(part) for part in work.parts.values()]
    return DeviceRows(
        lane=np.concatenate([np.empty(0, np.int64), *lanes]),
        name=np.concatenate(name),
        names=list(names),
        work=np.concatenate(kind),
        start=work.joined("start"),
        end=work.joined("end"),
        launch=launches.number(work.joined("globalPid"), work.joined("correlationId")),
        values=_values(work),
    )


def _called(
    table: str, part: Columns, tables: Tables, strings: dict[int, str]
) -> tuple[list[str], Array]:
    """The different names of a table's rows, and which of them each row has."""
    if table == KERNELS:
        chosen = part[_NAMES[0]]
        known = [key for key, text in strings.items() if text]
        for name in _NAMES[1:]:
            chosen = np.where(np.isin(chosen, known), chosen, part[name])
        keys = [chosen]
    elif table == COPIES:
        keys = [part["copyKind"], part["srcKind"], part["dstKind"]]
    elif table == FILLS:
        keys = [part["memKind"]]
    else:
        keys = [part["graphId"]]
    used, code = different_rows(*keys)
    return _texts(table, used.tolist(), tables, strings), code


def _texts(table: str, keys: list[list[int]], tables: Tables, strings: dict[int, str]) -> list[str]:
    if table == KERNELS:
        return [strings.get(key, "") or "(no name)" for (key,) in keys]
    if table == GRAPHS:
        return [f"graph {key}" if key != MISSING else "graph" for (key,) in keys]
    memory = _labels(tables, _MEMORY)
    if table == FILLS:
        return [f"Memset ({memory.get(key, 'unknown')})" for (key,) in keys]
    copies = _labels(tables, _COPY)
    return [
        f"Memcpy {_COPY_KINDS.get(kind) or copies.get(kind, 'of an unknown kind')} "
        f"({memory.get(source, 'unknown')} -> {memory.get(target, 'unknown')})"
        for kind, source, target in keys
    ]


def _labels(tables: Tables, table: str) -> dict[int, str]:
    """What the numbers of an enumeration are called."""
    rows = tables.read(table, ("id",), texts=("label",))
    label = rows.texts["label"]
    return {
        number: label.texts[code]
        for number, code in zip(rows["id"].tolist(), label.codes.tolist(), strict=True)
        if code >= 0
    }


def _kinds(table: str, texts: list[str]) -> Array:
    if table == KERNELS:
        talks = communicates(texts)
        return np.where(talks, WORK.index("communication"), WORK.index("compute"))
    fixed = {COPIES: WORK.index("copy"), FILLS: WORK.index("fill")}.get(table, -1)
    return np.full(len(texts), fixed)


def _values(work: NsysWork) -> dict[str, Array]:
    """Counters of the rows. A node 0 says that no graph launched it: CUPTI `cupti_activity.h`."""
    node = work.joined("graphNodeId")
    values = {
        "bytes": _number(work.joined("bytes")),
        "blocks": _product(work, _GRID),
        "threads": _product(work, _BLOCK),
        "registers": _number(work.joined("registersPerThread")),
        "shared memory": _number(work.joined(_SHARED[0])) + _number(work.joined(_SHARED[1])),
        "graph node": np.where(node > 0, node, np.nan),
    }
    return {name: value for name, value in values.items() if not np.isnan(value).all()}


def _number(values: Array) -> Array:
    return np.where(values >= 0, values, np.nan)


def _product(work: NsysWork, names: tuple[str, ...]) -> Array:
    sizes = [_number(work.joined(name)) for name in names]
    result: Array = sizes[0] * sizes[1] * sizes[2]
    return result
