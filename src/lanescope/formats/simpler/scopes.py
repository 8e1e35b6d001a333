"""Reads scope_stats.jsonl: how full the runtime's rings were at every scope boundary; no times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, Label, decode_line
from lanescope.render.cells import many_text
from lanescope.trace import LedgerEntry

VERSION = 6
"""The only version that is read; files since September 2026 have none and the same meaning."""
SATURATED = (1 << 32) - 1
"""A 32-bit counter stops here: it says "so many or more", and is no value."""


COUNTED = ("", "published", "published_empty", "published_short")
"""Verdicts of a collection after which its counts are known; "" is a file without a verdict."""
NOT_COUNTED = "how many records were made is not known"


class Header(msgspec.Struct, kw_only=True):
    """Line 1: the limits of the rings, and the account of the records that follow."""

    version: int | None = None
    total: Count
    """Records that the device made; files of old may leave out those in `dropped`."""
    dropped: Count = 0
    """Records that the device gave up."""
    fatal: bool = False
    task_window_max: list[Count] = []
    heap_max: list[Count] = []
    dep_pool_max: list[Count] = []
    tensormap_max: Count = 0
    collection_verdict: Label = ""
    """How the host's collection ended; empty where it did not collect over several runs."""
    counts_unknown: bool = False
    """Whether the numbers of records on this line cannot be relied on."""
    host_received_records: Count | None = None
    host_retained_records: Count | None = None

    def unknown(self) -> bool:
        """Whether nothing is known about how many records there were."""
        return (
            self.counts_unknown
            or self.collection_verdict not in COUNTED
            or SATURATED in (self.total, self.dropped)
        )


class Boundary(msgspec.Struct):
    """One scope boundary. What is in use is end minus start."""

    site: Label
    phase: Label
    ring: Count
    task_window_start: Count
    task_window_end: Count
    heap_start: Count
    heap_end: Count
    dep_pool_start: Count
    dep_pool_end: Count
    tensormap: Count
    run_epoch: Count | None = None
    buf_seq: Count | None = None

    def used(self) -> dict[str, int]:
        """What is in use, by name; without what a saturated counter would have to say."""
        window, pool = f"task_window ring {self.ring}", f"dep_pool ring {self.ring}"
        counted = {
            window: (self.task_window_start, self.task_window_end),
            f"heap_bytes ring {self.ring}": (self.heap_start, self.heap_end),
            pool: (self.dep_pool_start, self.dep_pool_end),
            "tensormap": (0, self.tensormap),
        }
        return {
            name: end - start
            for name, (start, end) in counted.items()
            if SATURATED not in (start, end) or name.startswith("heap")  # heaps count in 64 bits
        }


@dataclass(frozen=True, slots=True)
class ScopeStats:
    """The limits of the rings, and what was in use at every boundary."""

    header: Header
    boundaries: list[Boundary]

    def rows(self) -> list[tuple[str, float, int, str]]:
        """Rows for the counters table: name, value, order, site."""
        return [
            (name, float(value), order, f"{at.site} {at.phase}")
            for order, at in enumerate(self.boundaries)
            for name, value in at.used().items()
        ]

    def limits(self) -> dict[str, Any]:
        """Line 1 as plain values, without what it does not say; None where it is saturated."""
        absent = {"version": None, "collection_verdict": "", "counts_unknown": False}
        absent |= {"host_received_records": None, "host_retained_records": None}
        header: dict[str, Any] = msgspec.to_builtins(self.header)
        said = {k: value for k, value in header.items() if k not in absent or value != absent[k]}
        return said | dict.fromkeys(self._saturated())

    def ledger(self) -> LedgerEntry:
        """The account of the boundaries: announced, delivered, dropped, or not known."""
        header, count = self.header, len(self.boundaries)
        unknown = header.unknown()
        total = count if unknown else max(header.total, count + header.dropped)
        return LedgerEntry(
            lane="scopes",
            kind="scope",
            total=total,
            delivered=count,
            dropped=total - count,
            reason=self._reason(),
            unknown=unknown,
        )

    def _saturated(self) -> list[str]:
        """Counters of line 1 that stopped at their limit."""
        return [name for name in ("dropped", "total") if getattr(self.header, name) == SATURATED]

    def _reason(self) -> str:
        header = self.header
        parts = [f"{name} is saturated at {SATURATED}" for name in self._saturated()]
        if header.unknown():
            parts.append(NOT_COUNTED)
        if header.collection_verdict not in ("", "published"):
            parts.append(f"collection {header.collection_verdict}")
        received, retained = header.host_received_records, header.host_retained_records
        if received is not None and retained is not None and received != retained:
            parts.append(f"the host received {received} and kept {retained}")
        left_out = sum(4 - len(at.used()) for at in self.boundaries)
        if left_out:
            parts.append(f"{left_out} of the values left out, saturated")
        return "; ".join(parts)


def is_scopes(first_line: bytes) -> bool:
    """Whether a file with this first line is a scope_stats.jsonl."""
    return b'"task_window_max"' in first_line


def read_scopes(path: Path) -> ScopeStats:
    """Read the file. Line 1 says how many lines follow; another number is an error."""
    lines = path.read_bytes().splitlines()
    header = decode_line(path, 1, lines[0], Header)
    if header.version not in (None, VERSION):
        problem = (
            f"line 1: scope statistics of version {header.version}, expected {VERSION} or none"
        )
        raise InputError(path, problem)
    boundaries = [
        decode_line(path, number, line, Boundary)
        for number, line in enumerate(lines[1:], 2)
        if line.strip()
    ]
    announced = _announced(header)
    if announced and len(boundaries) not in announced:
        numbers = "".join(f"{one} or " for one in announced[:-1])
        found = f"{len(boundaries)} follow{'s' if len(boundaries) == 1 else ''}"
        cut = "; cut off?" if len(boundaries) < announced[-1] else ""
        problem = f"line 1 announces {numbers}{many_text(announced[-1], 'record')}, {found}{cut}"
        raise InputError(path, problem)
    return ScopeStats(header, boundaries)


def _announced(header: Header) -> list[int]:
    """How many records may follow line 1; empty where it does not say.

    `total` has the dropped records in it, and did not in files of old.
    """
    if header.host_retained_records is not None:
        return [header.host_retained_records]
    if header.unknown():
        return []
    return sorted({header.total, max(header.total - header.dropped, 0)})
