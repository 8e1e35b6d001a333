"""Task rows of a records file: its streams joined; damage refused or flagged; records counted."""

from __future__ import annotations

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.records import (
    Array,
    ControllerRows,
    CoreRows,
    Records,
    narrow,
)
from lanescope.trace import MISSING, MISSING32, LedgerEntry
from lanescope.trace.join import Joined, TaskKey, alone, join
from lanescope.trace.table import constant
from lanescope.trace.task_rows import (
    CONTROLLER_TASK,
    CORE_TASK,
    TaskRows,
    task_flags,
    whole_records,
)


def join_tasks(records: Records, *, keep_damaged: bool) -> TaskRows:
    """Join the streams of a records file; times are in the file's unit.

    Raises InputError where rows share a key or end before they start, unless `keep_damaged`.
    """
    cores, controllers = records.cores, records.controllers
    joined = _joined(records)
    times = _times(cores, controllers if controllers is not None else records.joined, joined)
    if joined.duplicate.any() and not keep_damaged:
        raise _duplicate(records, joined)
    due = (CORE_TASK, CONTROLLER_TASK) if records.level >= 2 else (CORE_TASK,)
    flags = task_flags(times, joined.duplicate, due)
    cores_named = int(joined.key.core.max(initial=-1)) + 1
    rows = TaskRows(
        key=joined.key,
        task=joined.of_left(cores.task),
        func=_functions(records, joined),
        flags=flags,
        times=times,
        whole=whole_records(joined, flags, cores=cores_named),
    )
    if not rows.usable.all() and not keep_damaged:
        raise _backwards(records, rows)
    return rows


def record_ledger(records: Records, rows: TaskRows) -> list[LedgerEntry]:
    """One entry per stream and core: a record is delivered when its row lacks nothing."""
    streams: dict[str, CoreRows | ControllerRows] = {CORE_TASK: records.cores}
    if records.controllers is not None:
        streams[CONTROLLER_TASK] = records.controllers
    entries = []
    for kind, stream in streams.items():
        total = np.bincount(stream.core)
        for core in np.flatnonzero(total).tolist():
            count, whole = int(total[core]), int(rows.whole[kind][core])
            entries.append(LedgerEntry(f"core {core}", kind, count, whole, unmatched=count - whole))
    return entries


def _joined(records: Records) -> Joined:
    """The rows of the file. Where it has no tokens, they are ordered by core, then start."""
    key = TaskKey(records.cores.core, records.cores.token)
    if records.controllers is not None:
        return join(key, TaskKey(records.controllers.core, records.controllers.token))
    if records.clock_hz is not None:
        return alone(key)
    order = np.lexsort((records.cores.start, key.core))
    beside = order if records.joined is not None else np.full(len(order), -1)
    return Joined(key.rows(order), order, beside, np.zeros(len(order), bool))


def _times(cores: CoreRows, right: ControllerRows | None, joined: Joined) -> dict[str, Array]:
    absent = np.full(len(joined.left), MISSING)
    return {
        "dispatch": absent if right is None else joined.of_right(right.dispatch),
        "receive": joined.of_left(cores.receive),
        "start": joined.of_left(cores.start),
        "end": joined.of_left(cores.end),
        "finish": absent if right is None else joined.of_right(right.finish),
    }


def _functions(records: Records, joined: Joined) -> Array:
    """The function of each row; a file writes a negative number where there is none."""
    if records.cores.func is None:
        return constant(MISSING32, len(joined.left), np.int32)
    func = joined.of_left(records.cores.func)
    return narrow(records.path, "tasks", np.where(func < 0, MISSING, func))


def _duplicate(records: Records, joined: Joined) -> InputError:
    row = int(np.argmax(joined.duplicate))
    core, token = int(joined.key.core[row]), int(joined.key.token[row])
    sides = {"aicore_tasks": records.cores, records.scheduler_key: records.controllers}
    rows_of = {
        name: _places(side, (side.core == core) & (side.token == token))
        for name, side in sides.items()
        if side is not None
    }
    name, rows = next((name, rows) for name, rows in rows_of.items() if len(rows) > 1)
    return InputError(
        records.path,
        f"{name} rows {rows[0]} and {rows[1]} are both core {core}, token {token}, so they cannot "
        f"be joined ({int(joined.duplicate.sum())} such rows); --keep-damaged imports them flagged",
    )


def _places(side: CoreRows | ControllerRows, chosen: Array) -> list[int]:
    """Rows of the file."""
    rows = np.flatnonzero(chosen)
    places: list[int] = (rows if side.place is None else side.place[rows]).tolist()
    return places


def _backwards(records: Records, rows: TaskRows) -> InputError:
    row = int(np.argmin(rows.usable))
    name = f"core {int(rows.key.core[row])}"
    if rows.key.token[row] != MISSING:
        name += f", token {int(rows.key.token[row])}"
    return InputError(
        records.path,
        f"the task on {name} ends before it starts ({int((~rows.usable).sum())} such rows); "
        "--keep-damaged imports them flagged and without times",
    )
