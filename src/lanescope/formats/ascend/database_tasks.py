"""Tasks of a database: TASK, with what COMPUTE_TASK_INFO and the tables beside it add.

A function is the operator's type; a task of no operator is called by its own type. blockNum is the
number of cores that a task used; files before it call the same number blockDim.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.ascend.database_operations import OperationRows
from lanescope.formats.ascend.kernels import core_counts
from lanescope.formats.ascend.lanes import LaneNumbers
from lanescope.formats.ascend.names import COMMUNICATION, WAIT, launches, work_column
from lanescope.formats.ascend.texts import Texts
from lanescope.formats.sqlite_columns import SqliteFile
from lanescope.formats.streams import DeviceRows
from lanescope.trace import MISSING
from lanescope.trace.numbering import places
from lanescope.trace.table import Array

UNNAMED = "task"
_TASK = ("startNs", "endNs", "deviceId", "connectionId", "globalTaskId", "taskType", "streamId")
_COMPUTE = ("globalTaskId", "name", "opType", "taskType", "waitNs")
_BLOCKS = (("blockNum", "blockDim"), ("mixBlockNum", "mixBlockDim"))
_COMMUNICATION = ("globalTaskId", "name", "taskType", "size", "planeId", "srcRank", "dstRank")


@dataclass(frozen=True, slots=True)
class DatabaseTasks:
    """The rows of TASK; every column has one value per row."""

    lane: Array
    name: Array
    names: list[str]
    work: Array
    start: Array
    end: Array
    connection: Array
    values: dict[str, Array]

    def with_operations(self, operations: OperationRows) -> DeviceRows:
        """The tasks, and behind them the operations among ranks."""
        absent = np.full(len(operations.start), np.nan)
        return DeviceRows(
            lane=np.concatenate([self.lane, operations.lane]),
            name=np.concatenate([self.name, operations.name + len(self.names)]),
            names=[*self.names, *operations.names],
            work=np.append(self.work, np.full(len(operations.start), COMMUNICATION)),
            start=np.concatenate([self.start, operations.start]),
            end=np.concatenate([self.end, operations.end]),
            launch=np.concatenate([self.connection, operations.connection]),
            values={name: np.append(column, absent) for name, column in self.values.items()},
        )


def task_rows(file: SqliteFile, texts: Texts, lanes: LaneNumbers) -> DatabaseTasks:
    """Read the tasks of all devices, on the lanes of their streams."""
    tasks = file.integers("TASK", _TASK)
    count = len(tasks["startNs"])
    for time in ("startNs", "endNs"):
        if (tasks[time] == MISSING).any():
            problem = f"table TASK, column {time!r}: a time was expected, found none"
            raise InputError(file.path, problem)
    computed, blocks = _compute(file, tasks["globalTaskId"])
    sent = _joined(file, "COMMUNICATION_TASK_INFO", _COMMUNICATION, tasks["globalTaskId"])
    copied = _joined(
        file, "MEMCPY_INFO", ("globalTaskId", "size", "memcpyOperation"), tasks["globalTaskId"]
    )
    named = np.where(computed["opType"] != MISSING, computed["opType"], computed["name"])
    kind = np.where(computed["taskType"] != MISSING, computed["taskType"], tasks["taskType"])
    is_sent = sent["globalTaskId"] != MISSING
    named = np.where(is_sent, np.where(sent["taskType"] != MISSING, sent["taskType"], named), named)
    code, names = texts.codes(np.where(named != MISSING, named, tasks["taskType"]))
    name = np.where(code >= 0, code, len(names))
    type_, types = texts.codes(np.where(is_sent, MISSING, kind))
    work = work_column(types, [*names, ""], type_, name)
    work[is_sent & (work != WAIT)] = COMMUNICATION
    values = core_counts(*blocks, type_, types) if not np.isnan(blocks[0]).all() else {}
    for label, column in (("wait ns", computed["waitNs"]), ("plane", sent["planeId"])):
        if (column != MISSING).any():
            values[label] = _numbers(column)
    moved = np.where(sent["size"] != MISSING, sent["size"], copied["size"])
    if (moved != MISSING).any():
        values["bytes"] = _numbers(moved)
    return DatabaseTasks(
        lane=lanes.streams(tasks["deviceId"], tasks["streamId"]),
        name=name,
        names=[*names, UNNAMED] if count else [],
        work=work,
        start=tasks["startNs"],
        end=tasks["endNs"],
        connection=launches(tasks["connectionId"]),
        values=values | _pmu(file, texts, tasks["globalTaskId"]),
    )


def _compute(file: SqliteFile, task: Array) -> tuple[dict[str, Array], tuple[Array, Array]]:
    table = "COMPUTE_TASK_INFO"
    there = file.tables.get(table, ())
    chosen = [new if new in there else old for new, old in _BLOCKS]
    rows = _joined(file, table, (*_COMPUTE, *chosen), task)
    return rows, (_numbers(rows[chosen[0]]), _numbers(rows[chosen[1]]))


def _joined(
    file: SqliteFile, table: str, columns: tuple[str, ...], task: Array
) -> dict[str, Array]:
    """Columns of a table, one value per task: the last row with the task's number; else MISSING."""
    rows = file.integers(table, columns)
    own = rows["globalTaskId"]
    order = np.argsort(own, kind="stable")
    order = order[own[order] != MISSING]
    last = order[np.append(own[order][1:] != own[order][:-1], True)] if len(order) else order
    at = places(own[last], task)
    return {name: np.append(rows[name][last], MISSING)[at] for name in columns}


def _numbers(column: Array) -> Array:
    return np.where(column == MISSING, np.nan, column.astype(np.float64))


def _pmu(file: SqliteFile, texts: Texts, task: Array) -> dict[str, Array]:
    """Hardware counters: TASK_PMU_INFO has a row per task and counter."""
    rows = file.integers("TASK_PMU_INFO", ("globalTaskId", "name"))
    if not len(rows["name"]):
        return {}
    value = file.numbers("TASK_PMU_INFO", "value")
    order = np.argsort(task, kind="stable")
    at = places(task[order], rows["globalTaskId"])
    row = np.where(at >= 0, np.append(order, -1)[at], -1)
    code, names = texts.codes(rows["name"])
    result = {}
    for k, name in enumerate(names):
        mine = (code == k) & (row >= 0)
        result[name] = np.full(len(task), np.nan)
        result[name][row[mine]] = value[mine]
    return result
