"""The collector's verdict on a run: what is counted, what is not known, and why."""

from __future__ import annotations

from typing import Any

import pytest

from lanescope.formats.simpler.collection import Collection, collected
from lanescope.trace import LedgerEntry


def told(**more: Any) -> tuple[LedgerEntry, str]:
    verdict = {"verdict": "partial_safe", **more}
    [entry], [note] = collected(Collection(**verdict))
    return entry, note


def test_a_whole_run_or_none_has_nothing_to_tell() -> None:
    assert collected(None) == ((), ())
    assert collected(Collection("published", unpublished_loss=5)) == ((), ())


@pytest.mark.parametrize(
    ("facts", "lost", "unknown", "why"),
    [
        ({}, 0, False, "no reason is given"),
        ({"not_received_buffers": 2}, 0, True, "2 buffers not received"),
        ({"not_received_buffers": 1}, 0, True, "1 buffer not received"),
        ({"unpublished_loss": 3}, 3, False, "3 records never published"),
        ({"unpublished_loss": 1}, 1, False, "1 record never published"),
        ({"transport_retired_records": 4}, 4, False, "4 records lost on the way"),
        ({"transport_retired": 4}, 0, False, "no reason is given"),
        ({"unattributable_handoffs": 5}, 0, True, "5 buffers of no known run"),
        ({"cut_failed_queues": 6}, 0, True, "6 queues not closed"),
        (
            {"processing_complete": False},
            0,
            False,
            "it was written before all of the run was processed",
        ),
        (
            {"metadata_complete": False},
            0,
            False,
            "it was written before all of the run was processed",
        ),
        (
            {"unpublished_loss": 3, "transport_retired_records": 4},
            7,
            False,
            "3 records never published; 4 records lost on the way",
        ),
        ({"verdict": "partial_cut"}, 0, True, "no reason is given"),
    ],
)
def test_what_a_collector_lost_is_counted_as_far_as_it_is_known(
    facts: dict[str, Any], lost: int, unknown: bool, why: str
) -> None:
    verdict = facts.get("verdict", "partial_safe")
    entry, note = told(**facts)
    assert entry == LedgerEntry(
        "collector", "record", lost, 0, lost, reason=f"collector: {verdict}", unknown=unknown
    )
    assert note == f"The collector's verdict on the run is {verdict!r}: {why}."


def test_a_run_is_named_where_its_number_is_known() -> None:
    assert told(run_epoch=0)[1].startswith("The collector's verdict on run 0 is ")
