"""Entries of a ledger added up: one per lane and kind, whatever runs or parts they came from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lanescope.trace.meta import LedgerEntry

_COUNTED = re.compile(r"([\d,]*\d)(:? .+)", re.DOTALL)
"""A reason that begins with how many it is the reason of: `2 have only one end`."""


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
        reason=_reason(entry.reason for entry in entries),
        unknown=any(entry.unknown for entry in entries),
    )


def _reason(reasons: Iterable[str]) -> str:
    """Every reason once; the counts that the same one begins with are added up."""
    counts: dict[str, int | None] = {}
    for reason in "; ".join(filter(None, reasons)).split("; "):
        if counted := _COUNTED.fullmatch(reason):
            counts[counted[2]] = (counts.get(counted[2]) or 0) + int(counted[1].replace(",", ""))
        else:
            counts[reason] = None
    return "; ".join(text if n is None else f"{n:,}{text}" for text, n in counts.items())
