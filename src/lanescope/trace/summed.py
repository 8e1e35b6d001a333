"""Entries of a ledger added up: one per lane and kind, whatever runs or parts they came from."""

from __future__ import annotations

from collections.abc import Iterable

from lanescope.trace.meta import LedgerEntry


def summed(ledger: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """Return the ledger with one entry per lane and kind: the sum of all that they have.

    What is unknown of one of them is unknown of the sum.
    """
    groups: dict[tuple[str, str], list[LedgerEntry]] = {}
    for entry in ledger:
        groups.setdefault((entry.lane, entry.kind), []).append(entry)
    return tuple(own[0] if len(own) == 1 else _sum(own) for own in groups.values())


def _sum(entries: list[LedgerEntry]) -> LedgerEntry:
    return LedgerEntry(
        lane=entries[0].lane,
        kind=entries[0].kind,
        total=sum(entry.total for entry in entries),
        delivered=sum(entry.delivered for entry in entries),
        dropped=sum(entry.dropped for entry in entries),
        unmatched=sum(entry.unmatched for entry in entries),
        reason="; ".join(dict.fromkeys(entry.reason for entry in entries if entry.reason)),
        unknown=any(entry.unknown for entry in entries),
    )
