"""Operations among ranks as `communication.json` and `cluster_communication.json` tell them.

    communication.json           step → collective or p2p → operation → its times
    cluster_communication.json   ranks of the group → step → operation → rank → its times

The second is made by msprof-analyze of all ranks' files. Times are in us and ms, from doubles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.ascend.lanes import LaneNumbers
from lanescope.formats.ascend.names import (
    COMMUNICATION,
    Operation,
    operation_key,
    operation_type,
    sequences,
)
from lanescope.formats.ascend.source import RankSource, with_utc
from lanescope.formats.json_file import JsonFile
from lanescope.formats.streams import CollectiveRows, DeviceRows, StreamRecording
from lanescope.trace import MISSING
from lanescope.trace.schema import MISSING32

MARK = b'"Communication Time Info"'
_GROUPED = {"collective", "p2p", "total"}
_SUMS = ("Total Op Info", "Total")
_MEGABYTE = 10**6
_LATEST = 1 << 61


class OperationTimes(msgspec.Struct):
    """How long an operation took, and what of it was what."""

    start_us: Decimal = msgspec.field(name="Start Timestamp(us)")
    elapse_ms: Decimal = msgspec.field(name="Elapse Time(ms)")
    transit_ms: float = msgspec.field(name="Transit Time(ms)", default=float("nan"))
    wait_ms: float = msgspec.field(name="Wait Time(ms)", default=float("nan"))
    sync_ms: float = msgspec.field(name="Synchronization Time(ms)", default=float("nan"))
    idle_ms: float = msgspec.field(name="Idle Time(ms)", default=float("nan"))


class Link(msgspec.Struct):
    """What went over one kind of link."""

    megabytes: float = msgspec.field(name="Transit Size(MB)", default=0.0)


class Entry(msgspec.Struct):
    """One operation of one rank."""

    times: OperationTimes = msgspec.field(name="Communication Time Info")
    links: dict[str, Link] = msgspec.field(name="Communication Bandwidth Info", default={})

    def values(self) -> dict[str, float]:
        """As counters; what went over SDMA is the sum of the links inside a machine."""
        times = self.times
        moved = [self.links[kind].megabytes for kind in ("SDMA", "RDMA") if kind in self.links]
        return {
            "transit ns": times.transit_ms * 1e6,
            "peer wait ns": times.wait_ms * 1e6,
            "synchronization ns": times.sync_ms * 1e6,
            "communication idle ns": times.idle_ms * 1e6,
            "transit bytes": float(round(sum(moved) * _MEGABYTE)) if moved else float("nan"),
        }


@dataclass(slots=True)
class RankOperations:
    """The operations of one rank; None where the file does not say which."""

    rank: int | None
    names: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    peers: list[str] = field(default_factory=list)

    def add(self, name: str, entry: Entry, peers: str = "") -> None:
        """Take one operation in."""
        self.names.append(name)
        self.entries.append(entry)
        self.peers.append(peers)


def is_grouped(levels: dict[str, Any]) -> bool:
    """Whether the two outer levels of keys are those of one rank's file."""
    return all(isinstance(inner, dict) and inner.keys() <= _GROUPED for inner in levels.values())


def read_operations(file: JsonFile) -> list[RankOperations]:
    """Read either file: one entry per rank.

    Raises:
        InputError: Something in it is not what it should be.
    """
    outer = {key: file.decode(key, dict[str, msgspec.Raw]) for key in file.values}
    pairs = _of_rank(file, outer) if is_grouped(outer) else _of_all(file, outer)
    ranks: dict[int | None, RankOperations] = {}
    for rank, name, entry, peers in pairs:
        if name not in _SUMS:
            ranks.setdefault(rank, RankOperations(rank)).add(name, entry, peers)
    return [ranks[key] for key in sorted(ranks, key=lambda rank: -1 if rank is None else rank)]


_Found = Iterator[tuple[int | None, str, Entry, str]]


def _of_rank(file: JsonFile, outer: dict[str, dict[str, msgspec.Raw]]) -> _Found:
    for step, kinds in outer.items():
        for kind in [kind for kind in kinds if kind != "total"]:
            operations = _decoded(file, kinds[kind], dict[str, msgspec.Raw], f"{step!r}, {kind!r}")
            for name, raw in operations.items():
                if name not in _SUMS:
                    yield None, name, _decoded(file, raw, Entry, f"{step!r}, {name!r}"), ""


def _of_all(file: JsonFile, outer: dict[str, dict[str, msgspec.Raw]]) -> _Found:
    for group, steps in outer.items():
        for step, operations in steps.items():
            where = f"{group!r}, {step!r}"
            named = _decoded(file, operations, dict[str, dict[str, msgspec.Raw]], where)
            for name, ranks in named.items():
                for rank, raw in ranks.items() if name not in _SUMS else ():
                    if not rank.isdecimal():
                        problem = f"{where}, {name!r}: a rank was expected, found {rank[:40]!r}"
                        raise InputError(file.path, problem)
                    entry = _decoded(file, raw, Entry, f"{where}, {name!r}, {rank!r}")
                    yield int(rank[:9]), name, entry, group.strip("()")


def _decoded(file: JsonFile, raw: msgspec.Raw, kind: Any, where: str) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(file.path, f"{where} is not what it should be: {error}") from error


def operations_source(file: JsonFile, rank: RankOperations) -> RankSource:
    """Operations by themselves as a recording: a lane per group, and nothing else."""
    lanes = LaneNumbers()
    told = [Operation.of(name) for name in rank.names]
    types = [operation_type(name) for name in rank.names]
    names = list(dict.fromkeys(types))
    number = {name: k for k, name in enumerate(names)}
    times = [
        _times(file, name, entry) for name, entry in zip(rank.names, rank.entries, strict=True)
    ]
    groups = [one.group for one in told]
    sizes = [text.count(",") + 1 if text else MISSING32 for text in rank.peers]
    recording = StreamRecording(
        work=DeviceRows(
            lane=np.array([lanes.group(MISSING, group) for group in groups], np.int64),
            name=np.array([number[name] for name in types], np.int64),
            names=names,
            work=np.full(len(told), COMMUNICATION),
            start=np.array([start for start, _ in times], np.int64),
            end=np.array([end for _, end in times], np.int64),
            values=operation_values(rank.entries),
        ),
        collectives=CollectiveRows(
            row=np.arange(len(told)),
            group=groups,
            sequence=sequences(groups, [one.sequence for one in told]),
            kind=[one.kind for one in told],
            peers=rank.peers,
            size=np.array(sizes, np.int64),
            matched="name",
        ),
        facts={} if rank.rank is None else {"rank": rank.rank},
    )
    recording.lanes = lanes.lanes
    return RankSource(with_utc(recording), rank.names)


def _times(file: JsonFile, name: str, entry: Entry) -> tuple[int, int]:
    """Start and end in ns, each rounded once, halves to even."""
    start, length = entry.times.start_us * 1000, entry.times.elapse_ms * 1_000_000
    if not (start.is_finite() and length.is_finite()) or not 0 <= start < _LATEST - abs(length):
        raise InputError(file.path, f"{name!r}: a time since 1970 was expected, found {start} ns")
    if length < 0:
        raise InputError(file.path, f"{name!r}: 'Elapse Time(ms)' is below 0")
    one = Decimal(1)
    return (
        int(start.quantize(one, ROUND_HALF_EVEN)),
        int((start + length).quantize(one, ROUND_HALF_EVEN)),
    )


def operation_values(entries: Sequence[Entry | None]) -> dict[str, np.ndarray[Any, Any]]:
    """Counters of operations, NaN for None."""
    rows = [{} if entry is None else entry.values() for entry in entries]
    names = dict.fromkeys(name for row in rows for name in row)
    nan = float("nan")
    return {name: np.array([row.get(name, nan) for row in rows]) for name in names}


def add_operations(source: RankSource, rank: RankOperations) -> int:
    """Add what the file says about the operations of a recording; returns how many it has.

    Operations are joined by name; one that has run several times gets nothing.
    """
    known: dict[str, Entry | None] = {}
    for name, entry in zip(rank.names, rank.entries, strict=True):
        known[operation_key(name)] = None if operation_key(name) in known else entry
    keys = [operation_key(name) for name in source.operations]
    seen = Counter(keys)
    found = [known.get(key) if seen[key] == 1 else None for key in keys]
    work = source.recording.work
    values = dict(work.values)
    for name, column in operation_values(found).items():
        values[name] = np.full(len(work.start), np.nan)
        values[name][source.recording.collectives.row] = column
    work.values = values
    return sum(entry is not None for entry in found)
