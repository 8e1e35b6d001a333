"""Makes counter rows: hardware counters joined to task rows, scope statistics, argument bytes."""

from __future__ import annotations

import numpy as np

from lanescope.formats.simpler.pmu import PmuRows
from lanescope.formats.simpler.records import Array
from lanescope.formats.simpler.scopes import ScopeStats
from lanescope.trace import MISSING, MISSING32, NO_WORD, LedgerEntry, Words

Columns = dict[str, Array]


def pmu_columns(pmu: PmuRows, tasks: Columns, words: Words) -> tuple[Columns, LedgerEntry]:
    """One row per counter value, and the account of the PMU rows.

    A PMU row without a task row keeps its values, without a token.
    """
    at = _nth_match(pmu.core, pmu.task, tasks["core"], tasks["task"])
    matched = at >= 0
    token = np.where(matched, tasks["token"][at] if len(tasks["token"]) else MISSING, MISSING)
    count, kinds = len(pmu.core), len(pmu.counters)
    columns = {
        "name": np.repeat(words.codes(list(pmu.counters)), count),
        "value": np.concatenate([v.astype(np.float64) for v in pmu.counters.values()]),
        "task": np.tile(pmu.task, kinds),
        "core": np.tile(pmu.core.astype(np.int32), kinds),
        "token": np.tile(token, kinds),
    }
    good = int(matched.sum())
    return columns, LedgerEntry("counters", "pmu", count, good, unmatched=count - good)


def _nth_match(core: Array, task: Array, to_core: Array, to_task: Array) -> Array:
    """For the k-th row of a (core, task) the index of its k-th target row, or -1."""
    ids = np.unique(np.concatenate([task, to_task]))
    mine, my_rank = _ranked(core, np.searchsorted(ids, task))
    theirs, their_rank = _ranked(to_core, np.searchsorted(ids, to_task))
    targets = {
        pair: row for row, pair in enumerate(zip(theirs.tolist(), their_rank.tolist(), strict=True))
    }
    pairs = zip(mine.tolist(), my_rank.tolist(), strict=True)
    return np.array([targets.get(pair, -1) for pair in pairs], np.int64)


def _ranked(core: Array, task_index: Array) -> tuple[Array, Array]:
    """One number per (core, task), and how many rows of the same number came before."""
    key = task_index.astype(np.int64) << 21 | np.maximum(core, -1).astype(np.int64) + 1
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(key) else order
    sizes = np.diff(np.r_[first, len(key)])
    rank = np.empty(len(key), np.int64)
    rank[order] = np.arange(len(key)) - np.repeat(first, sizes)
    return key, rank


def scope_columns(scopes: ScopeStats, words: Words) -> Columns:
    """One row per value of a scope boundary, in the order of the boundaries."""
    rows = scopes.rows()
    return _filled(
        name=words.codes([row[0] for row in rows]),
        value=np.array([row[1] for row in rows], np.float64),
        order=np.array([row[2] for row in rows], np.int64),
        site=words.codes([row[3] for row in rows]),
    )


def argument_columns(arguments: dict[tuple[int, str], int], words: Words) -> Columns:
    """One row per task and argument role, in bytes."""
    return _filled(
        name=words.codes([name for _, name in arguments]),
        value=np.array(list(arguments.values()), np.float64),
        task=np.array([task for task, _ in arguments], np.int64),
    )


def _filled(**columns: Array) -> Columns:
    count = len(columns["name"])
    absent: Columns = {
        "task": np.full(count, MISSING),
        "core": np.full(count, MISSING32, np.int32),
        "token": np.full(count, MISSING),
        "order": np.full(count, MISSING),
        "site": np.full(count, NO_WORD, np.int32),
    }
    return {**absent, **columns}


def concatenated(parts: list[Columns]) -> Columns:
    """Put the parts below each other; a column that a part does not have is missing there."""
    whole = [_filled(**part) for part in parts]
    return {key: np.concatenate([part[key] for part in whole]) for key in whole[0]} if whole else {}
