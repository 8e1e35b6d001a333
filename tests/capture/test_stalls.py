"""Rows of the stalls table, from headers of buffers and counters of lanes made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tests.capture.buffers import buffer_of, head_of

from lanescope.capture.gather import gather
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.stalls import stall_columns
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.trace import MISSING, MISSING32
from lanescope.trace.trace import Words

CORES = (Core("aic", controller=0), Core("aiv", controller=1), Core("aiv"))


def own_head() -> Head:
    return head_of(
        RegionConfig(flags=level_features(4), cores=CORES, schedulers=2, clock_hz=1_000_000_000)
    )


def lane_of(head: Head, kind: str, owner: int) -> int:
    own = (head.lanes["kind"] == KINDS.index(kind)) & (head.lanes["owner"] == owner)
    return int(np.flatnonzero(own)[0])


def buffer(head: Head, lane: int, sequence: int, **header: int) -> Array:
    records = np.zeros(1, layout(f"ls_{KINDS[head.lanes['kind'][lane]]}"))
    return buffer_of(records, lane=lane, sequence=sequence, first=sequence, **header)


def rows(
    head: Head, buffers: Sequence[Array], counts: LaneCounts
) -> list[tuple[str, Any, Any, Any, Any, Any]]:
    """The rows as (lane, core, controller, start, end, records); `None` is missing."""
    words = Words()
    columns = stall_columns(gather(buffers, head), head, counts, words)
    assert {words.freeze()[code] for code in columns["cause"].tolist()} <= {"no free buffer"}
    names = [words.freeze()[code] for code in columns["lane"].tolist()]
    order = ("core", "controller", "start_cycles", "end_cycles", "records")
    missing = {"core": MISSING32, "controller": MISSING32, "end_cycles": MISSING}
    known = [
        [None if value == missing.get(name) else value for value in columns[name].tolist()]
        for name in order
    ]
    return list(zip(names, *known, strict=True))


def test_a_wait_has_its_producer_and_what_was_dropped_since_the_buffer_before() -> None:
    head = own_head()
    core, of_core = lane_of(head, "core_task", 1), lane_of(head, "controller_task", 1)
    alone = lane_of(head, "controller_task", 2)
    scheduler = lane_of(head, "scheduler_phase", 1)
    orchestrator = lane_of(head, "orchestrator_phase", 0)
    buffers = [
        buffer(head, core, 0, dropped=4),
        buffer(head, core, 1, wait_start=500, wait_end=600, dropped=10),
        buffer(head, core, 2, wait_start=100, wait_end=150, dropped=10),
        buffer(head, of_core, 0, wait_start=300, wait_end=301, dropped=2),
        buffer(head, alone, 0, wait_start=310, wait_end=320),
        buffer(head, scheduler, 0, wait_start=400, wait_end=450, dropped=7),
        buffer(head, orchestrator, 0, wait_start=200, wait_end=250),
    ]
    assert rows(head, buffers, LaneCounts(None)) == [
        ("core", 1, None, 100, 150, 0),
        ("orchestrator", None, 0, 200, 250, 0),
        ("scheduler", 1, 1, 300, 301, 2),
        ("scheduler", 2, None, 310, 320, 0),
        ("scheduler", None, 1, 400, 450, 7),
        ("core", 1, None, 500, 600, 6),
    ]


def test_the_last_wait_of_a_lane_counts_what_no_buffer_tells() -> None:
    """The lane of core 0 never got a buffer again, that of core 1 waits still."""
    head = own_head()
    first, second, third = (lane_of(head, "core_task", core) for core in range(3))
    lanes = head.lanes.copy()
    for lane, start, end, dropped in [(first, 70, 90, 9), (second, 60, 0, 5), (third, 50, 55, 8)]:
        lanes["wait_start"][lane], lanes["wait_end"][lane] = start, end
        lanes["dropped"][lane] = dropped
    buffers = [
        buffer(head, first, 0, wait_start=10, wait_end=20, dropped=3),
        buffer(head, first, 1, dropped=7),
    ]
    counts = LaneCounts(lanes, frozenset({third}))
    assert rows(head, buffers, counts) == [
        ("core", 0, None, 10, 20, 3),
        ("core", 1, None, 60, None, 5),
        ("core", 0, None, 70, 90, 2),
    ]
    assert rows(head, [], LaneCounts(head.lanes)) == []
