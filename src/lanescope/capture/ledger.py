"""The account of every lane: records made, records that arrived, records lost and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.render.cells import many_text
from lanescope.trace.meta import LedgerEntry

NO_LANE = "no lane"
"""The lane of records in the ledger that belong to no lane."""


@dataclass(frozen=True, slots=True, eq=False)
class LaneCounts:
    """The device's final counters, and which of them cannot be believed."""

    lanes: Array | None
    """One ls_lane per lane; None where neither the region nor the spool has them."""
    damaged: frozenset[int] = frozenset()
    """Lanes whose counters contradict each other or what arrived."""

    def intruded(self, lane: int) -> int:
        """Return how many records came through handles that were not the lane's newest."""
        if self.lanes is None or lane in self.damaged:
            return 0
        return int(self.lanes["intruded"][lane])

    def has_producer(self, lanes: Array) -> bool:
        """Whether somebody opened one of these lanes to record in it, or may have done so."""
        if self.lanes is None or not self.damaged.isdisjoint(lanes.tolist()):
            return True
        words = ("handles", "recorded", "dropped")
        return any(bool(self.lanes[word][lanes].any()) for word in words)


def build_ledger(
    gathered: Gathered,
    head: Head,
    counts: LaneCounts,
    *,
    whole: Mapping[str, Array],
    wrong: Mapping[int, int],
    carried: Array,
) -> tuple[LedgerEntry, ...]:
    """Return one entry per lane, then one per trace engine, then the records of nobody.

    `whole` is how many records of a kind are in task rows without flags, by core. `wrong` is how
    many records of a lane have times that cannot be right. `carried` is how many records of a lane
    go on to the next part of the capture, whose ledger has them.

    Where the device's final counters are not known, the headers of the buffers tell how many
    records a lane made until then. What came after is unknown.
    """
    arrived, lanes = gathered.counts() - carried, counts.lanes
    made, dropped = _device_counts(gathered, head, counts)
    made = made - carried
    entries = []
    for lane in range(len(head.lanes)):
        kind = KINDS[head.lanes["kind"][lane]]
        owner = int(head.lanes["owner"][lane])
        delivered = int(arrived[lane]) - wrong.get(lane, 0)
        if kind in whole:
            delivered = int(whole[kind][owner])
        missing = max(int(made[lane]) - int(arrived[lane]), 0)
        entries.append(
            LedgerEntry(
                head.lane_name(lane),
                kind,
                total=int(made[lane]) + int(dropped[lane]),
                delivered=delivered,
                dropped=int(dropped[lane]) + missing,
                unmatched=int(arrived[lane]) - delivered,
                reason=_reason(int(dropped[lane]), missing, counts, lane, wrong.get(lane, 0)),
                unknown=lanes is None or lane in counts.damaged or counts.intruded(lane) > 0,
            )
        )
    return (*entries, *_source_entries(head, counts), *_stray_entries(head, counts))


def _stray_entries(head: Head, counts: LaneCounts) -> list[LedgerEntry]:
    """Return the records that belong to no lane, where there are any.

    Their number or their handle was wrong. Who made them is not known, but how many there are.
    """
    entries = []
    strays = int(head.header["strays"])
    if strays:
        there = ", ".join(
            many_text(int(head.header[f"{who}_count"]), who)
            for who in ("core", "scheduler", "orchestrator")
        )
        reason = f"{strays} were made for a number that the region does not have ({there})"
        entries.append(
            LedgerEntry(NO_LANE, "record", total=strays, delivered=0, dropped=strays, reason=reason)
        )
    for lane in range(len(head.lanes)):
        intruded = counts.intruded(lane)
        if intruded:
            reason = f"{intruded} were made through an older handle of {head.lane_name(lane)}"
            kind = KINDS[head.lanes["kind"][lane]]
            entries.append(
                LedgerEntry(
                    NO_LANE, kind, total=intruded, delivered=0, dropped=intruded, reason=reason
                )
            )
    return entries


SOURCES = {
    "burst": ("engine chunk", "were lost in the trace engine's buffer"),
    "tensor": ("dumped tensor", "are beyond the limits of the dump or found no free buffer"),
}
"""Kind of record to what its source counts, and why some of that is in no record."""


def _source_entries(head: Head, counts: LaneCounts) -> list[LedgerEntry]:
    """Return one entry per trace engine and dump: what it made, and what its controller recorded.

    Without the device's counters, or in a damaged lane, nothing is known of them.
    """
    lanes = counts.lanes
    if lanes is None:
        return []
    made, taken = (lanes[name].astype(np.int64) for name in ("source_made", "source_taken"))
    return [
        LedgerEntry(
            head.lane_name(lane),
            SOURCES[kind][0],
            total=int(made[lane]),
            delivered=int(taken[lane]),
            dropped=int(made[lane] - taken[lane]),
            reason=f"{made[lane] - taken[lane]} {SOURCES[kind][1]}"
            if made[lane] != taken[lane]
            else "",
        )
        for lane in range(len(head.lanes))
        if (kind := KINDS[head.lanes["kind"][lane]]) in SOURCES and lane not in counts.damaged
    ]


def _device_counts(gathered: Gathered, head: Head, counts: LaneCounts) -> tuple[Array, Array]:
    """Return how many records each lane made and how many it dropped, as far as is known."""
    buffers = gathered.buffers
    lane = buffers["lane"].astype(np.int64)
    made = np.zeros(len(head.lanes), np.int64)
    dropped = np.zeros(len(head.lanes), np.int64)
    np.maximum.at(made, lane, (buffers["first"] + buffers["count"]).astype(np.int64))
    np.maximum.at(dropped, lane, buffers["dropped"].astype(np.int64))
    lanes = counts.lanes
    if lanes is None:
        return made, dropped
    # A GPU adds to `recorded` when it publishes a buffer, so an open buffer may hold more. Where
    # there are several handles, an older one may have written it last.
    recorded = lanes["recorded"].astype(np.int64)
    low = (head.lanes["kind"] == KINDS.index("slice")) | (lanes["intruded"] > 0)
    sound = np.ones(len(lanes), bool)
    sound[sorted(counts.damaged)] = False
    counted = np.where(low, np.maximum(made, recorded), recorded)
    gave_up = lanes["dropped"].astype(np.int64)
    return np.where(sound, counted, made), np.where(sound, gave_up, dropped)


def _reason(dropped: int, missing: int, counts: LaneCounts, lane: int, wrong: int) -> str:
    reasons = []
    if counts.lanes is None:
        reasons.append("the region's counters could not be read, so there may be more")
    elif lane in counts.damaged:
        reasons.append("the lane's counters are damaged, so there may be more")
    mismatched = 0
    if counts.lanes is not None and lane not in counts.damaged:
        mismatched = int(counts.lanes["mismatched"][lane])
    if mismatched:
        reasons.append(f"{mismatched} staging slots held another task")
    if dropped > mismatched:
        reasons.append(f"{dropped - mismatched} found no free buffer")
    if missing:
        reasons.append(f"{missing} were written but did not arrive")
    if counts.intruded(lane):
        reasons.append("several handles recorded in the lane at once, so there may be more")
    if wrong:
        reasons.append(f"{wrong} have times that cannot be right")
    return "; ".join(reasons)
