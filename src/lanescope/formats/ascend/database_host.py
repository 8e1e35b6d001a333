"""Host threads of a database: calls (CANN_API), operators (PYTORCH_API), annotations, steps.

A thread's number is that of its process times 2^32 plus its own. CONNECTION_IDS joins an operator
with the calls and tasks that it led to, and with other operators: enqueued and dequeued, forward
and backward.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.ascend.host_marks import mark_waits, steps_of
from lanescope.formats.ascend.names import launches
from lanescope.formats.ascend.texts import Texts
from lanescope.formats.sqlite_columns import SqliteFile
from lanescope.formats.streams import HostRows, HostThread, StepRows
from lanescope.formats.streams.recording import CATEGORIES
from lanescope.trace import MISSING
from lanescope.trace.numbering import different, places
from lanescope.trace.table import Array

_OPERATOR, _CALL, _ANNOTATION, _FUNCTION = (
    CATEGORIES.index(name) for name in ("operator", "call", "annotation", "function")
)
_TYPES = {50001: _OPERATOR, 50002: _CALL, 50003: _FUNCTION, 50004: _ANNOTATION}
"""PYTORCH_API.type as ENUM_API_TYPE has it: op, queue, trace, mstx."""
_TABLES = (
    ("CANN_API", "name", _CALL),
    ("PYTORCH_API", "name", _OPERATOR),
    ("MSTX_EVENTS", "message", _ANNOTATION),
)


@dataclass(frozen=True, slots=True)
class HostTables:
    """Rows of all threads; `operators` pairs a connection with the row of its operator."""

    threads: list[HostThread]
    rows: HostRows
    connection: Array
    row: Array

    def operators_of(self, connection: Array, count: int) -> Array | None:
        """The operator of each task, by the task's connection; `count` rows in all."""
        if self.rows.op is None:
            return None
        order = np.argsort(self.connection, kind="stable")
        at = places(self.connection[order], connection)
        found = np.full(count, MISSING)
        row = np.append(self.row[order], -1)[at]
        found[: len(connection)] = np.where(row >= 0, self.rows.op[row], MISSING)
        return found


def host_rows(file: SqliteFile, texts: Texts) -> HostTables:
    """Read the three tables of the host, as far as they are there."""
    parts = [_part(file, table, label) for table, label, _ in _TABLES]
    sizes = [len(part["startNs"]) for part in parts]
    whole = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    category = np.repeat([category for _, _, category in _TABLES], sizes)
    for number, sort in _TYPES.items():
        category[whole["type"] == number] = sort
    code, names = texts.codes(whole["name"])
    ids = different(whole["globalTid"])
    calls, framework = slice(0, sizes[0]), slice(sizes[0], sizes[0] + sizes[1])
    connection, row = _connections(file, whole["connectionId"][framework])
    row = row + sizes[0]
    launch = np.full(len(code), MISSING)
    launch[calls] = whole["connectionId"][calls]
    launch[sizes[0] + sizes[1] :] = whole["connectionId"][sizes[0] + sizes[1] :]
    launched = _launched(file)
    launch[places(launched, launch) < 0] = MISSING
    is_task = places(launched, connection) >= 0
    op = np.full(len(code), MISSING)
    op[framework] = np.arange(sizes[1])
    rows = HostRows(
        thread=places(ids, whole["globalTid"]),
        name=np.where(code >= 0, code, len(names)),
        names=[*names, "unnamed"],
        category=category,
        start=whole["startNs"],
        end=whole["endNs"],
        launch=launch,
        op=op if is_task.any() else None,
        flow=_flows(connection[~is_task], row[~is_task], len(code)),
    )
    mark_waits(rows)
    own = is_task & (category[row] == _OPERATOR)
    chosen = own if own.any() else is_task
    return HostTables([_thread(one) for one in ids.tolist()], rows, connection[chosen], row[chosen])


def _launched(file: SqliteFile) -> Array:
    """Connections that lead to work on a device."""
    tables = ("TASK", "COMMUNICATION_OP")
    numbers = [file.integers(table, ("connectionId",))["connectionId"] for table in tables]
    known = launches(np.concatenate(numbers))
    return different(known[known != MISSING])


def _thread(number: int) -> HostThread:
    if number == MISSING:
        return HostThread(name="thread")
    process, thread = divmod(number, 1 << 32)
    return HostThread(name=f"thread {thread} of {process}" if process else f"thread {thread}")


def _part(file: SqliteFile, table: str, label: str) -> dict[str, Array]:
    names = ("startNs", "endNs", "globalTid", "connectionId", "type", label)
    rows = file.integers(table, names)
    if table == "CANN_API":
        rows["type"] = np.full(len(rows["type"]), MISSING)
    if ((rows["startNs"] == MISSING) | (rows["endNs"] == MISSING)).any():
        raise InputError(file.path, f"table {table}: a time was expected, found none")
    return {("name" if key == label else key): column for key, column in rows.items()}


def _connections(file: SqliteFile, own: Array) -> tuple[Array, Array]:
    """Pairs of connection and row of PYTORCH_API; a row may have several connections."""
    pairs = file.integers("CONNECTION_IDS", ("id", "connectionId"))
    rows = np.flatnonzero(own != MISSING)
    order = rows[np.argsort(own[rows], kind="stable")]
    ids, first, count = np.unique(own[order], return_index=True, return_counts=True)
    at = places(ids, pairs["id"])
    known = at >= 0
    at, connection = at[known], pairs["connectionId"][known]
    repeated = np.repeat(np.arange(len(at)), count[at])
    within = np.arange(len(repeated)) - np.repeat(np.cumsum(count[at]) - count[at], count[at])
    return connection[repeated], order[first[at][repeated] + within]


def _flows(connection: Array, row: Array, count: int) -> Array | None:
    """The connection that a row shares with another row; MISSING where it shares none."""
    ids, place, times = np.unique(connection, return_inverse=True, return_counts=True)
    shared = times[place.reshape(-1)] > 1 if len(ids) else np.zeros(0, bool)
    if not shared.any():
        return None
    flow = np.full(count, MISSING)
    flow[row[shared]] = connection[shared]
    return flow


def step_rows(file: SqliteFile, host: HostTables) -> StepRows:
    """STEP_TIME, or else the operators that are called ProfilerStep#N."""
    rows = file.integers("STEP_TIME", ("id", "startNs", "endNs"))
    known = (rows["startNs"] != MISSING) & (rows["endNs"] != MISSING) & (rows["id"] != MISSING)
    if known.any():
        numbers = rows["id"][known]
        return StepRows(
            step=numbers,
            name=[f"step {number}" for number in numbers.tolist()],
            thread=np.full(len(numbers), -1, np.int64),
            start=rows["startNs"][known],
            end=rows["endNs"][known],
        )
    return steps_of(host.rows)
