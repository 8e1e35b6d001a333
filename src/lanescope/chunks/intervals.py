"""Makes busy intervals of STATE chunks: each pipe has a bit that is set while it works."""

from __future__ import annotations

import numpy as np

from lanescope.chunks.result import Busy, Unpaired
from lanescope.trace.pipes import PIPES
from lanescope.trace.table import Array


def pair(mask: Array, time: Array, known: Array | None) -> tuple[Busy, Unpaired]:
    """Return the intervals with both ends known, and the lone known ends of the others.

    `mask` and `time` are those of the STATE chunks; `known` says which times are known, None: all.
    All pipes are idle before the first STATE, so changes of a bit are begin, end, begin, …
    """
    changed = mask.copy()
    changed[1:] ^= mask[:-1]
    pairs = [_of_bit(changed & (1 << bit)) for bit in range(len(PIPES))]
    pipe = np.repeat(np.arange(len(PIPES), dtype=np.int8), [len(begin) for begin, _ in pairs])
    begin = np.concatenate([begin for begin, _ in pairs])
    end = np.concatenate([end for _, end in pairs])
    open_ended = end == len(mask)
    has_begin, has_end = np.ones(len(begin), bool), ~open_ended
    if known is not None:
        has_begin = known[begin]
        has_end &= known[np.where(open_ended, 0, end)] if len(known) else False
    both = has_begin & has_end
    lone_begin, lone_end = begin[has_begin & ~both], end[has_end & ~both]
    return (
        Busy(pipe[both], time[begin[both]], time[end[both]]),
        Unpaired(
            pipe=np.concatenate([pipe[has_begin & ~both], pipe[has_end & ~both]]),
            time=time[np.concatenate([lone_begin, lone_end])],
            starts=np.repeat([True, False], [len(lone_begin), len(lone_end)]),
        ),
    )


def _of_bit(changed: Array) -> tuple[Array, Array]:
    """Return where the bit was set and where it was cleared; the length if it never was."""
    at = np.flatnonzero(changed)
    begin, end = at[0::2], at[1::2]
    return begin, np.append(end, len(changed)) if len(at) % 2 else end
