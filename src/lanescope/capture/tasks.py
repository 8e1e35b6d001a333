"""Task rows of a capture: the records of cores and controllers are joined on core and token."""

from __future__ import annotations

import numpy as np

from lanescope.capture.ledger import LaneCounts
from lanescope.capture.pieces import Side
from lanescope.capture.stamps import StampWindow
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.trace.flags import Feature
from lanescope.trace.join import Joined, join
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.task_rows import (
    CONTROLLER_TASK,
    CORE_TASK,
    TaskRows,
    task_flags,
    whole_records,
)

_NO_FUNC = 0xFFFFFFFF
_RECORDED = ("dispatch", "start", "end", "finish")
"""The times that records have. The time of receiving is computed."""


def join_tasks(
    cores: Side, controllers: Side, head: Head, *, window: StampWindow, lifecycle: bool
) -> TaskRows:
    """Join what the cores recorded with the controllers' records; times are in cycles.

    `lifecycle` says whether every task has a controller's record. Rows with times outside the
    window are flagged.
    """
    joined = join(cores.key, controllers.key)
    times = _times(cores, controllers, joined)
    due: tuple[str, ...] = (CORE_TASK,)
    if lifecycle:
        delay = joined.of_left(cores.rows["receive_to_start"])
        times["receive"] = np.where(joined.left >= 0, times["start"] - delay, MISSING)
        due = (CORE_TASK, CONTROLLER_TASK)
    wild = np.logical_or.reduce([window.wild(times[name]) for name in _RECORDED])
    flags = task_flags(times, joined.duplicate, due) | wild * np.int32(TaskFlag.WILD_TIME)
    task, func = _identity(cores, controllers, joined, head)
    return TaskRows(
        key=joined.key,
        task=task,
        func=func,
        flags=flags,
        times=times,
        whole=whole_records(joined, flags, cores=int(head.header["core_count"])),
    )


def has_lifecycle(head: Head, counts: LaneCounts) -> bool:
    """Whether controllers recorded tasks: from level 2 on, in a program that has controllers.

    A program whose cores alone record has no partners for their records, and lost none.
    """
    lanes = np.flatnonzero(head.lanes["kind"] == KINDS.index(CONTROLLER_TASK))
    wanted = int(head.header["flags"]) & Feature.CHIP_SWIMLANE_TASK_LIFECYCLE
    return bool(wanted) and counts.has_producer(lanes)


def _times(cores: Side, controllers: Side, joined: Joined) -> dict[str, Array]:
    """The times of each row by name; no receive time is known yet."""
    return {
        "dispatch": joined.of_right(controllers.rows["dispatch"]),
        "receive": np.full(len(joined.left), MISSING),
        "start": joined.of_left(cores.rows["start"]),
        "end": joined.of_left(cores.rows["end"]),
        "finish": joined.of_right(controllers.rows["finish"]),
    }


def _identity(cores: Side, controllers: Side, joined: Joined, head: Head) -> tuple[Array, Array]:
    """Task id and function of each row, from whichever record is there.

    A region whose `func_shift` is not 0 keeps the function in the upper bits of the task word.
    """
    shift = int(head.header["func_shift"])
    has_core = joined.left >= 0
    word = joined.of_left(cores.rows["task"])
    own = joined.of_right(controllers.rows["task"])
    func = joined.of_right(controllers.rows["func"])
    if shift:
        unsigned = np.where(has_core, word, 0).astype(np.uint64)
        from_core = (unsigned >> np.uint64(shift)).astype(np.int64)
        word = (unsigned & np.uint64((1 << shift) - 1)).astype(np.int64)
        func = np.where((func == MISSING) & has_core, from_core, func)
    task = np.where(has_core, word, own)
    unknown = (func == MISSING) | (func == _NO_FUNC)
    return task, np.where(unknown, MISSING32, func).astype(np.int32)
