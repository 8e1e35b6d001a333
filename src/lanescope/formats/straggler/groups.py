"""Who takes part in an operation: two stages, the data-parallel ranks of a stage, all workers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.columns import different_rows
from lanescope.formats.straggler.operations import CLIP, EMBEDDING, GATHER, SCATTER, SEPARATE
from lanescope.formats.straggler.rows import StudyRows
from lanescope.trace.numbering import nth
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array

_ONWARD = {"forward-send", "backward-recv"}
"""Transfers whose other side is the next stage; that of the others is the stage before."""


@dataclass(frozen=True, slots=True)
class WorkerGroup:
    """Workers that take part in operations together."""

    name: str
    workers: tuple[tuple[int, int], ...]
    """Stage and data-parallel rank of each; of a transfer those of sender and receiver."""
    transfer: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The rows that are operations among workers; each column has one entry per such row."""

    row: Array
    group: Array
    """Index into `groups`."""
    sequence: Array
    """Number of the operation in its group, by time; the same on all who take part."""
    groups: list[WorkerGroup]


def members(rows: StudyRows, turn: Array) -> Members:
    """Number the operations among workers.

    Args:
        rows: All rows.
        turn: By row: which of the transfers of its type it is in its step; -1 for what is none.
    """
    there = {worker[:2] for worker in rows.workers}
    groups: dict[WorkerGroup, int] = {}
    number = np.full((len(rows.types), len(rows.workers)), -1)
    for code, worker in different_rows(rows.type, rows.worker)[0].tolist():
        group = _group(rows, rows.types[code], *rows.workers[worker][:2])
        if group is not None and len(there.intersection(group.workers)) > 1:
            number[code, worker] = groups.setdefault(group, len(groups))
    known = list(groups)
    is_transfer = np.array([group.transfer for group in known], bool)
    group_of = number[rows.type, rows.worker]
    row = np.flatnonzero(group_of >= 0)
    row = row[~is_transfer[group_of[row]] | (turn[row] >= 0)]
    group = group_of[row]
    transfer = is_transfer[group]
    sort = np.where(transfer, -1, rows.type[row])
    which = np.where(transfer, turn[row], rows.number[row])
    operations, operation = different_rows(group, rows.step[row], sort, which)
    return Members(row, group, _in_time(operations[:, 0], operation, rows.start[row]), known)


def _in_time(group: Array, operation: Array, start: Array) -> Array:
    """Each row's place among the operations of its group, which are ordered by first start."""
    first = np.full(len(group), np.iinfo(np.int64).max)
    np.minimum.at(first, operation, start)
    order = np.lexsort((first, group))
    place = np.empty(len(group), np.int64)
    place[order] = nth(group[order])
    sequence: Array = place[operation]
    return sequence


def _group(rows: StudyRows, name: str, stage: int, dp: int) -> WorkerGroup | None:
    """The group that an operation of a worker belongs to; None where nobody else takes part."""
    if name.endswith(("-send", "-recv")):
        direction = name.partition("-")[0]
        other = (stage + (1 if name in _ONWARD else -1)) % rows.stages
        source, target = (stage, other) if name.endswith("-send") else (other, stage)
        text = f"{direction}, dp {dp}: stage {source} to {target}"
        return WorkerGroup(text, ((source, dp), (target, dp)), transfer=True)
    if name in (GATHER, SCATTER, SEPARATE):
        everyone = tuple((stage, one) for one in range(rows.replicas))
        return WorkerGroup(f"data parallel, stage {stage}", everyone)
    if name == EMBEDDING and stage in (0, rows.stages - 1):
        return WorkerGroup(f"embedding, dp {dp}", ((0, dp), (rows.stages - 1, dp)))
    if name == CLIP:
        return WorkerGroup("all workers", tuple(worker[:2] for worker in rows.workers))
    return None


def ranks_of(group: WorkerGroup, rows: StudyRows) -> list[int]:
    """Global ranks of a group's workers, MISSING32 for one that has no rows."""
    ranks = {worker[:2]: worker[2] for worker in rows.workers}
    return [ranks.get(worker, MISSING32) for worker in group.workers]
