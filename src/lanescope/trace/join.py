"""Joins two streams of records on the key that names a task's run, whole columns at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.numbering import find, is_rising, rising_order
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table

_TOKEN_BITS, _LANE_BITS = 40, 23


@dataclass(frozen=True, slots=True, eq=False)
class TaskKey:
    """The key of each record: it names one run of one task on one core.

    The records of the core and of the controller, counter samples and marks all carry it. It has
    one column per part, all of one length. Nothing outside this file depends on how many parts
    there are, apart from those who make a key.
    """

    core: Array
    token: Array
    run: Array | None = None
    """Number of the run of the whole graph; None where there is one only."""

    @classmethod
    def of(cls, table: Table) -> TaskKey:
        """The keys of a trace's table that has the columns `core` and `token`.

        Tokens begin anew with every run of a trace that holds several.
        """
        return cls(table["core"], table["token"], table["run"] if "run" in table.columns else None)

    @classmethod
    def below_each_other(cls, parts: list[TaskKey]) -> TaskKey:
        """The keys of all parts in one, in the order of the parts."""
        columns = ((part.core, part.token) for part in parts)
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def rows(self, index: Array | slice) -> TaskKey:
        """The keys of these records, in this order."""
        run = None if self.run is None else self.run[index]
        return TaskKey(self.core[index], self.token[index], run)

    def __len__(self) -> int:
        return len(self.core)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """The rows of a join, in the order of their keys.

    `left` and `right` are record numbers in the two streams, -1 where a stream has no record for
    the row. `duplicate` marks rows whose key occurs more than once in a stream. Records with such
    a key are not paired: each has a row of its own.
    """

    key: TaskKey
    left: Array
    right: Array
    duplicate: Array
    in_order: bool = False
    """Whether row n is record n of both streams, so that no column has to be put in order."""

    def of_left(self, values: Array) -> Array:
        """A column of the left stream, row by row, as int64; MISSING where there is no record."""
        return self._in_rows(values, self.left)

    def of_right(self, values: Array) -> Array:
        """A column of the right stream, row by row, as int64; MISSING where there is no record."""
        return self._in_rows(values, self.right)

    def _in_rows(self, values: Array, index: Array) -> Array:
        return values.astype(np.int64, copy=False) if self.in_order else _taken(values, index)


def join(left_key: TaskKey, right_key: TaskKey) -> Joined:
    """Full outer join: every record of both streams is in exactly one row."""
    left_numbers, right_numbers = _packed(left_key, right_key)
    if is_rising(left_numbers) and np.array_equal(left_numbers, right_numbers):
        record = np.arange(len(left_numbers))
        own = TaskKey(*(c.astype(np.int64, copy=False) for c in (left_key.core, left_key.token)))
        return Joined(own, record, record, np.zeros(len(record), bool), in_order=True)
    left_order, right_order = rising_order(left_numbers), rising_order(right_numbers)
    left, right = left_numbers[left_order], right_numbers[right_order]
    if len(left) == len(right) and is_rising(left) and np.array_equal(left, right):
        rows_key = _row_key((left_key, left_order), (right_key, right_order))
        return Joined(rows_key, left_order, right_order, np.zeros(len(left), bool))
    left_twice, right_twice = _repeated(left), _repeated(right)
    at = np.searchsorted(right, left)
    at[at == len(right)] = 0
    has_partner = (right[at] == left) if len(right) else np.zeros(len(left), bool)
    clash = left_twice | (has_partner & right_twice[at] if len(right) else False)
    paired = has_partner & ~clash
    right_paired = np.zeros(len(right), bool)
    right_paired[at[paired]] = True
    alone = ~right_paired
    right_clash = right_twice | np.isin(right, left[left_twice])
    order = np.argsort(np.concatenate([left, right[alone]]), kind="stable")
    left_rows = np.concatenate([left_order, np.full(int(alone.sum()), -1)])[order]
    right_side = np.full(len(left), -1)
    right_side[paired] = right_order[at[paired]]
    right_rows = np.concatenate([right_side, right_order[alone]])[order]
    duplicate = np.concatenate([clash, right_clash[alone]])[order]
    rows_key = _row_key((left_key, left_rows), (right_key, right_rows))
    return Joined(rows_key, left_rows, right_rows, duplicate)


def alone(left_key: TaskKey) -> Joined:
    """The rows of a stream that has no second stream to be joined with."""
    return join(left_key, left_key.rows(slice(0)))


def places(keys: TaskKey, wanted: TaskKey) -> Array:
    """Which of `keys` each wanted key is, -1 where none is; of several equal ones the first."""
    return find(*_packed(keys, wanted))


def _packed(one: TaskKey, other: TaskKey) -> tuple[Array, Array]:
    """One number per key that sorts by core, run and token.

    Runs count where both sides have them. A core that is not known counts as core -1: shifted, its
    number would be that of core 0.
    """
    lanes = [np.maximum(key.core, -1).astype(np.int64) for key in (one, other)]
    if one.run is not None and other.run is not None and _several(one.run, other.run):
        runs = [np.maximum(run, -1).astype(np.int64) for run in (one.run, other.run)]
        most = max(int(run.max(initial=0)) for run in runs) + 2
        lanes = [core * most + run + 1 for core, run in zip(lanes, runs, strict=True)]
    if max(int(lane.max(initial=0)) for lane in lanes) >> _LANE_BITS:
        _, dense = np.unique(np.concatenate(lanes), return_inverse=True)
        lanes = np.split(dense, [len(one)])
    tokens = [key.token.astype(np.int64, copy=False) for key in (one, other)]
    low = min(int(token.min(initial=0)) for token in tokens)
    if low < 0 or max(int(token.max(initial=0)) for token in tokens) >> _TOKEN_BITS:
        _, dense = np.unique(np.concatenate(tokens), return_inverse=True)
        tokens = np.split(dense, [len(one)])
    left, right = (lane << _TOKEN_BITS | token for lane, token in zip(lanes, tokens, strict=True))
    return left, right


def _several(one: Array, other: Array) -> bool:
    """Whether a run is known of both; a trace of one run has none."""
    return int(one.max(initial=-1)) >= 0 and int(other.max(initial=-1)) >= 0


def _row_key(left: tuple[TaskKey, Array], right: tuple[TaskKey, Array]) -> TaskKey:
    """The key of each row, from a stream that has a record there; keys with their rows."""
    (left_key, left_rows), (right_key, right_rows) = left, right
    core, token = _taken(left_key.core, left_rows), _taken(left_key.token, left_rows)
    empty = left_rows < 0
    if empty.any():
        core[empty] = _taken(right_key.core, right_rows[empty])
        token[empty] = _taken(right_key.token, right_rows[empty])
    return TaskKey(core, token)


def _taken(values: Array, index: Array) -> Array:
    """values[index] as int64, MISSING where the index is -1."""
    if not len(values):
        return np.full(len(index), MISSING)
    taken: Array = values[index].astype(np.int64, copy=False)
    taken[index < 0] = MISSING
    return taken


def _repeated(keys: Array) -> Array:
    """Mask of the keys that occur more than once; `keys` is sorted."""
    same = np.zeros(len(keys), bool)
    if len(keys):
        equal = keys[1:] == keys[:-1]
        same[1:] |= equal
        same[:-1] |= equal
    return same
