"""The account of each lane, from buffers and counters made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.capture.buffers import buffer_of, head_of

from lanescope.capture.gather import gather
from lanescope.capture.ledger import LaneCounts, build_ledger
from lanescope.device.flags import level_features
from lanescope.device.head import Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.trace.flags import Feature
from lanescope.trace.meta import LedgerEntry

ONE_CORE = RegionConfig(flags=level_features(1), cores=(Core("aic"),), clock_hz=1_000_000_000)
NO_BUFFER = "3 found no free buffer"
LATE = "4 were written but did not arrive"


def entries(
    head: Head, arrived: Mapping[int, dict[str, int]], counts: LaneCounts, **options: Any
) -> list[LedgerEntry]:
    """The ledger where lane → (records, header) is the only buffer of each lane."""
    buffers = []
    for lane, header in arrived.items():
        kind = layout(f"ls_{KINDS[head.lanes['kind'][lane]]}")
        buffers.append(buffer_of(np.zeros(header.pop("records"), kind), lane=lane, **header))
    given = {"whole": {}, "wrong": {}, "carried": np.zeros(len(head.lanes), np.int64)} | options
    return list(build_ledger(gather(buffers, head), head, counts, **given))


def counted(head: Head, **counters: int) -> LaneCounts:
    """The counters of lane 0; those of other lanes are 0."""
    lanes = head.lanes.copy()
    for name, value in counters.items():
        lanes[name][0] = value
    return LaneCounts(lanes)


@pytest.mark.parametrize(
    ("counters", "account", "reason"),
    [
        ({"recorded": 6}, (6, 6, 0, 0), ""),
        ({"recorded": 6, "dropped": 3}, (9, 6, 3, 0), NO_BUFFER),
        ({"recorded": 10, "dropped": 3}, (13, 6, 7, 0), f"{NO_BUFFER}; {LATE}"),
        (
            {"recorded": 6, "dropped": 5, "mismatched": 2},
            (11, 6, 5, 0),
            f"2 staging slots held another task; {NO_BUFFER}",
        ),
        (
            {"recorded": 6, "dropped": 2, "mismatched": 2},
            (8, 6, 2, 0),
            "2 staging slots held another task",
        ),
    ],
)
def test_a_lane_says_what_it_made_and_why_some_of_it_is_missing(
    counters: dict[str, int], account: tuple[int, ...], reason: str
) -> None:
    head = head_of(ONE_CORE)
    [entry] = entries(head, {0: {"records": 6}}, counted(head, **counters))
    assert (entry.total, entry.delivered, entry.dropped, entry.unmatched) == account
    assert (entry.lane, entry.kind, entry.reason) == ("core 0", "core_task", reason)
    assert entry.closes
    assert not entry.unknown


def test_without_the_final_counters_the_headers_of_buffers_tell_what_is_known() -> None:
    head = head_of(ONE_CORE)
    arrived = {"records": 6, "sequence": 3, "first": 20, "dropped": 3}
    [entry] = entries(head, {0: dict(arrived)}, LaneCounts(None))
    assert (entry.total, entry.delivered, entry.dropped) == (29, 6, 23)
    assert entry.unknown
    assert entry.reason == (
        "the region's counters could not be read, so there may be more; "
        f"{NO_BUFFER}; 20 were written but did not arrive"
    )
    wild = counted(head, recorded=2**40, dropped=2**40, mismatched=5, intruded=5)
    [entry] = entries(head, {0: arrived}, LaneCounts(wild.lanes, frozenset({0})))
    assert (entry.total, entry.delivered, entry.dropped, entry.unknown) == (29, 6, 23, True)
    assert entry.reason.startswith("the lane's counters are damaged, so there may be more; 3 found")


def test_records_outside_whole_rows_or_with_wrong_times_are_unmatched() -> None:
    head = head_of(ONE_CORE)
    counts = counted(head, recorded=6)
    [entry] = entries(head, {0: {"records": 6}}, counts, whole={"core_task": np.array([4])})
    assert (entry.delivered, entry.unmatched, entry.closes) == (4, 2, True)
    [entry] = entries(head, {0: {"records": 6}}, counts, wrong={0: 1})
    assert (entry.delivered, entry.unmatched, entry.closes) == (5, 1, True)
    assert entry.reason == "1 have times that cannot be right"


def test_what_goes_on_to_the_next_part_is_in_its_ledger_only() -> None:
    head = head_of(ONE_CORE)
    counts = counted(head, recorded=10, dropped=3)
    [entry] = entries(head, {0: {"records": 6}}, counts, carried=np.array([2]))
    assert (entry.total, entry.delivered, entry.dropped) == (11, 4, 7)
    assert entry.reason == f"{NO_BUFFER}; {LATE}"


def test_an_older_handle_has_a_line_of_its_own_and_leaves_the_lane_in_doubt() -> None:
    """Eight records are in a buffer that the newest handle counts as six."""
    head = head_of(ONE_CORE)
    lane, nobody = entries(head, {0: {"records": 8}}, counted(head, recorded=6, intruded=2))
    assert (lane.total, lane.delivered, lane.unknown) == (8, 8, True)
    assert lane.reason == "several handles recorded in the lane at once, so there may be more"
    assert (nobody.lane, nobody.kind) == ("no lane", "core_task")
    assert (nobody.total, nobody.delivered, nobody.dropped) == (2, 0, 2)
    assert nobody.reason == "2 were made through an older handle of core 0"


def test_records_for_numbers_that_do_not_exist_are_counted_and_say_which_exist() -> None:
    head = head_of(ONE_CORE)
    head.header["strays"] = 5
    [_, nobody] = entries(head, {}, counted(head))
    assert (nobody.lane, nobody.kind, nobody.total) == ("no lane", "record", 5)
    assert (nobody.delivered, nobody.dropped, nobody.closes) == (0, 5, True)
    assert nobody.reason == (
        "5 were made for a number that the region does not have "
        "(1 core, 1 scheduler, 1 orchestrator)"
    )


def test_a_trace_engine_accounts_for_its_chunks_beside_the_records() -> None:
    flags = level_features(1) | Feature.CORE_SWIMLANE
    cores = (Core("aic"), Core("aiv"))
    head = head_of(RegionConfig(flags=flags, cores=cores, clock_hz=1_000_000_000))
    burst = np.flatnonzero(head.lanes["kind"] == KINDS.index("burst"))
    lanes = head.lanes.copy()
    lanes["source_made"][burst], lanes["source_taken"][burst] = [9, 4], [7, 4]

    def engines(counts: LaneCounts) -> list[tuple[Any, ...]]:
        return [
            (entry.lane, entry.total, entry.delivered, entry.dropped, entry.reason)
            for entry in entries(head, {}, counts)
            if entry.kind == "engine chunk"
        ]

    lost = ("core 0", 9, 7, 2, "2 were lost in the trace engine's buffer")
    whole = ("core 1", 4, 4, 0, "")
    assert engines(LaneCounts(lanes)) == [lost, whole]
    assert engines(LaneCounts(lanes, frozenset({int(burst[0])}))) == [whole]
    assert engines(LaneCounts(None)) == []


def test_a_lane_has_a_producer_when_it_was_opened_or_may_have_been() -> None:
    head = head_of(ONE_CORE)
    lane = np.array([0])
    assert not counted(head).has_producer(lane)
    for word in ("handles", "recorded", "dropped"):
        assert counted(head, **{word: 1}).has_producer(lane)
    assert LaneCounts(None).has_producer(lane)
    assert LaneCounts(head.lanes, frozenset({0})).has_producer(lane)
    assert not LaneCounts(head.lanes, frozenset({1})).has_producer(lane)
