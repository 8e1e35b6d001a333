"""The account of every lane: records made, records that arrived, records lost and why."""

from __future__ import annotations

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.trace.meta import LedgerEntry
from lanescope.trace.task_rows import TaskRows


def build_ledger(
    gathered: Gathered, head: Head, rows: TaskRows, lanes: Array | None
) -> tuple[LedgerEntry, ...]:
    """Return one entry per lane, then one per trace engine.

    `lanes` are the device's final counters. Without them the headers of the buffers tell how many
    records a lane made until then, and nothing is known of trace engines.
    """
    arrived = gathered.counts()
    made, dropped = _device_counts(gathered, head, lanes)
    entries = []
    for lane in range(len(head.lanes)):
        kind = KINDS[head.lanes["kind"][lane]]
        owner = int(head.lanes["owner"][lane])
        whole = int(rows.whole[kind][owner]) if kind in rows.whole else int(arrived[lane])
        missing = max(int(made[lane]) - int(arrived[lane]), 0)
        entries.append(
            LedgerEntry(
                head.lane_name(lane),
                kind,
                total=int(made[lane] + dropped[lane]),
                delivered=whole,
                dropped=int(dropped[lane]) + missing,
                unmatched=int(arrived[lane]) - whole,
                reason=_reason(head, lane, int(dropped[lane]), missing, lanes),
            )
        )
    return (*entries, *_source_entries(head, lanes))


def _source_entries(head: Head, lanes: Array | None) -> list[LedgerEntry]:
    """Return one entry per trace engine: the chunks it made, and those its controller got."""
    if lanes is None:
        return []
    made, taken = (lanes[name].astype(np.int64) for name in ("source_made", "source_taken"))
    return [
        LedgerEntry(
            head.lane_name(lane),
            "engine chunk",
            total=int(made[lane]),
            delivered=int(taken[lane]),
            dropped=int(made[lane] - taken[lane]),
            reason=f"{made[lane] - taken[lane]} were lost in the trace engine's buffer"
            if made[lane] != taken[lane]
            else "",
        )
        for lane in np.flatnonzero(head.lanes["kind"] == KINDS.index("burst")).tolist()
    ]


def _device_counts(gathered: Gathered, head: Head, lanes: Array | None) -> tuple[Array, Array]:
    """Return how many records each lane made and how many it dropped."""
    buffers = gathered.buffers
    lane = buffers["lane"].astype(np.int64)
    made = np.zeros(len(head.lanes), np.int64)
    dropped = np.zeros(len(head.lanes), np.int64)
    np.maximum.at(made, lane, (buffers["first"] + buffers["count"]).astype(np.int64))
    np.maximum.at(dropped, lane, buffers["dropped"].astype(np.int64))
    if lanes is None:
        return made, dropped
    # A GPU adds to `recorded` when it publishes a buffer, so an open buffer may hold more.
    recorded = lanes["recorded"].astype(np.int64)
    slices = head.lanes["kind"] == KINDS.index("slice")
    made = np.where(slices, np.maximum(made, recorded), recorded)
    return made, lanes["dropped"].astype(np.int64)


def _reason(head: Head, lane: int, dropped: int, missing: int, lanes: Array | None) -> str:
    reasons = []
    mismatched = int(lanes["mismatched"][lane]) if lanes is not None else 0
    if mismatched:
        reasons.append(f"{mismatched} staging slots held another task")
    if dropped > mismatched:
        reasons.append(f"{dropped - mismatched} found no free buffer")
    if missing:
        reasons.append(f"{missing} were written but did not arrive")
    return "; ".join(reasons)
