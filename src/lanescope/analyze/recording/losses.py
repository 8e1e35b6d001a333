"""Which records were lost, by kind and by lane, and how long recording made producers wait."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import group_by
from lanescope.render.cells import count_text, many_text, more_text, time_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.meta import LedgerEntry
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

MAX_LANES = 20
_BRIEF_LANES = 3
"""Lanes on the short page."""


@dataclass(frozen=True, slots=True)
class RecordAccount(Result):
    """The records of one kind in all lanes, as the ledger counts them."""

    kind: str
    total: int
    """Records that the producers made."""
    delivered: int
    """Records that are whole in the trace."""
    dropped: int
    """Records that the producer or the host had to give up."""
    unmatched: int
    """Records in the trace without a partner or a usable time."""


@dataclass(frozen=True, slots=True)
class Losses(Result):
    """Which records were lost. Nothing is known about that where the trace has no ledger."""

    DERIVED = ("nothing_lost",)

    has_ledger: bool
    kinds: tuple[RecordAccount, ...]
    """One per kind of record."""
    lossy: tuple[LedgerEntry, ...]
    """Lanes that dropped records or have records without a partner."""
    broken: tuple[LedgerEntry, ...]
    """Lanes where total = delivered + dropped + unmatched does not hold."""
    unknown: tuple[LedgerEntry, ...]
    """Lanes that made or lost records that nobody could count; their totals are least numbers."""
    stalls: int
    """Times that recording made a producer wait."""
    stall_ns: int
    """Time that producers waited, of the waits with known start and end."""
    stall_dropped: int
    """Records that were given up after a wait."""

    @property
    def nothing_lost(self) -> bool:
        """Whether the ledger shows that every record was delivered."""
        return self.has_ledger and not (self.lossy or self.broken or self.unknown)

    @property
    def something_lost(self) -> bool:
        """Whether the ledger shows that a record was lost."""
        return bool(self.lossy or self.broken)

    def __repr__(self) -> str:
        lost = "no ledger"
        if self.has_ledger:
            dropped, unmatched = (
                sum(getattr(account, name) for account in self.kinds)
                for name in ("dropped", "unmatched")
            )
            total = many_text(sum(account.total for account in self.kinds), "record")
            lost = f"{dropped:,} dropped and {unmatched:,} unmatched of {total}"
        broken = f", {many_text(len(self.broken), 'lane')} not closed" if self.broken else ""
        unknown = f", {many_text(len(self.unknown), 'lane')} not known" if self.unknown else ""
        return f"<Losses: {lost}{broken}{unknown}>"


def losses(trace: Trace) -> Losses:
    """What was lost, from the ledger and the stalls of a trace."""
    ledger = trace.meta.ledger
    stalls = trace.stalls
    timed = (stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING)
    given_up = stalls["records"][stalls["records"] != MISSING]
    return Losses(
        has_ledger=bool(ledger),
        kinds=_accounts(ledger),
        lossy=tuple(entry for entry in ledger if entry.dropped or entry.unmatched),
        broken=tuple(entry for entry in ledger if not entry.closes),
        unknown=tuple(entry for entry in ledger if entry.unknown),
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


def warning_section(losses: Losses) -> Section:
    """A warning that stands before all figures, because records are missing in them."""
    lines = []
    if losses.lossy:
        dropped = sum(entry.dropped for entry in losses.lossy)
        unmatched = sum(entry.unmatched for entry in losses.lossy)
        total = sum(account.total for account in losses.kinds)
        lines.append(
            f"Records were lost: {count_text(dropped)} dropped and {count_text(unmatched)} "
            f"unmatched of {count_text(total)}, in {many_text(len(losses.lossy), 'lane')}. "
            "The figures below are incomplete."
        )
    if losses.broken:
        lines.append(
            f"The ledger does not close in {many_text(len(losses.broken), 'lane')}: "
            "records are missing without a trace."
        )
    if losses.unknown:
        lines.append(
            "It is not known how many records were lost in "
            f"{many_text(len(losses.unknown), 'lane')}. The figures below may be incomplete."
        )
    return Section(title="Warning", lines=tuple(lines), is_warning=True)


def losses_section(losses: Losses, most: int = MAX_LANES) -> Section:
    """A sentence about losses and waits, and a table of the lanes that lost records."""
    return Section(
        title="Losses",
        lines=tuple(line for line in (verdict_sentence(losses), _stalls(losses)) if line),
        columns=_lane_columns(bad_lanes(losses)[:most]),
        notes=_notes(more_text(len(bad_lanes(losses)) - most, "lane")),
    )


def verdict_sentence(losses: Losses) -> str:
    """Whether all records were delivered; empty where some were not."""
    if not losses.has_ledger:
        return "Not known: the trace has no ledger."
    if losses.something_lost or losses.unknown:
        return ""
    total = sum(account.total for account in losses.kinds)
    return f"Nothing lost: all {many_text(total, 'record')} delivered."


def _stalls(losses: Losses) -> str:
    if not losses.stalls:
        return ""
    return (
        f"Recording made producers wait {many_text(losses.stalls, 'time')}, "
        f"{time_text(losses.stall_ns)} in all; "
        f"{many_text(losses.stall_dropped, 'record')} given up after waiting."
    )


def bad_lanes(losses: Losses) -> list[LedgerEntry]:
    """Lanes that lost records, whose account does not close, or of which it is not known."""
    every = (*losses.lossy, *losses.broken, *losses.unknown)
    return [entry for place, entry in enumerate(every) if entry not in every[:place]]


def _lane_columns(entries: list[LedgerEntry]) -> tuple[PageColumn, ...]:
    if not entries:
        return ()
    missing = [e.total - e.delivered - e.dropped - e.unmatched for e in entries]
    return (
        PageColumn("lane", "text", tuple(entry.lane for entry in entries), key=True),
        PageColumn("records", "text", tuple(entry.kind for entry in entries), key=True),
        PageColumn("total", "count", tuple(entry.total for entry in entries)),
        PageColumn("delivered", "count", tuple(entry.delivered for entry in entries)),
        PageColumn("dropped", "count", tuple(entry.dropped for entry in entries)),
        PageColumn("unmatched", "count", tuple(entry.unmatched for entry in entries)),
        PageColumn("unaccounted", "count", tuple(missing)),
        PageColumn("reason", "text", tuple(entry.reason or None for entry in entries)),
    )


def _notes(*notes: str) -> tuple[str, ...]:
    return tuple(note for note in notes if note)


def _opening(losses: Losses, answers: Answers) -> list[Section]:
    return [warning_section(losses)] if losses.something_lost or losses.unknown else []


def _sections(losses: Losses, answers: Answers) -> list[Section]:
    return [losses_section(losses)]


def _brief(losses: Losses, answers: Answers) -> list[Section]:
    """Nothing where nothing was lost: the headline says so."""
    return (
        [] if losses.nothing_lost and not losses.stalls else [losses_section(losses, _BRIEF_LANES)]
    )


def _answer(basis: Basis) -> Losses:
    return losses(basis.trace)


LOSSES = Analysis(
    name="losses",
    question="Which records were lost, in which lane, and where did recording wait?",
    answer=_answer,
    opening=_opening,
    sections=_sections,
    brief=_brief,
    place=30,
    keys="has_ledger, kinds [kind, total, delivered, dropped, unmatched], lossy, broken and "
    "unknown [lane, kind, total, delivered, dropped, unmatched, reason, unknown], stalls, "
    "stall_ns, stall_dropped, nothing_lost",
)
