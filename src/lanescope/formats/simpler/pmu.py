"""Reads pmu.csv: hardware counters, one row per task and core, one column per counter."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.records import MAX_CORE, Array
from lanescope.trace.later import pa
from lanescope.trace.task_ids import signed

FIRST = ("thread_id", "core_id", "task_id", "func_id", "core_type", "pmu_total_cycles")
LAST = "event_type"
EPOCH = "run_epoch"
"""The column behind LAST that files have since September 2026: the run that a row belongs to."""
CORE_TYPES = ("aic", "aiv")
_ID = re.compile(r"0x0*[0-9a-fA-F]{1,16}")
"""A task id of 64 bits."""


@dataclass(frozen=True, slots=True)
class PmuRows:
    """The rows of the file in their order; `counters` is a column per counter."""

    path: Path
    core: Array
    core_type: Array
    task: Array
    func: Array
    controller: Array
    counters: dict[str, Array]
    events: list[int]
    epoch: Array | None = None
    """the run of each row; None where the file does not say. 0 is a run, too"""

    def rows(self, index: Array) -> PmuRows:
        """These rows, in this order."""
        names = ("core", "core_type", "task", "func", "controller")
        cut = {name: getattr(self, name)[index] for name in names}
        counters = {name: column[index] for name, column in self.counters.items()}
        epoch = None if self.epoch is None else self.epoch[index]
        return replace(self, **cut, counters=counters, epoch=epoch)


def is_pmu(first_line: bytes) -> bool:
    """Whether a file that begins like this is a pmu.csv."""
    return first_line.startswith(b"thread_id,core_id,")


def read_pmu(path: Path) -> PmuRows:
    """Read the counters. Other columns than expected are refused, not guessed at."""
    table = _table(path)
    counters = table.column_names[len(FIRST) : table.column_names.index(LAST)]
    columns = {name: _numbers(path, table, name) for name in (*FIRST[:2], *FIRST[3:], *counters)}
    _require(path, "core_id", columns["core_id"], MAX_CORE - 1, f"0 to {MAX_CORE - 1}")
    for name in ("pmu_total_cycles", *counters):
        _require(path, name, columns[name], 1 << 53, "0 to 2^53")
    return PmuRows(
        path=path,
        core=columns["core_id"],
        core_type=columns["core_type"],
        task=_task_ids(path, table),
        func=columns["func_id"],
        controller=columns["thread_id"],
        counters={"pmu_total_cycles": columns["pmu_total_cycles"]}
        | {name: columns[name] for name in counters},
        events=sorted(set(_numbers(path, table, LAST).tolist())),
        epoch=_epochs(path, table),
    )


def _table(path: Path) -> Any:
    from pyarrow import csv

    try:
        table = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=_types(path)))
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0][:200]
        raise InputError(path, f"is not a PMU table ({reason})") from error
    return table


def _types(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        line = file.readline(1 << 16)
    try:
        header = line.decode().rstrip("\r\n").split(",")
    except UnicodeDecodeError as error:
        raise InputError(path, f"line 1: {error}") from error
    ends = header[-1:] == [LAST] or header[-2:] == [LAST, EPOCH]
    if tuple(header[: len(FIRST)]) != FIRST or not ends:
        expected = ",".join((*FIRST, "<counters>", f"{LAST}[,{EPOCH}]"))
        actual = ",".join(header)[:120]
        raise InputError(path, f"line 1: expected the columns {expected}, found {actual}")
    if len(set(header)) != len(header):
        raise InputError(path, "line 1: a column name occurs twice")
    return {name: pa.string() if name == "task_id" else pa.int64() for name in header}


def _require(path: Path, name: str, numbers: Array, most: int, expected: str) -> None:
    """Refuse a column that has a number below 0 or above `most`."""
    wrong = (numbers < 0) | (numbers > most)
    if wrong.any():
        row = int(np.argmax(wrong))
        problem = f"line {row + 2}: {name} is {int(numbers[row])}, expected {expected}"
        raise InputError(path, problem)


def _numbers(path: Path, table: Any, name: str) -> Array:
    column = table[name]
    if column.null_count:
        raise InputError(path, f"column {name!r} has an empty cell")
    numbers: Array = column.to_numpy()
    return numbers


def _epochs(path: Path, table: Any) -> Array | None:
    if EPOCH not in table.column_names:
        return None
    epochs = _numbers(path, table, EPOCH)
    _require(path, EPOCH, epochs, (1 << 63) - 1, "a number from 0 on")
    return epochs


def _task_ids(path: Path, table: Any) -> Array:
    ids = []
    for row, task in enumerate(table["task_id"].to_pylist()):
        try:
            if task is None or _ID.fullmatch(task) is None:
                raise ValueError
            ids.append(signed(int(task, 16)))
        except ValueError:
            expected = "a task id like 0x0000000100000000"
            problem = f"line {row + 2}: expected {expected}, found {str(task)[:40]!r}"
            raise InputError(path, problem) from None
    return np.array(ids, np.int64)
