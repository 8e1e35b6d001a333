"""The critical path over host threads, streams and events: what the last end waited for.

The walk begins at the last end of a task or of a thread that launches, and goes back:

- A task could start once the task before it on its stream had ended, the last event that it waited
  for had happened, and its call had launched it: at the end of the call, or at its own start where
  that is earlier. What happened last is what it waited for.
- A piece of a host thread (`host_pieces.py`) that a device released waited for that task. Any other
  piece follows the piece before it on its thread. But where another launching thread had a whole
  piece in the hole between the two, the thread is taken to have waited for that one.

Every nanosecond from the first to the last recorded moment has one answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.events import EventEnds, events
from lanescope.analyze.streams.host_pieces import HostPieces, host_pieces
from lanescope.analyze.streams.work import DeviceWork
from lanescope.native.paths import follow
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array

LAUNCH, START, RELEASE, UNSEEN, NOT_RECORDED = range(5)
"""What lies between a node and the one that it waited for."""


@dataclass(frozen=True, slots=True, eq=False)
class WalkedPath:
    """The nodes of the path, the last one first. Nodes below `tasks` are rows of the work, the
    others are pieces of the host."""

    pieces: HostPieces
    tasks: int
    node: Array
    start: Array
    end: Array
    """When the path leaves the node for the next one."""
    before: Array
    """When the path left the node before it; what lies between is `between`."""
    between: Array
    """LAUNCH to NOT_RECORDED"""
    window: tuple[int, int]

    @property
    def is_task(self) -> Array:
        """Mask of the nodes that are rows of the work."""
        mask: Array = self.node < self.tasks
        return mask


def walk(basis: StreamBasis) -> WalkedPath | None:
    """Walk back from the last end; None where nothing ran on a device."""
    work = basis.work
    busy = work.busy
    if not busy.any():
        return None
    pieces = host_pieces(basis)
    tasks = len(work)
    parts = (
        _of_tasks(work, events(basis.trace, work), pieces),
        _of_pieces(pieces, work, tasks),
    )
    pred, at, why = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    start = np.concatenate([work.start, pieces.start])
    end = np.concatenate([np.where(busy, work.end, MISSING), pieces.end])
    last = len(end) - 1 - int(np.argmax(end[::-1]))
    node = follow(pred, last)
    window = (
        int(min(start[:tasks][busy].min(), pieces.start.min(initial=start[last]))),
        int(end[last]),
    )
    before = at[node]
    root = int(node[-1])
    before[-1] = window[0]
    between = why[node]
    between[-1] = NOT_RECORDED
    return WalkedPath(
        pieces=pieces,
        tasks=tasks,
        node=node,
        start=np.append(start[node[:-1]], max(start[root], window[0])),
        end=np.append(end[last], before[:-1]),
        before=before,
        between=between,
        window=window,
    )


def _of_tasks(
    work: DeviceWork, events: EventEnds, pieces: HostPieces
) -> tuple[Array, Array, Array]:
    """For each row: the node that it waited for, when that was left, and what lies between."""
    count = len(work)
    pred, at = np.full(count, -1, np.int64), np.full(count, MISSING)
    before = _before(work)
    ended = np.append(work.end, MISSING)[before]
    pred[before >= 0], at[before >= 0] = before[before >= 0], ended[before >= 0]
    happened = np.append(work.end, MISSING)[events.on]
    later = (events.on >= 0) & (happened <= work.start) & (happened >= at)
    later &= (np.append(work.start, 0)[events.on] < work.start) & np.append(work.busy, False)[
        events.on
    ]
    pred[later], at[later] = events.on[later], happened[later]
    why = np.where(work.launched, START, NOT_RECORDED)
    moment = np.minimum(work.call_end, work.start)
    piece = pieces.at(work.thread, moment)
    launched = work.launched & (piece >= 0) & (moment > at)
    # A call that outlives the row around it is in the piece no longer than that.
    left = np.minimum(moment, np.append(pieces.end, MISSING)[piece])
    pred[launched], at[launched] = count + piece[launched], left[launched]
    why[launched] = LAUNCH
    return pred, at, why


def _before(work: DeviceWork) -> Array:
    """For each row: the row of its stream that ended last before it starts; -1: none."""
    result = np.full(len(work), -1, np.int64)
    busy = work.busy
    for _, rows in work.slices():
        mine = np.arange(rows.start, rows.stop)[busy[rows]]
        by_end = mine[np.argsort(work.end[mine], kind="stable")]
        place = np.searchsorted(work.end[by_end], work.start[mine], side="right") - 1
        row = np.append(by_end, -1)[place]
        earlier = (place >= 0) & (work.start[row] < work.start[mine])
        result[mine] = np.where(earlier, row, -1)
    return result


def _of_pieces(pieces: HostPieces, work: DeviceWork, tasks: int) -> tuple[Array, Array, Array]:
    """For each piece: the node that it waited for, when that was left, and what lies between."""
    count = len(pieces.start)
    own = np.arange(count) - 1
    if count:
        own[[first for first, last in pieces.first.values() if last > first]] = -1
    left = np.append(pieces.end, MISSING)[own]
    by_end = np.lexsort((pieces.start, pieces.end))
    place = np.searchsorted(pieces.end[by_end], pieces.start, side="right") - 1
    other = np.append(by_end, -1)[place]
    handed = (other >= 0) & (np.append(pieces.thread, -1)[other] != pieces.thread)
    handed &= np.append(pieces.start, MISSING)[other] >= left
    handed &= np.append(pieces.start, MISSING)[other] < pieces.start
    pred = np.where(handed, other, own)
    at = np.append(pieces.end, MISSING)[pred]
    pred = np.where(pred >= 0, pred + tasks, -1)
    freed = pieces.released >= 0
    pred = np.where(freed, pieces.released, pred)
    at = np.where(freed, np.append(work.end, MISSING)[pieces.released], at)
    return pred, at, np.where(freed, RELEASE, UNSEEN)
