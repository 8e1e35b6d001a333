"""Entries of a ledger added up: counts, reasons, and what is not known."""

from __future__ import annotations

from lanescope.trace import LedgerEntry
from lanescope.trace.summed import summed


def test_accounts_of_one_lane_and_kind_are_added_up() -> None:
    def entry(lane: str, reason: str = "", **more: bool) -> LedgerEntry:
        counts = {"total": 9, "delivered": 5, "dropped": 3, "unmatched": 1}
        return LedgerEntry(lane, "chunk", reason=reason, **counts, **more)  # type: ignore[arg-type]

    alone = entry("core 1", "why")
    first, *others = summed((entry("core 0", "a"), alone, entry("core 0", "a", unknown=True)))
    assert others == [alone]
    assert (first.total, first.delivered, first.dropped, first.unmatched) == (18, 10, 6, 2)
    assert (first.reason, first.unknown, first.closes) == ("a", True, True)
    both = summed((entry("core 0", "a"), entry("core 0"), entry("core 0", "b")))
    assert [(one.reason, one.unknown) for one in both] == [("a; b", False)]
    again = summed((entry("core 0", "a"), entry("core 0", "b"), entry("core 0", "a")))
    assert again[0].reason == "a; b"


def test_counts_of_the_same_reason_are_added_up() -> None:
    def reason_of(*reasons: str) -> str:
        [found] = summed(LedgerEntry("core 0", "mark", 1, 1, reason=reason) for reason in reasons)
        return found.reason

    assert reason_of("2 have one end", "", "1 have one end; 5: late", "1,200 have one end") == (
        "1,203 have one end; 5: late"
    )
    assert reason_of(
        "2: late", "damaged, first at byte 3", "3: late; damaged, first at byte 3"
    ) == ("5: late; damaged, first at byte 3")
    assert reason_of("2 have one end; late", "") == "2 have one end; late"
    assert reason_of("", "") == ""
