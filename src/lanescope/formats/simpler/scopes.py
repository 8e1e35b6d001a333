"""Reads scope_stats.jsonl: how full the runtime's rings were at every scope boundary; no times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, Label, decode_line
from lanescope.trace import LedgerEntry

VERSION = 6


class Header(msgspec.Struct):
    """Line 1: the limits of the rings, and how many records follow."""

    version: int
    total: Count
    dropped: Count = 0
    fatal: bool = False
    task_window_max: list[Count] = []
    heap_max: list[Count] = []
    dep_pool_max: list[Count] = []
    tensormap_max: Count = 0


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


@dataclass(frozen=True, slots=True)
class ScopeStats:
    """The limits of the rings, and what was in use at every boundary."""

    header: Header
    boundaries: list[Boundary]

    def rows(self) -> list[tuple[str, float, int, str]]:
        """Rows for the counters table: name, value, order, site."""
        result = []
        for order, at in enumerate(self.boundaries):
            site = f"{at.site} {at.phase}"
            used = {
                f"task_window ring {at.ring}": at.task_window_end - at.task_window_start,
                f"heap_bytes ring {at.ring}": at.heap_end - at.heap_start,
                f"dep_pool ring {at.ring}": at.dep_pool_end - at.dep_pool_start,
                "tensormap": at.tensormap,
            }
            result += [(name, float(value), order, site) for name, value in used.items()]
        return result

    def limits(self) -> dict[str, Any]:
        """Line 1 as plain values."""
        limits: dict[str, Any] = msgspec.to_builtins(self.header)
        return limits

    def ledger(self) -> LedgerEntry:
        """The account of the boundaries: announced, delivered, dropped."""
        header = self.header
        return LedgerEntry(
            lane="scopes",
            kind="scope",
            total=header.total + header.dropped,
            delivered=len(self.boundaries),
            dropped=header.dropped,
        )


def is_scopes(first_line: bytes) -> bool:
    """Whether a file with this first line is a scope_stats.jsonl."""
    return b'"task_window_max"' in first_line


def read_scopes(path: Path) -> ScopeStats:
    """Read the file. Line 1 says how many lines follow; another number is an error."""
    lines = path.read_bytes().splitlines()
    header = decode_line(path, 1, lines[0], Header)
    if header.version != VERSION:
        problem = f"line 1: scope statistics of version {header.version}, expected {VERSION}"
        raise InputError(path, problem)
    boundaries = [
        decode_line(path, number, line, Boundary)
        for number, line in enumerate(lines[1:], 2)
        if line.strip()
    ]
    if len(boundaries) != header.total:
        problem = f"line 1 announces {header.total} records, {len(boundaries)} follow; cut off?"
        raise InputError(path, problem)
    return ScopeStats(header, boundaries)
