"""What the ledger says was lost, per kind of record and per lane, and where recording waited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import group_by
from lanescope.trace.meta import LedgerEntry
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class RecordAccount:
    """All lanes' records of one kind."""

    kind: str
    total: int
    delivered: int
    dropped: int
    unmatched: int


@dataclass(frozen=True, slots=True)
class Losses:
    """The account of the capture; without a ledger nothing is known about losses."""

    has_ledger: bool
    kinds: tuple[RecordAccount, ...]
    lossy: tuple[LedgerEntry, ...]
    """Lanes that dropped records or have records without a partner."""
    broken: tuple[LedgerEntry, ...]
    """Lanes where total = delivered + dropped + unmatched does not hold."""
    stalls: int
    """Times that recording made a producer wait."""
    stall_ns: int
    stall_dropped: int
    """Records given up after such a wait."""

    @property
    def nothing_lost(self) -> bool:
        return self.has_ledger and not self.lossy and not self.broken

    @property
    def something_lost(self) -> bool:
        return bool(self.lossy or self.broken)


def losses(trace: Trace) -> Losses:
    """Read the ledger and the stalls."""
    ledger = trace.meta.ledger
    stalls = trace.stalls
    timed = (stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING)
    given_up = stalls["records"][stalls["records"] != MISSING]
    return Losses(
        has_ledger=bool(ledger),
        kinds=_accounts(ledger),
        lossy=tuple(entry for entry in ledger if entry.dropped or entry.unmatched),
        broken=tuple(entry for entry in ledger if not entry.closes),
        stalls=len(stalls),
        stall_ns=_total(stalls["end_ns"][timed] - stalls["start_ns"][timed]),
        stall_dropped=_total(given_up),
    )


def _accounts(ledger: tuple[LedgerEntry, ...]) -> tuple[RecordAccount, ...]:
    kinds: dict[str, list[LedgerEntry]] = {}
    for entry in ledger:
        kinds.setdefault(entry.kind, []).append(entry)
    return tuple(
        RecordAccount(
            kind=kind,
            total=sum(entry.total for entry in entries),
            delivered=sum(entry.delivered for entry in entries),
            dropped=sum(entry.dropped for entry in entries),
            unmatched=sum(entry.unmatched for entry in entries),
        )
        for kind, entries in kinds.items()
    )


def _total(values: Array) -> int:
    return sum(group_by(np.zeros(len(values), np.int8)).sums(values))
