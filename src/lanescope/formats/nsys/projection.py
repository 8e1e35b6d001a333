"""What nsys-jax keeps of a run: NVTX ranges of XLA, projected onto the GPU.

Every range has the time of the GPU work that it launched and its own time on the host. Ranges of
thunks are the operations; modules, autotuning and NCCL's own ranges repeat the time of those inside
or around them, so they become marks. The column `Rank` is 0 in every process and is not used: the
device is in the names of the threads. A range without a name is the process, and is left out.
Source: NVIDIA JAX-Toolbox `nsys_jax`, its Parquet files.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.columns import Columns, require_times
from lanescope.formats.nsys.kinds import RANGES, projection_file
from lanescope.formats.nsys.lanes import numbered_name
from lanescope.formats.parquet_tables import ParquetTables
from lanescope.formats.streams import (
    AnnotationRows,
    CollectiveRows,
    DeviceLane,
    DeviceRows,
    HostRows,
    HostThread,
    StreamRecording,
)
from lanescope.formats.streams.kernels import HLO_COLLECTIVES, collective_kind
from lanescope.formats.streams.recording import CATEGORIES, WORK
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_THREADS = "thread-metadata"
_DEVICES = "device-metadata"
_CHIP = "('TARGET_INFO_GPU', 'name')"
_TIMES = ("Projected Start", "Projected Duration")
_HOST_TIMES = ("Orig Start", "Orig Duration")
_IDS = ("PID", "TID", "RangeId", "ParentId")
_OP = re.compile(r"hlo_op=([^,#]+)")
_MODULE = re.compile(r"hlo_module=([^,#]+)")
_LAUNCHER = re.compile(r"XlaLauncher:#global=(\d{1,9})[,#]")
_COLLECTIVE = re.compile(rf"({'|'.join(HLO_COLLECTIVES)})(?:-start)?(?:\.\d+)?")
_DEEPEST = 64
_EXECUTION = 1 << 20
"""Most occurrences of an operation in one execution of its module."""


class Projection:
    """The ranges of one process, and who is around whom."""

    def __init__(self, tables: ParquetTables) -> None:
        self.tables = tables
        rows = tables.read(RANGES, (*_TIMES, *_HOST_TIMES, *_IDS), texts=("Name",))
        _require(tables, rows)
        self.rows = rows
        self.texts = rows.texts["Name"].texts
        self.name = rows.texts["Name"].codes
        self.thunk = self._which("TSL:Thunk:")
        self.module = self._which("TSL:XlaModule:")
        self.named = self.name >= 0
        self.start = rows[_TIMES[0]]
        self.end = self.start + rows[_TIMES[1]]
        self.parent = self._parents()

    def _which(self, prefix: str) -> Array:
        match = np.array([*(text.startswith(prefix) for text in self.texts), False], bool)
        mask: Array = match[self.name]
        return mask

    def _parents(self) -> Array:
        """Row of the range around each, -1 where there is none."""
        ids, wanted = self.rows["RangeId"], self.rows["ParentId"]
        order = np.argsort(ids, kind="stable")
        at = np.minimum(np.searchsorted(ids[order], wanted), max(len(ids) - 1, 0))
        if not len(ids):
            return at
        hit = (ids[order][at] == wanted) & (wanted != MISSING)
        return np.where(hit, order[at], -1)

    def modules(self, rows: Array) -> Array:
        """Row of the module around each of these rows; -1 where there is none."""
        found = self.parent[rows]
        for _ in range(_DEEPEST):
            outside = (found >= 0) & ~self.module[found]
            if not outside.any():
                break
            found = np.where(outside, self.parent[found], found)
        return np.where(self.module[found], found, -1)


def projected_recording(folder: Path) -> StreamRecording:
    """The recording of one folder: the ranges, the threads and the device."""
    tables = _Tables(folder)
    ranges = Projection(tables)
    thunks = np.flatnonzero(ranges.thunk)
    others = np.flatnonzero(ranges.named & ~ranges.thunk)
    ranks = _launchers(tables, ranges.rows)
    keys, lane = np.unique(
        np.stack([ranges.rows["PID"], ranks], axis=1), axis=0, return_inverse=True
    )
    lane = lane.reshape(-1)
    devices = tables.read(_DEVICES, texts=(_CHIP,)).texts[_CHIP]
    known = sorted({rank for _, rank in keys.tolist() if rank >= 0})
    host, threads = _host(ranges)
    return StreamRecording(
        lanes=[_lane(process, rank) for process, rank in keys.tolist()],
        threads=threads,
        work=_work(ranges, thunks, lane),
        host=host,
        annotations=AnnotationRows(
            lane=lane[others],
            name=ranges.name[others],
            names=ranges.texts,
            start=ranges.start[others],
            end=ranges.end[others],
        ),
        collectives=_collectives(ranges, thunks),
        facts={
            "rank": known[0] if len(known) == 1 else None,
            "process": int(keys[0, 0]) if len(keys) == 1 and keys[0, 0] != MISSING else None,
            "chip": " and ".join(devices.texts)[:256],
        },
    )


class _Tables(ParquetTables):
    """The tables of the folder; that of the ranges may lie in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        ranges = projection_file(folder)
        if ranges is not None:
            self.files[RANGES] = ranges
            self.names = frozenset(self.files)


def _require(tables: ParquetTables, rows: Columns) -> None:
    path = tables.files[RANGES]
    for name in _TIMES:
        missing = np.flatnonzero(rows[name] == MISSING)
        if len(missing):
            where = f"row {int(missing[0])}, {name!r}"
            raise InputError(path, f"{where}: a whole number of nanoseconds was expected")
    for name in (*_TIMES, *_HOST_TIMES):
        require_times(tables, RANGES, rows[name], name)


def _launchers(tables: ParquetTables, rows: Columns) -> Array:
    """The global device of each row: of its thread, else the only one of its process; else -1."""
    threads = tables.read(_THREADS, ("PID", "TID"), texts=("Name",))
    names = threads.texts["Name"]
    by_thread: dict[tuple[int, int], int] = {}
    by_process: dict[int, set[int]] = {}
    for code, text in enumerate(names.texts):
        found = _LAUNCHER.match(text)
        for row in np.flatnonzero(names.codes == code).tolist() if found else ():
            assert found is not None
            process, thread = int(threads["PID"][row]), int(threads["TID"][row])
            by_thread[process, thread] = int(found[1])
            by_process.setdefault(process, set()).add(int(found[1]))
    pairs = np.stack([rows["PID"], rows["TID"]], axis=1)
    used, place = np.unique(pairs, axis=0, return_inverse=True)
    numbers = []
    for process, thread in used.tolist():
        several = by_process.get(process, set())
        only = next(iter(several)) if len(several) == 1 else -1
        numbers.append(by_thread.get((process, thread), only))
    found_ranks: Array = np.array([*numbers, -1], np.int64)[place.reshape(-1)]
    return found_ranks


def _lane(process: int, rank: int) -> DeviceLane:
    known = rank >= 0
    return DeviceLane(
        name=f"device {rank}" if known else numbered_name("process", process),
        lane="track",
        device=rank if known else None,
        process=None if process == MISSING else process,
        rank=rank if known else None,
    )


def _short(text: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(text)
    return found[1] if found else text


def _work(ranges: Projection, thunks: Array, lane: Array) -> DeviceRows:
    names = [_short(text, _OP) for text in ranges.texts]
    talks = np.array([_COLLECTIVE.fullmatch(name) is not None for name in names], bool)
    communication, compute = WORK.index("communication"), WORK.index("compute")
    code = ranges.name[thunks]
    return DeviceRows(
        lane=lane[thunks],
        name=code,
        names=names,
        work=np.where(talks[code], communication, compute) if len(code) else code,
        start=ranges.start[thunks],
        end=ranges.end[thunks],
        launch=ranges.rows["RangeId"][thunks],
    )


def _host(ranges: Projection) -> tuple[HostRows, list[HostThread]]:
    """The ranges at their own time on the host's threads."""
    start, length = ranges.rows[_HOST_TIMES[0]], ranges.rows[_HOST_TIMES[1]]
    rows = np.flatnonzero((start != MISSING) & (length != MISSING) & ranges.named)
    pairs = np.stack([ranges.rows["PID"][rows], ranges.rows["TID"][rows]], axis=1)
    used, thread = np.unique(pairs, axis=0, return_inverse=True)
    several = len({process for process, _ in used.tolist()}) > 1
    threads = [
        HostThread(name=f"{numbered_name('process', p)} " * several + numbered_name("thread", t))
        for p, t in used.tolist()
    ]
    host = HostRows(
        thread=thread.reshape(-1),
        name=ranges.name[rows],
        names=[_short(text, _OP) if "Thunk:" in text else text for text in ranges.texts],
        category=np.full(len(rows), CATEGORIES.index("annotation")),
        start=start[rows],
        end=start[rows] + length[rows],
        launch=np.where(ranges.thunk[rows], ranges.rows["RangeId"][rows], MISSING),
    )
    return host, threads


def _collectives(ranges: Projection, thunks: Array) -> CollectiveRows:
    """Operations by module and name; which execution of the module it is numbers them.

    The numbers of programs differ between processes that compile the same module, so the module's
    name decides. The same name of an operation may be in two modules.
    """
    names = [_short(text, _OP) for text in ranges.texts]
    kinds = [found[1] if (found := _COLLECTIVE.fullmatch(name)) else "" for name in names]
    talks = np.array([*(bool(kind) for kind in kinds), False], bool)
    at = np.flatnonzero(talks[ranges.name[thunks]])
    at = at[np.argsort(ranges.start[thunks[at]], kind="stable")]
    modules = ranges.modules(thunks[at])
    execution = _executions(ranges)
    groups, sequence = [], []
    seen: dict[tuple[str, int], int] = {}
    for row, module in zip(thunks[at].tolist(), modules.tolist(), strict=True):
        around = _short(ranges.texts[ranges.name[module]], _MODULE) if module >= 0 else ""
        group = f"{around} {names[ranges.name[row]]}".strip()
        number = execution.get(module, 0)
        nth = seen.get((group, number), 0)
        seen[group, number] = nth + 1
        groups.append(group)
        sequence.append(number * _EXECUTION + nth)
    return CollectiveRows(
        row=at,
        group=groups,
        sequence=np.array(sequence, np.int64),
        kind=[collective_kind(kinds[ranges.name[row]]) for row in thunks[at].tolist()],
        matched="name",
    )


def _executions(ranges: Projection) -> dict[int, int]:
    """Row of a module's range → how many earlier ranges have the same module."""
    rows = np.flatnonzero(ranges.module)
    rows = rows[np.argsort(ranges.start[rows], kind="stable")]
    seen: dict[str, int] = {}
    numbers = {}
    for row in rows.tolist():
        name = _short(ranges.texts[ranges.name[row]], _MODULE)
        numbers[row] = seen.get(name, 0)
        seen[name] = numbers[row] + 1
    return numbers
