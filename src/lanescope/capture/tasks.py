"""Task rows of a capture: 32-bit tokens become dispatch numbers, then the streams are joined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.stamps import StampWindow
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.trace.flags import Feature
from lanescope.trace.join import Joined, TaskKey, join
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


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The records of all lanes of one kind, lane after lane, with the key of each."""

    rows: Array
    key: TaskKey


def join_tasks(
    gathered: Gathered, head: Head, cores: Side, *, window: StampWindow, lifecycle: bool
) -> TaskRows:
    """Join what the cores recorded with the controllers' records; times are in cycles.

    `lifecycle` says whether every task has a controller's record. Rows with times outside the
    window are flagged.
    """
    controllers = side(gathered, head, CONTROLLER_TASK)
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


def side(gathered: Gathered, head: Head, kind: str) -> Side:
    """All records of a kind that carry a token."""
    lanes = np.flatnonzero(head.lanes["kind"] == KINDS.index(kind)).tolist()
    if not lanes:
        return Side(np.empty(0, layout(f"ls_{kind}")), TaskKey(*np.empty((2, 0), np.int64)))
    parts = [gathered.records[lane] for lane in lanes]
    owners = head.lanes["owner"][lanes].astype(np.int64)
    tokens = [unwrap(part["token"], int(head.header["first_token"])) for part in parts]
    core = np.repeat(owners, [len(part) for part in parts])
    return Side(np.concatenate(parts), TaskKey(core, np.concatenate(tokens)))


def unwrap(token: Array, first: int) -> Array:
    """32-bit tokens of one core in recorded order as 64-bit dispatch numbers from `first` on.

    Neighbours may be up to 2^31 apart in either direction: losses are gaps, not wraps.
    """
    before = np.concatenate([np.array([first], np.uint32), token[:-1]])
    steps = (token.astype(np.uint32) - before[: len(token)]).astype(np.int32).astype(np.int64)
    numbers: Array = np.int64(first) + np.cumsum(steps)
    return numbers


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
