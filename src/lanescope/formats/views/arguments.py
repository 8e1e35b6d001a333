"""Arguments of bars: columns that are known, times, hardware counters."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.rows import groups
from lanescope.formats.views.shapes import Argument
from lanescope.trace import MISSING, MISSING32, SCHEMA, Table, Trace
from lanescope.trace.join import TaskKey, places
from lanescope.trace.numbering import find
from lanescope.trace.rows import Rows
from lanescope.trace.table import Array

TASK_ARGUMENTS = {"task": "task", "function": "func", "token": "token"}
"""Arguments of every bar of a task: name of the argument to column."""
TASK_TIMES = ("dispatch_ns", "finish_ns")
COUNTER_SUFFIX = " (counter)"
_COLUMNS = frozenset(column.name for column in SCHEMA["tasks"].columns)


def arguments_of(table: Table, rows: Rows | None, columns: dict[str, str]) -> tuple[Argument, ...]:
    """The columns that are known for at least one of these rows (None: all rows), as int64."""
    arguments = []
    for name, column in columns.items():
        values = table[column] if rows is None else table[column][rows]
        words: tuple[str, ...] = ()
        if table.schema.column(column).type == "word":
            values, words = _places(values, table)
        elif values.dtype == np.int32:
            values = _widened(values)
        argument = Argument(name, values, words)
        if argument.known.any():
            arguments.append(argument)
    return tuple(arguments)


def _widened(values: Array) -> Array:
    wide, missing = values.astype(np.int64), values == MISSING32
    if missing.any():
        wide[missing] = MISSING
    return wide


def _places(codes: Array, table: Table) -> tuple[Array, tuple[str, ...]]:
    """Words as places among those that are used."""
    used = np.unique(codes[codes >= 0])
    places = np.where(codes >= 0, np.searchsorted(used, codes), MISSING)
    return places, tuple(table.words_of(used))


def time_arguments(
    table: Table, rows: Rows, columns: tuple[str, ...], origin: int
) -> tuple[Argument, ...]:
    """The times that are known for at least one of these rows, counted from the export's 0."""
    times = arguments_of(table, rows, {column: column for column in columns})
    if not origin:
        return times
    return tuple(
        Argument(time.name, np.where(time.known, time.values - origin, MISSING)) for time in times
    )


def task_counters(trace: Trace, rows: Rows) -> tuple[Argument, ...]:
    """One argument per hardware counter that was sampled for these task rows.

    Of several samples for one row the last one counts.
    """
    table = trace.counters.rows(trace.counters["task"] != MISSING)
    tasks = trace.tasks.rows(rows) if len(table) else trace.tasks
    if not len(table) or not len(tasks):
        return ()
    row = _sampled_rows(tasks, table)
    table, row = table.rows(row >= 0), row[row >= 0]
    arguments = []
    for code, samples in groups(table["name"].astype(np.int64)):
        values = np.full(len(tasks), np.nan)
        values[row[samples]] = table["value"][samples]
        name = trace.word(code) or "counter"
        arguments.append(Argument(counter_argument(name), _whole(values)))
    return tuple(arguments)


def counter_argument(name: str) -> str:
    """What a counter is called as an argument: its name, unless a column of tasks has it."""
    taken = name in TASK_ARGUMENTS or name == "setup_ns" or name in _COLUMNS
    return f"{name}{COUNTER_SUFFIX}" if taken or name.endswith(COUNTER_SUFFIX) else name


def _sampled_rows(tasks: Table, samples: Table) -> Array:
    """The task row of each sample, or -1: it has the sample's core and task, and its token.

    A sample without a token belongs to the first row with its core and task.
    """
    ids = np.unique(tasks["task"])
    task, wanted = find(ids, tasks["task"]), find(ids, samples["task"])
    pairs = tasks["core"].astype(np.int64) * len(ids) + task
    sought = samples["core"].astype(np.int64) * len(ids) + wanted
    row = find(pairs, np.where(wanted < 0, -1, sought))
    tokens = samples["token"] != MISSING
    if tokens.any():
        exact = places(TaskKey.of(tasks), TaskKey.of(samples))
        agrees = (exact >= 0) & (tasks["task"][exact] == samples["task"])
        row = np.where(tokens, np.where(agrees, exact, -1), row)
    return row


def _whole(values: Array) -> Array:
    """As int64 where every known value is a whole number that a double holds exactly."""
    known = np.isfinite(values)
    numbers = values[known]
    if not ((numbers == np.floor(numbers)) & (np.abs(numbers) <= 2.0**53)).all():
        return values
    whole = np.full(len(values), MISSING)
    whole[known] = numbers.astype(np.int64)
    return whole
