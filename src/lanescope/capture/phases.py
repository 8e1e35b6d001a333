"""Rows of the phases table, from the records of schedulers, orchestrators and host threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.capture.pieces import NEVER
from lanescope.capture.stamps import StampWindow
from lanescope.device.head import Array, Head
from lanescope.device.kinds import RECORD_KINDS
from lanescope.device.layouts import constant, constants
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.trace import Words

Columns = dict[str, Array]
_NO_TASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class PhaseFacts:
    """What is known of all phases of a capture together."""

    earliest: int
    """Earliest start of a phase whose times can be right, in cycles; NEVER without one."""
    unusable: Mapping[int, int]
    """Lane to the number of its phases whose times cannot be right, where there are any."""
    count: int
    """Number of phases of controllers."""


_PREFIXES = {"scheduler_phase": "LS_PHASE_", "orchestrator_phase": "LS_ORCHESTRATOR_"}
"""Kind of phase record to the beginning of the constants that name its phases."""
HOST_PHASE = "host_phase"
"""The kind of phase record whose names are in the region."""


def phase_names(kind: str, head: Head) -> dict[int, str]:
    """Return the name of each phase by its code, for a kind of phase record."""
    if kind != HOST_PHASE:
        return _constant_names(kind)
    first = constant("LS_HOST_NAMES")
    own = range(first, constant("LS_COUNTER_NAMES"))
    return {number - first: name for number, name in head.functions.items() if number in own}


def phase_codes(records: Array) -> Array:
    """Return the number of each phase's name."""
    codes: Array = records["kind" if "kind" in (records.dtype.names or ()) else "name"]
    return codes


@cache
def _constant_names(kind: str) -> dict[int, str]:
    prefix, records = _PREFIXES[kind], {record.constant for record in RECORD_KINDS}
    return {
        value: name.removeprefix(prefix).lower()
        for name, value in constants().items()
        if name.startswith(prefix) and name not in records
    }


def phase_lanes(head: Head) -> list[int]:
    """Return the numbers of the lanes that hold phases."""
    return [
        lane
        for lane, kind in enumerate(head.lanes["kind"].tolist())
        if RECORD_KINDS[kind].name in (*_PREFIXES, HOST_PHASE)
    ]


def phase_columns(records: Array, lane: int, head: Head, words: Words) -> Columns:
    """Return the columns of the phases table for records of one lane; times are in cycles only."""
    kind = RECORD_KINDS[head.lanes["kind"][lane]]
    who = kind.owner
    own = _OWN[who](records)
    return {
        "lane": np.full(len(records), words.code(who), np.int32),
        "controller": np.full(len(records), head.lanes["owner"][lane], np.int32),
        "kind": _kinds(phase_codes(records), phase_names(kind.name, head), words),
        "start_cycles": records["start"].astype(np.int64),
        "end_cycles": records["end"].astype(np.int64),
        "task": _tasks(records["task"]),
        **own,
    }


def phase_facts(gathered: Gathered, head: Head, window: StampWindow, words: Words) -> PhaseFacts:
    """Read all phases once, some buffers at a time, for what must be known before the rows.

    The words of the rows get their codes here, in an order that no size of chunks changes.
    """
    earliest, unusable, count = NEVER, dict[int, int](), 0
    for lane in phase_lanes(head):
        kinds: set[int] = set()
        of_controller = RECORD_KINDS[head.lanes["kind"][lane]].name != HOST_PHASE
        for places in gathered.chunks(lane):
            records = gathered.read(places)
            kinds |= set(different(phase_codes(records)).tolist())
            start, end = (records[name].astype(np.int64) for name in ("start", "end"))
            wrong = window.unusable(start, end)
            earliest = min(earliest, int(start[~wrong].min(initial=NEVER)))
            count += len(records) if of_controller else 0
            if wrong.any():
                unusable[lane] = unusable.get(lane, 0) + int(wrong.sum())
        if kinds:
            kind = RECORD_KINDS[head.lanes["kind"][lane]]
            words.code(kind.owner)
            _kinds(np.array(sorted(kinds)), phase_names(kind.name, head), words)
    return PhaseFacts(earliest, unusable, count)


def _scheduler(records: Array) -> Columns:
    """Return the columns that only phases of schedulers have."""
    dispatches = records["kind"] == constant("LS_PHASE_DISPATCH")
    columns = {
        "loop": records["loop"].astype(np.int64),
        "tasks": _i32(records["tasks"]),
        "pop_hit": np.where(dispatches, _i32(records["pop_hit"]), np.int32(MISSING32)),
        "pop_miss": np.where(dispatches, _i32(records["pop_miss"]), np.int32(MISSING32)),
    }
    for queue in range(3):
        columns[f"queue{queue}_start"] = records["depth_start"][:, queue].astype(np.int32)
        columns[f"queue{queue}_end"] = records["depth_end"][:, queue].astype(np.int32)
    return columns


def _orchestrator(records: Array) -> Columns:
    """Return the column that only phases of orchestrators have."""
    return {"submit": _i32(records["submit"])}


def _host(records: Array) -> Columns:
    """Return the column that only phases of the host have."""
    return {"bytes": _tasks(records["bytes"])}


_OWN = {"scheduler": _scheduler, "orchestrator": _orchestrator, "host": _host}
"""Owner of a lane to the function that makes the columns which only its phases have."""


def _kinds(codes: Array, names: dict[int, str], words: Words) -> Array:
    """Return the word of each phase's name; a code without a name is `kind_9`."""
    kinds, index = np.unique(codes, return_inverse=True)
    known = [words.code(names.get(kind, f"kind_{kind}")) for kind in kinds.tolist()]
    return np.array(known, np.int32)[index]


def _tasks(tasks: Array) -> Array:
    """Return the tasks, or the bytes, as int64; MISSING where a phase has none."""
    none = tasks == np.uint64(_NO_TASK)
    return np.where(none, MISSING, tasks.astype(np.int64))


def _i32(values: Array) -> Array:
    """Return unsigned 32-bit counts as int32; MISSING32 replaces those beyond 31 bits."""
    return np.where(values <= 0x7FFFFFFF, values, MISSING32 & 0xFFFFFFFF).astype(np.int32)
