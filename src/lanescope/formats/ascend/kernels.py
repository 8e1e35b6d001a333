"""The table of kernels, `kernel_details.csv` (msprof calls it `op_summary_*.csv`).

One row per kernel: where and when it ran, how many cores it used, what its counters say. Start
times of old files came through a double: they are exact to 0.25 us only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from lanescope.errors import InputError
from lanescope.formats.ascend.names import CUBE, VECTOR, work_column
from lanescope.formats.csv_columns import CsvColumns, header, read_columns, require, thousandths
from lanescope.trace import MISSING
from lanescope.trace.table import Array

ALIASES = {
    "Op Name": "Name",
    "OP Type": "Type",
    "Task Type": "Accelerator Core",
    "Task Start Time(us)": "Start Time(us)",
    "Task Duration(us)": "Duration(us)",
    "Task Wait Time(us)": "Wait Time(us)",
    "Block Num": "Block Dim",
    "Mix Block Num": "Mix Block Dim",
    "Device_id": "Device ID",
    "Stream Id": "Stream ID",
    "Task Id": "Task ID",
    "Step ID": "Step Id",
}
"""Names of columns in other versions, and in msprof's own table → the names used here."""
NEEDED = ("Name", "Accelerator Core", "Start Time(us)", "Duration(us)")
_NUMBERS = ("Step Id", "Device ID", "Stream ID", "Task ID", "Wait Time(us)", "Block Dim")
_TEXTS = ("Name", "Type", "Accelerator Core", "OP State", "HF32 Eligible", "Model ID", "Model Name")
_SKIPPED = (*_TEXTS, "Context ID", "Infer ID", "Batch ID", "Index ID", "Op Index")
_SHAPES = ("Input ", "Output ")
CORES_USED = "cores used"


def is_kernel_table(head: bytes) -> bool:
    """Whether the first line of a CSV file names the columns of such a table."""
    names = {ALIASES.get(name, name) for name in header(head)}
    return names.issuperset(NEEDED)


@dataclass(frozen=True, slots=True)
class KernelTable:
    """The rows of the file. Numbers are MISSING, values NaN, codes -1 where the file has none."""

    path: Path
    step: Array
    device: Array
    stream: Array
    task: Array
    name: Array
    names: list[str]
    type: Array
    types: list[str]
    accelerator: Array
    accelerators: list[str]
    start: Array
    end: Array
    work: Array
    values: dict[str, Array]


def read_kernel_table(path: Path) -> KernelTable:
    """Read the table.

    Raises:
        InputError: A column is missing, or a value is not what its column holds.
    """
    found = read_columns(path)
    renamed = {ALIASES.get(name, name): column for name, column in found.columns.items()}
    columns = CsvColumns(found.path, found.rows, renamed, found.first_line)
    require(columns, NEEDED, "a table of kernels")
    start, end = _times(columns)
    name, names = columns.texts("Name")
    if (name < 0).any():
        line = columns.line(int(np.argmax(name < 0)))
        raise InputError(path, f"{line}, 'Name': a name was expected, found none")
    accelerator, accelerators = columns.texts("Accelerator Core")
    type_, types = _texts(columns, "Type")
    return KernelTable(
        path=path,
        step=_integers(columns, "Step Id"),
        device=_integers(columns, "Device ID"),
        stream=_integers(columns, "Stream ID"),
        task=_integers(columns, "Task ID"),
        name=name,
        names=names,
        type=type_,
        types=types,
        accelerator=accelerator,
        accelerators=accelerators,
        start=start,
        end=end,
        work=work_column(accelerators, names, accelerator, name),
        values=_values(columns, accelerator, accelerators),
    )


def _times(columns: CsvColumns) -> tuple[Array, Array]:
    """Start and end in ns, each rounded once."""
    start, duration = columns.decimals("Start Time(us)"), columns.decimals("Duration(us)")
    ends = pc.add(start, duration)
    times = thousandths(start), thousandths(ends)
    for name, values in zip(("Start Time(us)", "Duration(us)"), times, strict=True):
        absent = values == MISSING
        if absent.any():
            line = columns.line(int(np.argmax(absent)))
            raise InputError(columns.path, f"{line}, {name!r}: a time was expected, found none")
    return times


def _integers(columns: CsvColumns, name: str) -> Array:
    if name not in columns:
        return np.full(columns.rows, MISSING)
    return columns.integers(name)


def _texts(columns: CsvColumns, name: str) -> tuple[Array, list[str]]:
    if name not in columns:
        return np.full(columns.rows, -1, np.int64), []
    return columns.texts(name)


def _values(columns: CsvColumns, accelerator: Array, accelerators: list[str]) -> dict[str, Array]:
    """Counters: the cores that a kernel used, how long it waited, every other column of numbers."""
    values: dict[str, Array] = {}
    if "Wait Time(us)" in columns:
        wait = thousandths(columns.decimals("Wait Time(us)"))
        values["wait ns"] = np.where(wait == MISSING, np.nan, wait.astype(np.float64))
    if "Block Dim" in columns:
        blocks = columns.numbers("Block Dim")
        mixed = np.full(columns.rows, np.nan)
        if "Mix Block Dim" in columns:
            mixed = columns.numbers("Mix Block Dim")
        values |= core_counts(blocks, mixed, accelerator, accelerators)
    taken = {*_NUMBERS, *_SKIPPED, *NEEDED, "Mix Block Dim"}
    for name in columns.columns:
        if name not in taken and not name.startswith(_SHAPES) and columns.has_number(name):
            values[name] = columns.numbers(name)
    return values


def core_counts(
    blocks: Array, mixed: Array, accelerator: Array, accelerators: list[str]
) -> dict[str, Array]:
    """How many cores a kernel used, and how many of which kind.

    Blocks run on the kind of core that the type of the task names; the second number of a task
    that mixes both kinds is of the other kind.
    """
    kind = np.array([(a in CUBE) - (a in VECTOR) for a in accelerators] + [0])[accelerator]
    second = np.where(np.isnan(mixed), 0, mixed)
    values = {CORES_USED: blocks}
    if (kind != 0).any():
        values["aic cores used"] = np.select([kind > 0, kind < 0], [blocks, second], np.nan)
        values["aiv cores used"] = np.select([kind > 0, kind < 0], [second, blocks], np.nan)
    return values
