"""Joins the records of cores with those of controllers: both name the core and the token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array

TOKEN_BITS = 40


@dataclass(frozen=True, slots=True)
class Joined:
    """The rows of a join, sorted by key.

    `left` and `right` are indices into the two inputs, -1 where that side has no record.
    `duplicate` marks rows whose key occurs more than once on a side; they are not paired.
    """

    left: Array
    right: Array
    duplicate: Array


def key(core: Array, token: Array) -> Array:
    """One number per (core, token) that sorts by core, then token.

    Tokens are below 2^40; cores are not negative and below 2^23.
    """
    return core.astype(np.int64) << TOKEN_BITS | token.astype(np.int64)


def join(left_key: Array, right_key: Array) -> Joined:
    """Full outer join of two columns of keys: every record of both sides is in one row."""
    left_order = _order(left_key)
    right_order = _order(right_key)
    left = left_key[left_order]
    right = right_key[right_order]
    if len(left) == len(right) and _strictly_rising(left) and np.array_equal(left, right):
        return Joined(left_order, right_order, np.zeros(len(left), bool))
    left_twice, right_twice = _repeated(left), _repeated(right)
    at = np.searchsorted(right, left)
    at[at == len(right)] = 0
    met = (right[at] == left) if len(right) else np.zeros(len(left), bool)
    clash = left_twice | (met & right_twice[at] if len(right) else False)
    paired = met & ~clash
    right_paired = np.zeros(len(right), bool)
    right_paired[at[paired]] = True
    alone = ~right_paired
    right_clash = right_twice | np.isin(right, left[left_twice])
    rows_key = np.concatenate([left, right[alone]])
    order = np.argsort(rows_key, kind="stable")
    left_rows = np.concatenate([left_order, np.full(int(alone.sum()), -1)])[order]
    right_side = np.full(len(left), -1)
    right_side[paired] = right_order[at[paired]]
    right_rows = np.concatenate([right_side, right_order[alone]])[order]
    duplicate = np.concatenate([clash, right_clash[alone]])[order]
    return Joined(left_rows, right_rows, duplicate)


def places(keys: Array, wanted: Array) -> Array:
    """Index in `keys` of each wanted key: the first where it repeats, -1 where it is absent."""
    if not len(keys):
        return np.full(len(wanted), -1)
    order = _order(keys)
    at = order[np.searchsorted(keys, wanted, sorter=order).clip(max=len(keys) - 1)]
    return np.where(keys[at] == wanted, at, -1)


def _order(keys: Array) -> Array:
    if _strictly_rising(keys):
        return np.arange(len(keys))
    return np.argsort(keys, kind="stable")


def _strictly_rising(keys: Array) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _repeated(keys: Array) -> Array:
    """Mask of the keys that occur more than once; `keys` is sorted."""
    same = np.zeros(len(keys), bool)
    if len(keys):
        equal = keys[1:] == keys[:-1]
        same[1:] |= equal
        same[:-1] |= equal
    return same
