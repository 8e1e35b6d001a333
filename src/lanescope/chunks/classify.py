"""Which chunk is what: finds the end of the stream and sorts the chunks before it by kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.chunks import layout
from lanescope.trace.table import Array

_STAMP = layout.CTRL_STAMP << 12
_STATE = layout.CTRL_STATE << 12


@dataclass(frozen=True, eq=False, slots=True)
class Chunks:
    """The chunks before the end; `high` is their upper half. The others are places in them."""

    words: Array
    high: Array
    delta: Array
    """Core cycles since the chunk before; 0 for stamps and filler."""
    state: Array
    mark: Array
    stamp: Array
    filler: Array
    unknown: Array


@dataclass(frozen=True, eq=False, slots=True)
class Tail:
    """How many chunks from the end of the stream on are what; `after` are places of the rest."""

    filler: int
    sentinel: int
    stub: int
    after: Array


def split(words: Array) -> tuple[Chunks, Tail]:
    """The stream ends at its sentinel or at the flush stub before that."""
    sentinels = words == layout.SENTINEL
    last = int(sentinels.argmax()) if sentinels.any() else len(words)
    end = _stub(words[:last])
    return _sort(words[:end]), _tail(words, end, last)


def _tail(words: Array, end: int, last: int) -> Tail:
    """`end` is where the stub begins, `last` where the sentinel is."""
    filler = words[end:] == layout.FILLER
    after = np.flatnonzero(~filler[last - end + 1 :]) + last + 1
    return Tail(
        filler=int(filler.sum()),
        sentinel=int(last < len(words)),
        stub=int((~filler[: last - end]).sum()),
        after=after,
    )


def _stub(words: Array) -> int:
    """Where the first complete run of the stub's marks begins; the end where there is none."""
    high = words.view("<u2")[1::2]
    at = np.flatnonzero(high & layout.EVENTS_MASK == layout.STUB_MARKS[0])
    at = at[at + len(layout.STUB_MARKS) <= len(words)]
    for place, mark in enumerate(layout.STUB_MARKS):
        found = high[at + place]
        at = at[(found & layout.EVENTS_MASK == mark) & _is_mark(found)]
    return int(at[0]) if len(at) else len(words)


def _sort(words: Array) -> Chunks:
    halves = words.view("<u2")
    high = np.ascontiguousarray(halves[1::2])
    state, mark = high >= _STATE, _is_mark(high)
    stamp = np.flatnonzero((high >= _STAMP) & ~state)
    rest = np.flatnonzero((high < _STAMP) & ~mark)
    is_filler = words[rest] == layout.FILLER
    delta = halves[0::2].astype(np.int64)
    delta[stamp] = 0
    delta[rest[is_filler]] = 0
    return Chunks(
        words=words,
        high=high,
        delta=delta,
        state=np.flatnonzero(state),
        mark=np.flatnonzero(mark),
        stamp=stamp,
        filler=rest[is_filler],
        unknown=rest[~is_filler],
    )


def _is_mark(high: Array) -> Array:
    found: Array = high < layout.FIXP + 1 << 12
    other = layout.FIXP_CODES[0] << 12
    found |= (high >= other) & (high < other + (1 << 12))
    return found
