"""What the ledger says."""

from __future__ import annotations

from tests.analyze.hand import entry, make_trace

from lanescope.analyze.recording.losses import (
    Losses,
    RecordAccount,
    losses,
    losses_section,
    warning_section,
)


def test_a_closed_ledger_without_losses_lost_nothing() -> None:
    trace = make_trace({"ledger": (entry("core 0", 5, 5), entry("core 1", 7, 7))})
    result = losses(trace)
    account = RecordAccount("core_task", 12, 12, 0, 0)
    assert result == Losses(True, (account,), (), (), (), 0, 0, 0)
    assert result.nothing_lost and not result.something_lost


def test_lossy_and_open_entries_are_named() -> None:
    good, lossy = entry("core 0", 5, 5), entry("core 1", 9, 6, dropped=2, unmatched=1)
    broken = entry("core 2", 9, 6)
    result = losses(make_trace({"ledger": (good, lossy, broken)}))
    account = RecordAccount("core_task", 23, 17, 2, 1)
    assert result == Losses(True, (account,), (lossy,), (broken,), (), 0, 0, 0)
    assert result.something_lost and not result.nothing_lost


def test_no_ledger_claims_nothing() -> None:
    result = losses(make_trace())
    assert not result.nothing_lost and not result.something_lost


def test_waits_of_recording_are_summed() -> None:
    trace = make_trace(
        stalls=[{"start_ns": 5, "end_ns": 25, "records": 3}, {"cause": "host", "records": 1}]
    )
    result = losses(trace)
    assert (result.stalls, result.stall_ns, result.stall_dropped) == (2, 20, 4)


def test_what_nobody_could_count_is_not_nothing() -> None:
    good, unknown = entry("core 0", 5, 5), entry("core 1", 7, 7, unknown=True, reason="why")
    result = losses(make_trace({"ledger": (good, unknown)}))
    assert result.unknown == (unknown,)
    assert not result.nothing_lost and not result.something_lost
    assert repr(result) == "<Losses: 0 dropped and 0 unmatched of 12 records, 1 lane not known>"
    assert warning_section(result).lines == (
        "It is not known how many records were lost in 1 lane. The figures below may be "
        "incomplete.",
    )
    section = losses_section(result)
    assert section.lines == ()
    assert section.columns[0].cells == ("core 1",)
