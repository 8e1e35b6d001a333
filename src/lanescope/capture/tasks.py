"""Task rows: the cores' and the controllers' records joined on (core, token)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.trace.flags import Feature
from lanescope.trace.join import join, key
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag

TIMES = ("dispatch", "receive", "start", "end", "finish")
_NO_FUNC = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class TaskRows:
    """Rows in (core, token) order; times in cycles, MISSING where there is none."""

    core: Array
    token: Array
    task: Array
    func: Array
    flags: Array
    cycles: dict[str, Array]
    whole: dict[str, Array]
    """Per kind of record and lane owner: how many of its records are in rows that lack nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """All lanes of one kind below each other."""

    rows: Array
    core: Array
    token: Array


def join_tasks(gathered: Gathered, head: Head, cores: Side) -> TaskRows:
    """Join the two streams; below level 2 there is only `cores`, what the cores recorded."""
    lifecycle = bool(int(head.header["flags"]) & Feature.CHIP_SWIMLANE_TASK_LIFECYCLE)
    controllers = side(gathered, head, "controller_task")
    joined = join(key(cores.core, cores.token), key(controllers.core, controllers.token))
    has_core, has_controller = joined.left >= 0, joined.right >= 0
    cycles = {
        "start": _take(cores.rows["start"], joined.left),
        "end": _take(cores.rows["end"], joined.left),
        "dispatch": _take(controllers.rows["dispatch"], joined.right),
        "finish": _take(controllers.rows["finish"], joined.right),
    }
    delay = _take(cores.rows["receive_to_start"], joined.left)
    known = has_core & lifecycle
    cycles["receive"] = np.where(known, cycles["start"] - delay, MISSING)
    flags = ~has_core * TaskFlag.NO_CORE_RECORD + joined.duplicate * TaskFlag.DUPLICATE_TOKEN
    if lifecycle:
        flags = flags + ~has_controller * TaskFlag.NO_CONTROLLER_RECORD
    flags = flags + _backwards(cycles) * TaskFlag.BACKWARDS
    task, func = _identity(cores, controllers, joined.left, joined.right, head)
    core = np.where(has_core, _take(cores.core, joined.left), _take(controllers.core, joined.right))
    token = np.where(
        has_core, _take(cores.token, joined.left), _take(controllers.token, joined.right)
    )
    good = flags == 0
    count = int(head.header["core_count"])
    whole = {
        "core_task": np.bincount(core[good & has_core], minlength=count),
        "controller_task": np.bincount(core[good & has_controller], minlength=count),
    }
    return TaskRows(core.astype(np.int32), token, task, func, flags.astype(np.int32), cycles, whole)


def side(gathered: Gathered, head: Head, kind: str) -> Side:
    """All records of a kind that carry a token."""
    lanes = np.flatnonzero(head.lanes["kind"] == KINDS.index(kind)).tolist()
    if not lanes:
        return Side(_no_rows(kind), np.empty(0, np.int64), np.empty(0, np.int64))
    parts = [gathered.records[lane] for lane in lanes]
    owners = head.lanes["owner"][lanes].astype(np.int64)
    tokens = [unwrap(part["token"], int(head.header["first_token"])) for part in parts]
    return Side(
        np.concatenate(parts),
        np.repeat(owners, [len(part) for part in parts]),
        np.concatenate(tokens),
    )


def _no_rows(kind: str) -> Array:
    from lanescope.device.layouts import layout

    return np.empty(0, layout(f"ls_{kind}"))


def unwrap(token: Array, first: int) -> Array:
    """32-bit tokens of one core in recorded order as 64-bit dispatch numbers from `first` on.

    Neighbours may be up to 2^31 apart in either direction: losses are gaps, not wraps.
    """
    before = np.concatenate([np.array([first], np.uint32), token[:-1]])
    steps = (token.astype(np.uint32) - before[: len(token)]).astype(np.int32).astype(np.int64)
    numbers: Array = np.int64(first) + np.cumsum(steps)
    return numbers


def _take(values: Array, index: Array) -> Array:
    """values[index] as int64, MISSING where the index is -1."""
    if not len(values):
        return np.full(len(index), MISSING)
    taken: Array = values[index].astype(np.int64)
    taken[index < 0] = MISSING
    return taken


def _backwards(cycles: dict[str, Array]) -> Array:
    backwards: Array = np.zeros(len(cycles["start"]), bool)
    for later, earlier in (("end", "start"), ("finish", "dispatch")):
        known = (cycles[later] != MISSING) & (cycles[earlier] != MISSING)
        backwards |= known & (cycles[later] < cycles[earlier])
    return backwards


def _identity(
    cores: Side, controllers: Side, left: Array, right: Array, head: Head
) -> tuple[Array, Array]:
    """Task id and function of each row, from whichever record is there."""
    shift = int(head.header["func_shift"])
    word = _take(cores.rows["task"], left)
    present = left >= 0
    own = _take(controllers.rows["task"], right)
    func = _take(controllers.rows["func"], right)
    if shift:
        unsigned = np.where(present, word, 0).astype(np.uint64)
        from_core = (unsigned >> np.uint64(shift)).astype(np.int64)
        word = (unsigned & np.uint64((1 << shift) - 1)).astype(np.int64)
        func = np.where((func == MISSING) & present, from_core, func)
    task = np.where(present, word, own)
    unknown = (func == MISSING) | (func == _NO_FUNC)
    return task, np.where(unknown, MISSING32, func).astype(np.int32)
