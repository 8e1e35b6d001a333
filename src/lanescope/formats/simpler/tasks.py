"""Task rows: the cores' and the controllers' records joined, flagged, and accounted for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.records import (
    Array,
    ControllerRows,
    CoreRows,
    Records,
    precedes,
)
from lanescope.trace import MISSING, LedgerEntry
from lanescope.trace.join import Joined, join, key
from lanescope.trace.schema import TaskFlag

TIMES = ("dispatch", "receive", "start", "end", "finish")


@dataclass(frozen=True, slots=True)
class TaskRows:
    """Rows in (core, token) order; times in the file's unit, MISSING where not captured."""

    core: Array
    task: Array
    token: Array
    func: Array | None
    flags: Array
    times: dict[str, Array]
    usable: Array
    """rows whose times may be shown: not BACKWARDS"""
    ledger: list[LedgerEntry]


def join_tasks(records: Records, *, keep_damaged: bool) -> TaskRows:
    """Join the streams of a records file."""
    cores = records.cores
    controllers = records.controllers
    if controllers is not None:
        joined = join(key(cores.core, cores.token), key(controllers.core, controllers.token))
    else:
        joined = _alone(records)
    right = controllers if controllers is not None else records.joined
    times = _times(cores, right, joined)
    core = _take(cores.core, joined.left)
    token = _take(cores.token, joined.left)
    if controllers is not None:
        lost = joined.left < 0
        core[lost] = _take(controllers.core, joined.right)[lost]
        token[lost] = _take(controllers.token, joined.right)[lost]
    if joined.duplicate.any() and not keep_damaged:
        raise _duplicate(records, core, token, joined.duplicate)
    flags = _flags(records, joined, times)
    usable = (flags & TaskFlag.BACKWARDS) == 0
    if not usable.all() and not keep_damaged:
        raise _backwards(records, core, token, usable)
    return TaskRows(
        core=core,
        task=_take(cores.task, joined.left),
        token=token,
        func=None if cores.func is None else _take(cores.func, joined.left),
        flags=flags,
        times=times,
        usable=usable,
        ledger=_ledger(records, joined, core, flags),
    )


def _alone(records: Records) -> Joined:
    """One stream: order by core, then token, or start where there are no tokens."""
    cores = records.cores
    count = len(cores.core)
    second = cores.token if records.clock_hz is not None else cores.start
    order = np.lexsort((second, cores.core))
    duplicate = np.zeros(count, bool)
    if records.clock_hz is not None:
        keys = key(cores.core, cores.token)[order]
        same = keys[1:] == keys[:-1]
        duplicate[1:] |= same
        duplicate[:-1] |= same
    right = order if records.joined is not None else np.full(count, -1)
    return Joined(order, right, duplicate)


def _take(values: Array, index: Array) -> Array:
    """values[index], MISSING where the index is -1."""
    if not len(values):
        return np.full(len(index), MISSING)
    taken = values[index]
    taken[index < 0] = MISSING
    return taken


def _times(cores: CoreRows, right: ControllerRows | None, joined: Joined) -> dict[str, Array]:
    absent = np.full(len(joined.left), MISSING)
    return {
        "dispatch": absent if right is None else _take(right.dispatch, joined.right),
        "receive": _take(cores.receive, joined.left),
        "start": _take(cores.start, joined.left),
        "end": _take(cores.end, joined.left),
        "finish": absent if right is None else _take(right.finish, joined.right),
    }


def _flags(records: Records, joined: Joined, times: dict[str, Array]) -> Array:
    no_core = (times["start"] == MISSING) | (times["end"] == MISSING)
    flags = no_core * TaskFlag.NO_CORE_RECORD + joined.duplicate * TaskFlag.DUPLICATE_TOKEN
    if records.level >= 2:
        no_controller = (times["dispatch"] == MISSING) | (times["finish"] == MISSING)
        flags = flags + no_controller * TaskFlag.NO_CONTROLLER_RECORD
    backwards = precedes(times["end"], times["start"])
    backwards |= precedes(times["finish"], times["dispatch"])
    result: Array = (flags + backwards * TaskFlag.BACKWARDS).astype(np.int32)
    return result


def _ledger(records: Records, joined: Joined, core: Array, flags: Array) -> list[LedgerEntry]:
    """Per core and stream: a record is delivered when its row is whole, else unmatched."""
    streams = [("core_task", joined.left)]
    if records.controllers is not None:
        streams.append(("controller_task", joined.right))
    entries = []
    for kind, side in streams:
        present = side >= 0
        total = np.bincount(core[present])
        whole = np.bincount(core[present & (flags == 0)], minlength=len(total))
        for number in np.flatnonzero(total).tolist():
            count, good = int(total[number]), int(whole[number])
            lane = f"core {number}"
            entries.append(LedgerEntry(lane, kind, count, good, unmatched=count - good))
    return entries


def _duplicate(records: Records, core: Array, token: Array, duplicate: Array) -> InputError:
    row = int(np.argmax(duplicate))
    sides = {"aicore_tasks": records.cores, "aicpu_tasks": records.controllers}
    found = {
        name: np.flatnonzero((side.core == core[row]) & (side.token == token[row])).tolist()
        for name, side in sides.items()
        if side is not None
    }
    name = next(name for name, rows in found.items() if len(rows) > 1)
    return InputError(
        records.path,
        f"{name} rows {found[name][0]} and {found[name][1]} are both core {int(core[row])}, token "
        f"{int(token[row])}, so they cannot be joined ({int(duplicate.sum())} such rows); "
        "--keep-damaged imports them flagged",
    )


def _backwards(records: Records, core: Array, token: Array, usable: Array) -> InputError:
    row = int(np.argmin(usable))
    name = f"core {int(core[row])}"
    if token[row] != MISSING:
        name += f", token {int(token[row])}"
    return InputError(
        records.path,
        f"the task on {name} ends before it starts ({int((~usable).sum())} such rows); "
        "--keep-damaged imports them flagged and without times",
    )
