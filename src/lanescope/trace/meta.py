"""What a trace says about itself: where it comes from, its clocks, its level, its ledger.

The string below a field is its documentation; docs/trace-format.md shows it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lanescope.trace.schema import SCHEMA_VERSION


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the files from which the trace was made."""

    path: str
    """The file's path, as the user named it."""
    format: str
    """The format as which the file was recognised."""
    bytes: int
    """The file's size in bytes."""


class LedgerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The account of one lane's records of one kind: total = delivered + dropped + unmatched."""

    lane: str
    """The lane that made the records."""
    kind: str
    """The kind of the records."""
    total: int
    """Number of records that the producer made."""
    delivered: int
    """Number of records that are complete in the trace."""
    dropped: int = 0
    """Number of records that the producer or the host had to give up."""
    unmatched: int = 0
    """Number of records that are in the trace, flagged, without a partner or a usable time."""
    reason: str = ""
    """Why records were dropped or not matched, where it is known."""

    @property
    def closes(self) -> bool:
        """Whether the sum is right: every record is accounted for."""
        return self.total == self.delivered + self.dropped + self.unmatched


class HostClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How host times became times of the trace: by a straight line through two anchors.

    An anchor is a moment at which the host read both its own clock and the device's.
    """

    host_ns: int
    """The host's clock at the trace's base, in ns."""
    drift_ppb: int
    """How much faster the host's clock ran than the device's, in parts per 10^9."""
    error_ns: int
    """Half the round trip of the worse anchor, in ns: no host time is more exact than this."""
    status: str
    """`calibrated`; or `unaligned` without usable anchors, and then the trace has no host times."""


class Meta(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a trace says about itself; everything else is in the tables."""

    schema_version: int = SCHEMA_VERSION
    """Version of the schema of the tables; a trace of another version is refused."""
    name: str
    """The run's name."""
    tool: str
    """The program that wrote the trace, and its version."""
    origin: str
    """`imported`, `simulated`, `measured` or `predicted`."""
    sources: tuple[Source, ...] = ()
    """The files from which the trace was made."""
    chip: str = ""
    """The chip's name; empty where it is not known."""
    clock_hz: int | None = None
    """Rate of the device's counter in Hz; null where the source has no cycles."""
    base_cycles: int | None = None
    """Value of the device's counter at 0 ns, rounded down; null where the source has no cycles."""
    base_shift_ns: int = 0
    """Time from `base_cycles` to 0 ns, in ns; it is 0 unless the host set the base."""
    level: int = 0
    """How much was recorded: level 0 to 4."""
    flags: int = 0
    """The features that were recorded, one bit each: see lanescope.trace.flags."""
    queues: tuple[str, ...] = ()
    """Names of the ready queues; `phases` has the depth of each."""
    host_clock: HostClock | None = None
    """How host times became times of the trace, where the source has both clocks."""
    ledger: tuple[LedgerEntry, ...] = ()
    """What became of every record, by lane and kind."""
    notes: tuple[str, ...] = ()
    """What a reader should know before trusting a figure; each note is a sentence."""
    extra: dict[str, Any] = {}
    """Facts of one source format that have no column."""
