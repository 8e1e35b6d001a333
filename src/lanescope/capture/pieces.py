"""Cuts the records that carry a token into pieces that fit into memory: ranges of (core, token).

All records with one key are in one piece, and the pieces are in the order of the keys. So tasks can
be joined piece by piece, and the rows are those of one join of everything, in the same order. A
first reading of the lanes finds the tokens of each buffer; a piece then reads its own buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.capture.gather import CHUNK, Gathered
from lanescope.capture.stamps import StampWindow
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.trace.join import TaskKey
from lanescope.trace.task_rows import CONTROLLER_TASK, CORE_TASK

PIECE_RECORDS = 1 << 20
"""About how many records are joined at a time. Joining needs about 300 bytes for each."""
TOKEN_KINDS = (CORE_TASK, CONTROLLER_TASK, "pmu")
"""The kinds of record that carry a token."""
_FIRST_TIME = {CORE_TASK: "start", CONTROLLER_TASK: "dispatch"}
"""Kind of record to the field with its earliest time."""
NEVER = int(np.iinfo(np.int64).max)
"""Later than every time."""
Key = tuple[float, float]
"""Core and token; whole numbers, or infinite ones at the ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Records of one kind, lane after lane, with the key of each."""

    rows: Array
    key: TaskKey
    number: Array
    """The number of each record among all of its kind, lane after lane."""


@dataclass(frozen=True, slots=True)
class TokenPiece:
    """A range of keys (core, token): from the first one to before the last one."""

    first: Key
    last: Key
    earliest: int
    """No time of a record in it that can be right is earlier, in cycles; NEVER without one."""


EVERYTHING = TokenPiece((-np.inf, -np.inf), (np.inf, np.inf), -NEVER)
"""The piece of all records."""


@dataclass(frozen=True, slots=True, eq=False)
class _TokenBuffers:
    """The buffers of all lanes whose records carry a token; empty buffers are left out."""

    place: Array
    """Place of the buffer in `Gathered.buffers`."""
    core: Array
    kind: Array
    count: Array
    before: Array
    """Dispatch number of the last record before the buffer."""
    low: Array
    middle: Array
    """Dispatch number of the record in its middle."""
    high: Array
    earliest: Array
    """First time of a record that can be right, in cycles; NEVER without one."""


class TokenRecords:
    """The records that carry a token, and the pieces in which they can be read."""

    def __init__(
        self,
        gathered: Gathered,
        head: Head,
        window: StampWindow,
        *,
        piece_records: int = PIECE_RECORDS,
        first_numbers: Mapping[int, int] | None = None,
    ) -> None:
        """`first_numbers` has the lanes whose first token does not follow the region's first."""
        self.gathered = gathered
        """The buffers that the records are in."""
        self.limits: dict[int, int] = {}
        """Core to the last dispatch number that is read of it; what is beyond is left out."""
        starts = dict.fromkeys(range(len(head.lanes)), int(head.header["first_token"]) - 1)
        self.last_numbers = starts | dict(first_numbers or {})
        """By lane: the dispatch number of its last record, or the number before its first one."""
        self._buffers = _listed(gathered, head, window, self.last_numbers)
        self._numbers = _numbers_before(self._buffers)
        self.pieces = _pieces(self._buffers, piece_records)
        """The pieces in the order of their keys; at least one."""

    def count(self, kind: str) -> int:
        """Return how many records of a kind there are."""
        return int(self._buffers.count[self._buffers.kind == KINDS.index(kind)].sum())

    def read(self, kind: str, piece: TokenPiece) -> Side:
        """Return the records of a kind whose keys are in a piece."""
        own = self._buffers
        rows = np.flatnonzero((own.kind == KINDS.index(kind)) & _meet(own, piece.first, piece.last))
        parts = [self._stretch(part, piece) for part in _stretches(own.place, own.core, rows)]
        if not parts:
            empty = np.empty(0, np.int64)
            return Side(np.empty(0, layout(f"ls_{kind}")), TaskKey(empty, empty), empty)
        return Side(
            np.concatenate([part.rows for part in parts]),
            TaskKey.below_each_other([part.key for part in parts]),
            np.concatenate([part.number for part in parts]),
        )

    def in_order(self, kind: str) -> Iterator[Side]:
        """Yield all records of a kind, lane after lane in recorded order, some at a time."""
        own = self._buffers
        for rows in _stretches(own.place, own.core, np.flatnonzero(own.kind == KINDS.index(kind))):
            passed = np.cumsum(own.count[rows])
            for part in np.split(rows, np.flatnonzero(np.diff(passed // CHUNK)) + 1):
                yield self._stretch(part, EVERYTHING)

    def _stretch(self, rows: Array, piece: TokenPiece) -> Side:
        """Return the records of neighbouring buffers of one lane that are in a piece."""
        own, (first, last) = self._buffers, (int(rows[0]), int(rows[-1]))
        records = self.gathered.read(range(int(own.place[first]), int(own.place[last]) + 1))
        token = unwrap(records["token"], int(own.before[first]))
        core = int(own.core[first])
        inside = np.ones(len(token), bool)
        if core == piece.first[0]:
            inside &= token >= piece.first[1]
        if core == piece.last[0]:
            inside &= token < piece.last[1]
        if core in self.limits:
            inside &= token <= self.limits[core]
        number = self._numbers[first] + np.flatnonzero(inside)
        if not inside.all():
            records, token = records[inside], token[inside]
        return Side(records, TaskKey(np.full(len(token), core, np.int64), token), number)


def unwrap(token: Array, first: int) -> Array:
    """32-bit tokens of one core in recorded order as 64-bit dispatch numbers from `first` on.

    Neighbours may be up to 2^31 apart in either direction: losses are gaps, not wraps.
    """
    before = np.concatenate([np.array([first & 0xFFFFFFFF], np.uint32), token[:-1]])
    steps = (token.astype(np.uint32) - before[: len(token)]).astype(np.int32).astype(np.int64)
    numbers: Array = np.int64(first) + np.cumsum(steps)
    return numbers


def _listed(
    gathered: Gathered, head: Head, window: StampWindow, numbers: dict[int, int]
) -> _TokenBuffers:
    """Read all lanes whose records carry a token once, some buffers at a time.

    `numbers` has the number before the first record of each lane, and then that of the last one.
    """
    parts = [_TokenBuffers(*(np.empty(0, np.int64) for _ in range(9)))]
    for lane in np.flatnonzero(np.isin(head.lanes["kind"], _codes())).tolist():
        for places in gathered.chunks(lane):
            counts = gathered.buffers["count"][places.start : places.stop].astype(np.int64)
            used = np.flatnonzero(counts)
            if not len(used):
                continue
            records = gathered.read(places)
            token = unwrap(records["token"], numbers[lane])
            begins = (np.cumsum(counts) - counts)[used]
            constant = np.ones(len(used), np.int64)
            parts.append(
                _TokenBuffers(
                    place=places.start + used,
                    core=constant * int(head.lanes["owner"][lane]),
                    kind=constant * int(head.lanes["kind"][lane]),
                    count=counts[used],
                    before=np.append(numbers[lane], token[begins[1:] - 1]),
                    low=np.minimum.reduceat(token, begins),
                    middle=token[begins + counts[used] // 2],
                    high=np.maximum.reduceat(token, begins),
                    earliest=np.minimum.reduceat(_times(records, window), begins),
                )
            )
            numbers[lane] = int(token[-1])
    names = _TokenBuffers.__dataclass_fields__
    return _TokenBuffers(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def _codes() -> list[int]:
    return [KINDS.index(kind) for kind in TOKEN_KINDS]


def _times(records: Array, window: StampWindow) -> Array:
    """Return the first time of each record in cycles; NEVER where it cannot be right."""
    names = [name for name in _FIRST_TIME.values() if name in (records.dtype.names or ())]
    if not names:
        return np.full(len(records), NEVER)
    times = records[names[0]].astype(np.int64)
    return np.where(window.wild(times), NEVER, times)


def _numbers_before(buffers: _TokenBuffers) -> Array:
    """Return for each buffer how many records of its kind come before it."""
    before = np.zeros(len(buffers.place), np.int64)
    for kind in _codes():
        own = buffers.kind == kind
        before[own] = np.cumsum(buffers.count[own]) - buffers.count[own]
    return before


def _pieces(buffers: _TokenBuffers, size: int) -> tuple[TokenPiece, ...]:
    """Cut where about `size` records lie between two cuts, by the middles of the buffers."""
    order = np.lexsort((buffers.middle, buffers.core))
    passed = np.cumsum(buffers.count[order])
    places = order[np.flatnonzero(np.diff(passed // size)) + 1]
    keys = list(zip(buffers.core[places].tolist(), buffers.middle[places].tolist(), strict=True))
    edges = [EVERYTHING.first, *sorted(set(keys)), EVERYTHING.last]
    return tuple(
        TokenPiece(first, last, _earliest(buffers, first, last)) for first, last in pairwise(edges)
    )


def _earliest(buffers: _TokenBuffers, first: Key, last: Key) -> int:
    return int(buffers.earliest[_meet(buffers, first, last)].min(initial=NEVER))


def _meet(buffers: _TokenBuffers, first: Key, last: Key) -> Array:
    """Mask of the buffers that have a record in a range of keys, or may have one."""
    core = buffers.core
    begins = (core > first[0]) | ((core == first[0]) & (buffers.high >= first[1]))
    ends = (core < last[0]) | ((core == last[0]) & (buffers.low < last[1]))
    return np.asarray(begins & ends)


def _stretches(place: Array, core: Array, rows: Array) -> list[Array]:
    """Split rows of buffers where a buffer does not follow the one before it, or another lane."""
    new = (np.diff(place[rows]) != 1) | (np.diff(core[rows]) != 0)
    return [part for part in np.split(rows, np.flatnonzero(new) + 1) if len(part)]
