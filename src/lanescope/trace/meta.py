"""What a trace says about itself: where it came from, its clocks, its level, its ledger."""

from __future__ import annotations

from typing import Any

import msgspec

from lanescope.trace.schema import SCHEMA_VERSION


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file the trace was made from."""

    path: str
    """As it was named."""
    format: str
    """What it was recognised as."""
    bytes: int
    """Its size."""


class LedgerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The account of one lane's records of one kind: total = delivered + dropped + unmatched."""

    lane: str
    """Whose records."""
    kind: str
    """Which records."""
    total: int
    """How many the producer made."""
    delivered: int
    """How many are whole in the trace."""
    dropped: int = 0
    """How many the producer or the host had to give up."""
    unmatched: int = 0
    """How many are in the trace without a partner or a usable time, flagged."""
    reason: str = ""
    """Why, where it is known."""

    @property
    def closes(self) -> bool:
        return self.total == self.delivered + self.dropped + self.unmatched


class HostClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the host's clock was laid over the device's: a straight line through two anchors."""

    host_ns: int
    """Host time at the trace's base."""
    drift_ppb: int
    """How much faster the host's clock ran than the device's, in parts per 10^9."""
    error_ns: int
    """Half the round trip of the worse anchor: no host time is known better than this."""
    status: str
    """`calibrated`, or `unaligned` when there were no usable anchors: then no host times."""


class Meta(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything about a trace that is not a row."""

    schema_version: int = SCHEMA_VERSION
    """Version of the tables; other versions are refused."""
    name: str
    """The run's name."""
    tool: str
    """The program and version that wrote it."""
    origin: str
    """`imported`, `simulated`, `measured` or `predicted`."""
    sources: tuple[Source, ...] = ()
    """The files it was made from."""
    chip: str = ""
    """The chip, where it is known."""
    clock_hz: int | None = None
    """Rate of the device's counter; null where the source has no cycles."""
    base_cycles: int | None = None
    """The device's counter at 0 ns, rounded down; null where the source has no cycles."""
    base_shift_ns: int = 0
    """How long after `base_cycles` 0 ns is: not 0 only when the host set the base."""
    level: int = 0
    """How much was recorded, 0..4."""
    flags: int = 0
    """The features recorded, one bit each: see lanescope.trace.flags."""
    queues: tuple[str, ...] = ()
    """Names of the ready queues whose depths `phases` holds."""
    host_clock: HostClock | None = None
    """How host times were laid over device times, where there are both."""
    ledger: tuple[LedgerEntry, ...] = ()
    """The account of every record."""
    notes: tuple[str, ...] = ()
    """What a reader should know before trusting a figure, a sentence each."""
    extra: dict[str, Any] = {}
    """Facts of one source format that have no column."""
