"""Sorts chunks by kind: state, mark, stamp, filler or unknown, up to the end of the stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.chunks import layout
from lanescope.trace.table import Array

_STAMP = layout.CTRL_STAMP << 12
_STATE = layout.CTRL_STATE << 12


@dataclass(frozen=True, eq=False, slots=True)
class Chunks:
    """The chunks before the end of the stream.

    `state`, `mark`, `stamp`, `filler` and `unknown` hold positions in `words`.
    """

    words: Array
    high: Array
    """The upper 16 bits of each chunk."""
    delta: Array
    """Core cycles since the previous chunk; 0 for stamps and filler."""
    state: Array
    mark: Array
    stamp: Array
    filler: Array
    unknown: Array


@dataclass(frozen=True, eq=False, slots=True)
class Tail:
    """Counts of the chunks from the end of the stream on, by what they are."""

    filler: int
    sentinel: int
    stub: int
    after: Array
    """Positions of all other chunks there."""


def split(words: Array) -> tuple[Chunks, Tail]:
    """Split a stream at its end: at the flush stub, or at the sentinel where there is no stub."""
    sentinels = words == layout.SENTINEL
    last = int(sentinels.argmax()) if sentinels.any() else len(words)
    end = _stub(words[:last])
    return _sort(words[:end]), _tail(words, end, last)


def _tail(words: Array, end: int, last: int) -> Tail:
    """Count what comes after the end. The stub begins at `end`, the sentinel is at `last`."""
    filler = words[end:] == layout.FILLER
    after = np.flatnonzero(~filler[last - end + 1 :]) + last + 1
    return Tail(
        filler=int(filler.sum()),
        sentinel=int(last < len(words)),
        stub=int((~filler[: last - end]).sum()),
        after=after,
    )


def _stub(words: Array) -> int:
    """Return where the first complete run of the stub's marks begins, or else the length."""
    high = words.view("<u2")[1::2]
    at = np.flatnonzero(high & layout.EVENTS_MASK == layout.STUB_MARKS[0])
    at = at[at + len(layout.STUB_MARKS) <= len(words)]
    for place, mark in enumerate(layout.STUB_MARKS):
        halves = high[at + place]
        at = at[(halves & layout.EVENTS_MASK == mark) & _is_mark(halves)]
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
    """Say for each upper half whether its control code is that of a mark."""
    is_mark: Array = high < layout.FIXP + 1 << 12
    other = layout.FIXP_CODES[0] << 12
    is_mark |= (high >= other) & (high < other + (1 << 12))
    return is_mark
