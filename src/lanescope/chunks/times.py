"""When each chunk was written: deltas since the last start stamp, in units of `Clocks`.

Times never fall. A stamp is rounded down to a tick of the counter, so a chunk before it may seem
to be up to one tick later than the stamp; it is then moved to the stamp. A chunk that is later by
more than a tick has no known time.
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
    """The time of every chunk."""

    time: Array
    """Units since `base_ticks`, per chunk; without meaning where it is not known."""
    known: Array | None
    """Whether each chunk's time is known. None: all are."""
    late: Array
    """Positions of chunks that lie past the stamp after them; their times are not known."""
    base_ticks: int
    """The system counter at time 0."""
    stamps: Array
    """The time of each trusted stamp, in units since `base_ticks`."""


def chunk_times(chunks: Chunks, stamps: SortedStamps, clocks: Clocks) -> Times:
    """Add up the deltas from each trusted stamp to the next stamp, trusted or not."""
    base = int(stamps.counter[0]) if len(stamps.counter) else 0
    stamp_times = (stamps.counter - base) * clocks.units_per_tick
    time = _running(chunks.delta, clocks)
    first, good = _segments(stamps)
    length = np.diff(np.append(first, len(time)))
    shift = np.zeros(len(first), np.int64)
    shift[good] = stamp_times - time[stamps.trusted]
    time += np.repeat(shift, length)
    known = None if good.all() else np.repeat(good, length)
    late = _hold(time, known, (stamps.trusted, stamp_times), clocks.units_per_tick)
    if len(late):
        known = np.ones(len(time), bool) if known is None else known
        known[late] = False
    return Times(time, known, late, base, stamp_times)


def _running(delta: Array, clocks: Clocks) -> Array:
    """Return the units since the start of the stream by deltas alone; they overwrite `delta`."""
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


def _segments(stamps: SortedStamps) -> tuple[Array, Array]:
    """Return where each segment begins, and whether its times are known."""
    bad = np.concatenate([stamps.doubtful, stamps.broken])
    starts = np.concatenate([stamps.trusted, bad])
    good = np.zeros(len(starts), bool)
    good[: len(stamps.trusted)] = True
    order = np.argsort(starts, kind="stable")
    starts, good = starts[order], good[order]
    if not len(starts) or starts[0]:
        starts, good = np.append(0, starts), np.append(False, good)
    return starts, good


def _hold(time: Array, known: Array | None, stamps: tuple[Array, Array], tick: int) -> Array:
    """Move chunks that lie past the next trusted stamp back to it.

    Returns the positions of those that lie more than a tick past it. Within a segment times never
    fall, so the last chunk before each stamp tells whether any chunk is late.
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
