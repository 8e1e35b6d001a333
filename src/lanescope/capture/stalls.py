"""Rows of the stalls table: where recording made a producer wait or drop records.

The header of a buffer says from when to when its producer waited for it, and how many records the
producer had dropped until then. The last wait of a lane, after which it got no buffer, is in the
lane itself.
"""

from __future__ import annotations

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.capture.ledger import LaneCounts
from lanescope.device.head import Array, Head
from lanescope.device.kinds import RECORD_KINDS
from lanescope.device.layouts import constant
from lanescope.trace.schema import MISSING, MISSING32, NO_WORD
from lanescope.trace.trace import Words

Columns = dict[str, Array]


def stall_columns(gathered: Gathered, head: Head, counts: LaneCounts, words: Words) -> Columns:
    """Return the columns of the stalls table, sorted by start; times are in cycles."""
    buffers = gathered.buffers
    before = _dropped_before(buffers)
    waited = buffers["wait_start"] != 0
    lane = buffers["lane"][waited].astype(np.int64)
    start = buffers["wait_start"][waited].astype(np.int64)
    end = buffers["wait_end"][waited].astype(np.int64)
    records = (buffers["dropped"].astype(np.int64) - before)[waited]
    if counts.lanes is not None:
        tail_lane, tail_start, tail_end, tail_records = _tails(
            buffers, counts.lanes, counts.damaged
        )
        lane = np.concatenate([lane, tail_lane])
        start = np.concatenate([start, tail_start])
        end = np.concatenate([end, tail_end])
        records = np.concatenate([records, tail_records])
    order = np.argsort(start, kind="stable")
    lane = lane[order]
    owner = head.lanes["owner"][lane].astype(np.int32)
    kind = head.lanes["kind"][lane]
    of_core, by_controller = _about_cores("core")[kind], _about_cores("scheduler")[kind]
    optional = constant("LS_FIRST_OPTIONAL_KIND")
    used = [each for each in RECORD_KINDS if each.code < optional or each.code in kind]
    names = np.full(len(RECORD_KINDS), NO_WORD, np.int32)
    names[[each.code for each in used]] = words.codes([each.producer for each in used])
    serving = np.array([core.controller for core in head.cores], np.int32)
    controller = np.where(by_controller, serving[owner % len(serving)], owner)
    return {
        "lane": names[kind],
        "core": np.where(of_core | by_controller, owner, np.int32(MISSING32)),
        "controller": np.where(of_core | (controller < 0), np.int32(MISSING32), controller),
        "cause": np.full(len(lane), words.code("no free buffer"), np.int32),
        "start_cycles": start[order],
        "end_cycles": np.where(end[order] == 0, MISSING, end[order]),
        "records": records[order],
    }


def _about_cores(producer: str) -> Array:
    """Return for each kind of record whether this producer writes it in a lane per core or pipe."""
    return np.array(
        [kind.owner in ("core", "pipe") and kind.producer == producer for kind in RECORD_KINDS]
    )


def _dropped_before(buffers: Array) -> Array:
    """Return, for each buffer, how many records its lane had dropped by the buffer before it.

    It is 0 for the first buffer of a lane.
    """
    before = np.zeros(len(buffers), np.int64)
    same = buffers["lane"][1:] == buffers["lane"][:-1]
    before[1:][same] = buffers["dropped"][:-1][same].astype(np.int64)
    return before


def _tails(
    buffers: Array, lanes: Array, damaged: frozenset[int]
) -> tuple[Array, Array, Array, Array]:
    """Return the last waits: lane, start and end in cycles, and dropped records."""
    waiting = np.flatnonzero(lanes["wait_start"] != 0)
    waiting = waiting[~np.isin(waiting, sorted(damaged))]
    seen = np.zeros(len(lanes), np.int64)
    np.maximum.at(seen, buffers["lane"].astype(np.int64), buffers["dropped"].astype(np.int64))
    return (
        waiting,
        lanes["wait_start"][waiting].astype(np.int64),
        lanes["wait_end"][waiting].astype(np.int64),
        lanes["dropped"][waiting].astype(np.int64) - seen[waiting],
    )
