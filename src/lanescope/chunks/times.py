"""When each chunk was written: deltas since the last start stamp, on the axis of `Clocks`.

Times never fall. A stamp is rounded down to a tick of the counter, so what came before it may seem
up to one tick later: it is then moved to the stamp. What is later by more is not believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.chunks.classify import Chunks
from lanescope.chunks.clocks import Clocks
from lanescope.chunks.stamps import SortedStamps
from lanescope.errors import UsageError
from lanescope.trace.table import Array


@dataclass(frozen=True, eq=False, slots=True)
class Times:
    """Of every chunk its time, in units since `base_ticks`; it means nothing where not `known`.

    `late` are the places of chunks past the stamp that follows them; they are not `known`.
    """

    time: Array
    known: Array | None
    """None: all are."""
    late: Array
    base_ticks: int
    stamps: Array
    """Of each trusted stamp its time."""


def chunk_times(chunks: Chunks, found: SortedStamps, clocks: Clocks) -> Times:
    """Sums the deltas from each trusted stamp to the next stamp, good or bad."""
    base = int(found.counter[0]) if len(found.counter) else 0
    stamps = (found.counter - base) * clocks.units_per_tick
    time = _running(chunks.delta, clocks)
    first, good = _segments(found)
    length = np.diff(np.append(first, len(time)))
    shift = np.zeros(len(first), np.int64)
    shift[good] = stamps - time[found.trusted]
    time += np.repeat(shift, length)
    known = None if good.all() else np.repeat(good, length)
    late = _hold(time, known, (found.trusted, stamps), clocks.units_per_tick)
    if len(late):
        known = np.ones(len(time), bool) if known is None else known
        known[late] = False
    return Times(time, known, late, base, stamps)


def _running(delta: Array, clocks: Clocks) -> Array:
    """Units since the start of the stream, were there no stamps; takes the place of `delta`."""
    time = np.cumsum(delta, out=delta)
    total = int(time[-1]) if len(time) else 0
    if total * clocks.units_per_cycle > clocks.limit:
        raise UsageError(
            f"{total} core cycles do not fit in 64 bits at a unit of 1/{clocks.units_per_s} s; "
            "round the clocks to whole MHz"
        )
    if clocks.units_per_cycle != 1:
        time *= clocks.units_per_cycle
    return time


def _segments(found: SortedStamps) -> tuple[Array, Array]:
    """Where time starts anew, and whether it is known from there on."""
    bad = np.concatenate([found.doubtful, found.broken])
    starts = np.concatenate([found.trusted, bad])
    good = np.zeros(len(starts), bool)
    good[: len(found.trusted)] = True
    order = np.argsort(starts, kind="stable")
    starts, good = starts[order], good[order]
    if not len(starts) or starts[0]:
        starts, good = np.append(0, starts), np.append(False, good)
    return starts, good


def _hold(time: Array, known: Array | None, stamps: tuple[Array, Array], tick: int) -> Array:
    """Move to the next trusted stamp what lies past it; places of what lies more than a tick past.

    Within a segment times rise, so the last chunk before each stamp tells whether all is well.
    """
    trusted, at = stamps
    if len(trusted) < 2 or (known is None and (time[trusted[1:] - 1] <= at[1:]).all()):
        return np.zeros(0, np.int64)
    inner = slice(int(trusted[0]), int(trusted[-1]))
    limit = np.repeat(at[1:], np.diff(trusted))
    late = time[inner] > limit + tick
    if known is not None:
        late &= known[inner]
    np.minimum(time[inner], limit, out=time[inner])
    return np.flatnonzero(late) + inner.start
