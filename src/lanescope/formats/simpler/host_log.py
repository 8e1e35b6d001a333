"""What a log of the host holds: spans in columns, phase totals, and what is missing in it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, overload
from urllib.parse import unquote_to_bytes


class HostSpan(NamedTuple):
    """One span. `ts_ns` is host time, or time since the run's device zero where `on_device`."""

    pid: int
    tid: int
    inv: int
    """the process's number of the run; 0 for spans of no run"""
    hid: str
    """hash of what ran, in hexadecimal"""
    depth: int
    name: str
    ts_ns: int
    dur_ns: int
    on_device: bool
    text: bytes
    """the attributes as they stand in the log"""

    @property
    def attributes(self) -> dict[str, str]:
        """Key and value of every attribute; a value that was cut off ends in `~`."""
        parts = (part.partition(b"=") for part in self.text.split())
        return {decoded(key): decoded(value) for key, equals, value in parts if equals}


class HostSpans(Sequence[HostSpan]):
    """Spans in columns; a span is made when it is asked for. A log may hold millions."""

    def __init__(self) -> None:
        self.callers: list[tuple[int, int, int, str]] = []
        """pid, tid, inv, hid; one object per run"""
        self.places: list[tuple[int, str]] = []
        """depth, name; one object per kind of span"""
        self.ts_ns, self.dur_ns = array("q"), array("q")
        self.on_device: list[bool] = []
        self.texts: list[bytes] = []

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, at: int) -> HostSpan: ...
    @overload
    def __getitem__(self, at: slice) -> list[HostSpan]: ...
    def __getitem__(self, at: int | slice) -> HostSpan | list[HostSpan]:
        if isinstance(at, slice):
            return [self[k] for k in range(*at.indices(len(self)))]
        return HostSpan(
            *(*self.callers[at], *self.places[at], self.ts_ns[at], self.dur_ns[at]),
            *(self.on_device[at], self.texts[at]),
        )

    def __iter__(self) -> Iterator[HostSpan]:
        columns = (self.callers, self.places, self.ts_ns, self.dur_ns, self.on_device, self.texts)
        for caller, where, *rest in zip(*columns, strict=True):
            yield HostSpan(*caller, *where, *rest)

    def append(self, span: HostSpan) -> None:
        """Add one span at the end."""
        self.callers.append(span[:4])
        self.places.append(span[4:6])
        self.ts_ns.append(span.ts_ns)
        self.dur_ns.append(span.dur_ns)
        self.on_device.append(span.on_device)
        self.texts.append(span.text)


class LineDamage(NamedTuple):
    """A line of the log that is not what it claims to be, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class PhaseTotal:
    """What one kind of host phase took in all: a sum, not an interval."""

    phase: str
    total_ns: int
    count: int
    detail_sum: int | None
    dropped: int


@dataclass(frozen=True, slots=True)
class HostLog:
    """What one log says, in the order of its lines, and what is missing in it."""

    path: Path
    spans: HostSpans
    totals: list[PhaseTotal]
    cut: int
    """records cut off; those whose times or clock were cut give no span"""
    damaged: int
    """records that are not what they claim to be; they give no span"""
    first_damage: LineDamage | None
    dropped: int
    """records that the writers say they lost, over all processes"""


def decoded(raw: bytes) -> str:
    """Percent-encoded bytes as text."""
    return (unquote_to_bytes(raw) if b"%" in raw else raw).decode("utf-8", "replace")
