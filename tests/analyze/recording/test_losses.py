"""What the ledger says."""

from __future__ import annotations

from tests.analyze.hand import entry, make_trace

from lanescope.analyze.analysis import Answers
from lanescope.analyze.recording.losses import (
    LOSSES,
    Losses,
    RecordAccount,
    bad_lanes,
    losses,
    losses_section,
    warning_section,
)

ANSWERS = Answers({})


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


def broken_ledger(lanes: int) -> Losses:
    """One lane that lost records, one that does not close, and others that are not known."""
    rows = [
        entry("a", 9, 6, dropped=2, unmatched=1, reason="full"),
        entry("b", 9, 6),
        *(entry(f"c{n}", 1, 1, unknown=True) for n in range(lanes - 2)),
    ]
    return losses(make_trace({"ledger": tuple(rows)}))


def test_the_warning_says_what_was_lost_and_what_is_missing_without_a_trace() -> None:
    warning = warning_section(broken_ledger(2))
    assert warning.is_warning
    assert warning.lines == (
        "Records were lost: 2 dropped and 1 unmatched of 18, in 1 lane. The figures below are "
        "incomplete.",
        "The ledger does not close in 1 lane: records are missing without a trace.",
    )


def test_every_bad_lane_has_one_row() -> None:
    assert [column.cells for column in losses_section(broken_ledger(3)).columns] == [
        ("a", "b", "c0"),
        ("core_task",) * 3,
        (9, 9, 1),
        (6, 6, 1),
        (2, 0, 0),
        (1, 0, 0),
        (0, 3, 0),
        ("full", None, None),
    ]
    both = entry("d", 9, 6, dropped=1, unknown=True)
    assert bad_lanes(losses(make_trace({"ledger": (both,)}))) == [both]


def test_twenty_lanes_are_shown_and_three_on_the_short_page() -> None:
    assert LOSSES.brief is not None
    for count, note in ((20, ()), (22, ("and 2 more lanes",))):
        (section,) = LOSSES.sections(broken_ledger(count), ANSWERS)
        assert (len(section.columns[0].cells), section.notes) == (20, note)
    (brief,) = LOSSES.brief(broken_ledger(4), ANSWERS)
    assert (brief.columns[0].cells, brief.notes) == (("a", "b", "c0"), ("and 1 more lane",))


def test_only_a_ledger_without_losses_says_that_nothing_was_lost() -> None:
    good = losses(make_trace({"ledger": (entry("a", 1200, 1200),)}))
    assert losses_section(good).lines == ("Nothing lost: all 1,200 records delivered.",)
    assert losses_section(good).columns == ()
    assert losses_section(losses(make_trace())).lines == ("Not known: the trace has no ledger.",)
    assert losses_section(broken_ledger(2)).lines == ()
    assert repr(broken_ledger(2)) == (
        "<Losses: 2 dropped and 1 unmatched of 18 records, 1 lane not closed>"
    )


def test_the_short_page_has_losses_only_where_recording_lost_or_waited() -> None:
    assert LOSSES.brief is not None
    ledger = (entry("a", 5, 5),)
    waited = losses(make_trace({"ledger": ledger}, stalls=[{"start_ns": 5, "end_ns": 25}]))
    (brief,) = LOSSES.brief(waited, ANSWERS)
    assert brief.lines == (
        "Nothing lost: all 5 records delivered.",
        "Recording made producers wait 1 time, 20 ns in all; 0 records given up after waiting.",
    )
    assert LOSSES.brief(losses(make_trace({"ledger": ledger})), ANSWERS) == []
    assert len(LOSSES.brief(losses(make_trace()), ANSWERS)) == 1


def test_a_warning_stands_first_only_where_records_are_missing() -> None:
    assert LOSSES.opening(losses(make_trace()), ANSWERS) == []
    for bad in (
        broken_ledger(2),
        losses(make_trace({"ledger": (entry("a", 1, 1, unknown=True),)})),
    ):
        assert LOSSES.opening(bad, ANSWERS) == [warning_section(bad)]
