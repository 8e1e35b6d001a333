"""Task rows: what a join of core and controller records gives, flagged and counted.

Every producer of traces that has these two streams makes its tasks table from such rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.trace.join import Joined, TaskKey
from lanescope.trace.schema import MISSING, TaskFlag
from lanescope.trace.table import Array

TIMES = ("dispatch", "receive", "start", "end", "finish")
CORE_TASK, CONTROLLER_TASK = "core_task", "controller_task"
"""The two kinds of record of a task: what its core and what its controller recorded."""

_SPANS = {
    CORE_TASK: ("start", "end", TaskFlag.NO_CORE_RECORD),
    CONTROLLER_TASK: ("dispatch", "finish", TaskFlag.NO_CONTROLLER_RECORD),
}
"""Per kind of record: its first time, its last time, the flag of a row that lacks one of them."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskRows:
    """One row per run of a task on a core, in the order of the keys."""

    key: TaskKey
    task: Array
    func: Array
    """Of int32; MISSING32 where no record names the function."""
    flags: Array
    """Of int32, bits of TaskFlag; 0 where the row lacks nothing."""
    times: Mapping[str, Array]
    """By name (see TIMES), in the unit of the source; MISSING where not recorded."""
    whole: Mapping[str, Array]
    """Per kind of record and core number: how many of its records are in rows with flags 0."""

    @property
    def usable(self) -> Array:
        """Mask of the rows whose times may be shown: all are possible, and none is backwards."""
        return np.asarray((self.flags & (TaskFlag.BACKWARDS | TaskFlag.WILD_TIME)) == 0)


def task_flags(times: Mapping[str, Array], duplicate: Array, due: Collection[str]) -> Array:
    """What is wrong with each row. `due` are the kinds of record that every row must have."""
    flags = duplicate * np.int32(TaskFlag.DUPLICATE_TOKEN)
    backwards = np.zeros(len(duplicate), bool)
    for kind, (first, last, missing) in _SPANS.items():
        if kind in due:
            absent = (times[first] == MISSING) | (times[last] == MISSING)
            flags += absent * np.int32(missing)
        backwards |= precedes(times[last], times[first])
    result: Array = flags + backwards * np.int32(TaskFlag.BACKWARDS)
    return result


def whole_records(joined: Joined, flags: Array, *, cores: int) -> dict[str, Array]:
    """Per kind of record: how many of each core's records are in rows with flags 0.

    The cores' records are the left stream of the join, the controllers' the right one. Core
    numbers are below `cores`.
    """
    streams = {CORE_TASK: joined.left, CONTROLLER_TASK: joined.right}
    core, good = joined.key.core, flags == 0
    if joined.in_order and good.all():
        return dict.fromkeys(streams, np.bincount(core, minlength=cores))
    return {
        kind: np.bincount(core[good & (record >= 0)], minlength=cores)
        for kind, record in streams.items()
    }


def precedes(first: Array, second: Array) -> Array:
    """Mask of the rows in which both times are known and `first` is the earlier one."""
    result: Array = first < second
    if result.any():
        result &= (first != MISSING) & (second != MISSING)
    return result
