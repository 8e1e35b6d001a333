"""Processes, streams and threads of a session, and the numbers that name them.

A global id holds machine, process and thread: process = id / 2^24 mod 2^24, thread = id mod 2^24.
Source: Nsight Systems user guide, "SQLite schema".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lanescope.formats.columns import Columns, Tables, different_rows
from lanescope.formats.streams import DeviceLane, HostThread
from lanescope.trace import MISSING
from lanescope.trace.numbering import different
from lanescope.trace.table import Array

_BITS = 24
_MASK = (1 << _BITS) - 1
LANE_KEY = ("globalPid", "deviceId", "contextId", "streamId")
_LONGEST_NAME = 256


def process_number(global_id: int) -> int:
    """The operating system's number of the process that a global id is of."""
    return global_id >> _BITS & _MASK


def process_of(global_tid: Array) -> Array:
    """Global id of the process of each thread; MISSING stays."""
    return np.where(global_tid == MISSING, MISSING, global_tid & ~_MASK)


@dataclass(frozen=True, slots=True)
class LaunchKeys:
    """Numbers for (process, correlation): a correlation id is unique in its process only."""

    processes: Array

    @classmethod
    def of(cls, *processes: Array) -> LaunchKeys:
        """All processes that rows name."""
        return cls(different(np.concatenate([np.empty(0, np.int64), *processes])))

    def number(self, process: Array, correlation: Array) -> Array:
        """A number for each pair; MISSING where there is no correlation (0 says so, too)."""
        known = (correlation != MISSING) & (correlation > 0) & (correlation < 1 << 40)
        place = np.searchsorted(self.processes, process)
        return np.where(known, place * (1 << 40) + np.where(known, correlation, 0), MISSING)


@dataclass(frozen=True, slots=True)
class NsysStreams:
    """The streams that ran something, keyed by process, device, context and stream."""

    keys: Array
    lanes: list[DeviceLane]

    @classmethod
    def of(cls, parts: list[Columns], ranks: dict[int, int]) -> NsysStreams:
        """The streams of these rows."""
        none = np.empty(0, np.int64)
        keys, _ = different_rows(
            *(np.concatenate([none, *(part[name] for part in parts)]) for name in LANE_KEY)
        )
        names = _names(keys)
        lanes = [
            DeviceLane(
                name=name,
                device=_known(device),
                queue=_known(stream),
                process=None if process == MISSING else process_number(process),
                rank=ranks.get(process),
            )
            for name, (process, device, _, stream) in zip(names, keys.tolist(), strict=True)
        ]
        return cls(keys, lanes)

    def place(self, part: Columns) -> Array:
        """The lane of each row that ran something."""
        both = [np.append(self.keys[:, k], part[name]) for k, name in enumerate(LANE_KEY)]
        found: Array = different_rows(*both)[1][len(self.keys) :]
        return found

    def waiting(self, part: Columns) -> Array:
        """The lane of each wait; -1 where nothing ran on it.

        The device of a wait is not always that of its stream, so the context decides.
        """
        own = {(k[0], k[2], k[3]): n for n, k in enumerate(self.keys.tolist())}
        names = ("globalPid", "contextId", "streamId")
        used, place = different_rows(*(part[name] for name in names))
        numbers = [own.get((a, b, c), -1) for a, b, c in used.tolist()]
        found: Array = np.array([*numbers, -1], np.int64)[place]
        return found


def _known(value: int) -> int | None:
    return None if value == MISSING else value


def numbered_name(what: str, number: int) -> str:
    """`stream 7`, or `unknown stream` where the source does not tell the number."""
    return f"unknown {what}" if number == MISSING else f"{what} {number}"


def _process_name(process: int) -> str:
    number = MISSING if process == MISSING else process_number(process)
    return numbered_name("process", number)


def _names(keys: Array) -> list[str]:
    """Names that are as short as they can be and still different."""
    several = len(np.unique(keys[:, 1])) > 1
    plain = [
        f"{numbered_name('device', d)} " * several + numbered_name("stream", s)
        for _, d, _, s in keys.tolist()
    ]
    pairs = [*zip(plain, keys[:, 0].tolist(), strict=True)]
    processes = Counter(name for name, _ in set(pairs))
    named = [
        name if processes[name] == 1 else f"{_process_name(process)} {name}"
        for name, process in pairs
    ]
    times = Counter(named)
    return [
        name if times[name] == 1 else f"{name} {numbered_name('context', c)}"
        for name, c in zip(named, keys[:, 2].tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class NsysThreads:
    """The host's threads that have rows, by their global id."""

    ids: Array
    threads: list[HostThread]

    @classmethod
    def of(
        cls, ids: list[Array], tables: Tables, strings: dict[int, str], ranks: dict[int, int]
    ) -> NsysThreads:
        """The threads of these rows, with their names."""
        used = different(np.concatenate([np.empty(0, np.int64), *ids]))
        rows = tables.read("ThreadNames", ("nameId", "globalTid"))
        called = dict(zip(rows["globalTid"].tolist(), rows["nameId"].tolist(), strict=True))
        several = len({process_number(one) for one in used.tolist()}) > 1
        threads = []
        for one in used.tolist():
            name = strings.get(called.get(one, MISSING), "")[:_LONGEST_NAME]
            name = f"{name} {one & _MASK}".strip() if one != MISSING else "unknown thread"
            prefix = f"process {process_number(one)} " if several and one != MISSING else ""
            threads.append(HostThread(name=prefix + name, rank=ranks.get(one & ~_MASK)))
        return cls(used, threads)

    def place(self, ids: Array) -> Array:
        """The number of each thread."""
        return np.searchsorted(self.ids, ids)


def process_ranks(tables: Tables) -> dict[int, int]:
    """Process → rank, where MPI was traced."""
    rows = tables.read("MPI_RANKS", ("globalTid", "rank"))
    pairs = zip(process_of(rows["globalTid"]).tolist(), rows["rank"].tolist(), strict=True)
    return {process: rank for process, rank in pairs if 0 <= rank < 1 << 31}
