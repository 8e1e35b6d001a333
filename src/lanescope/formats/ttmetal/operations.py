"""The report of operations, `ops_perf_results*.csv`: one row per operation and chip.

Rows are placed by the chip's counter; the report prints lengths in ns beside it, which gives the
counter's rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.csv_columns import header, read_columns, require
from lanescope.formats.ttmetal.cells import COUNTER, no_counter, refuse
from lanescope.formats.ttmetal.cycles import (
    FASTEST_MHZ,
    ChipClock,
    chip_bundle,
    chosen_chips,
)
from lanescope.render.cells import many_text
from lanescope.trace import MISSING, LedgerEntry, Table, Trace, Words
from lanescope.trace.numbering import different
from lanescope.trace.schema import TaskFlag
from lanescope.trace.table import Array

CODE, CHIP, ARCH = "OP CODE", "DEVICE ID", "DEVICE ARCH"
START, END, LENGTH = "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]"
NUMBER = "GLOBAL CALL COUNT"
_NEEDED = (CODE, CHIP, START, END, LENGTH)
_COUNTED = ("[ns]", "(%)", "CORE COUNT", "SIZE [B]")
_CALLED = {"CORE COUNT": "cores used"}
_COMMUNICATE = re.compile(r"AllGather|ReduceScatter|AllReduce|AllToAll|AllBroadcast|PointToPoint")
_TOO_LONG = 1 << 62
_LARGEST_CHIP = 1 << 16


def is_report(head: bytes) -> bool:
    """Whether the first line of a CSV file names the columns of such a report."""
    return {CODE, START, END} <= {*header(head)}


@dataclass(frozen=True, slots=True)
class _Report:
    """Rows that ran on a chip, by chip and start; a counter per name has NaN where it is absent."""

    code: Array
    codes: list[str]
    chip: Array
    number: Array
    start: Array
    end: Array
    length: Array
    values: dict[str, Array]
    arch: str
    elsewhere: int
    """Rows of operations that ran on no chip."""

    def of_chip(self, chip: int) -> _Report:
        """The rows of one chip."""
        mine = self.chip == chip
        columns = ("code", "chip", "number", "start", "end", "length")
        values = {name: column[mine] for name, column in self.values.items()}
        return replace(self, values=values, **{name: getattr(self, name)[mine] for name in columns})


def operation_names(path: Path) -> dict[int, str]:
    """Number of each operation → what it is called, for a log beside the report."""
    columns = read_columns(path, (CODE, NUMBER))
    if NUMBER not in columns or CODE not in columns:
        return {}
    code, codes = columns.texts(CODE)
    pairs = np.unique(np.stack([columns.integers(NUMBER), code], axis=1), axis=0)
    return {number: codes[k] for number, k in pairs.tolist() if k >= 0 and number != MISSING}


def report_traces(path: Path, bundle: Bundle) -> Iterator[Trace]:
    """A trace per chip of a report: one lane, an operation is a task.

    Raises:
        InputError: A column is missing, or a value is not what its column holds.
    """
    report = _read(path, keep_damaged=bundle.keep_damaged)
    chips = different(report.chip).tolist()
    notes = bundle.notes
    if report.elsewhere:
        notes += (f"Not shown: {many_text(report.elsewhere, 'operation')} that ran on no chip.",)
    bundle = replace(bundle, notes=notes)
    for chip in chosen_chips(bundle, chips):
        own = report.of_chip(chip)
        clock = ChipClock(chip, int(own.start.min()), _rate(path, own))
        yield _chip_trace(own, clock, chip_bundle(bundle, chip, chips))


def _chip_trace(report: _Report, clock: ChipClock, bundle: Bundle) -> Trace:
    words = Words()
    count = len(report.start)
    wrong = report.end < report.start
    start = np.where(wrong, MISSING, clock.times(report.start))
    end = np.where(wrong, MISSING, start + report.length)
    flags = np.where(wrong, int(TaskFlag.BACKWARDS | TaskFlag.NO_CORE_RECORD), 0)
    backward = int(wrong.sum())
    tasks: dict[str, Array] = {
        "task": np.arange(count),
        "kind": np.full(count, words.code("run"), np.int32),
        "core": np.zeros(count, np.int32),
        "token": np.arange(count),
        "func": report.code.astype(np.int32),
        "flags": flags.astype(np.int32),
        "start_ns": start,
        "end_ns": end,
        "start_cycles": report.start,
        "end_cycles": report.end,
        "id": report.number,
    }
    return Trace(
        meta=bundle.meta(
            chip=report.arch,
            ledger=(
                LedgerEntry(
                    f"chip {clock.chip}", "task", count, count - backward, unmatched=backward
                ),
            ),
            notes=bundle.notes,
            **clock.facts(),
        ),
        tasks=Table.build("tasks", tasks),
        functions=_functions(report.codes, words),
        cores=_lane(clock, words),
        counters=_counters(report, words),
        collectives=_collectives(report, tasks, words),
        words=words.freeze(),
    )


def _read(path: Path, *, keep_damaged: bool) -> _Report:
    columns = read_columns(path)
    require(columns, _NEEDED, "a report of operations")
    start, end, chip = (columns.integers(name) for name in (START, END, CHIP))
    length = columns.numbers(LENGTH)
    is_placed = (start != MISSING) & (end != MISSING)
    placed = np.flatnonzero(is_placed)
    code, codes = columns.texts(CODE)
    archs = columns.texts(ARCH)[1] if ARCH in columns else []
    for name, wrong, expected in (
        (START, no_counter(start), COUNTER),
        (END, no_counter(end), COUNTER),
        (CHIP, (chip < 0) | (chip >= _LARGEST_CHIP), "the number of a chip from 0 to 65535"),
        (LENGTH, ~((length >= 0) & (length < _TOO_LONG)), "a length of 0 or more and below 2^62"),
        (CODE, code < 0, "a name"),
    ):
        refuse(columns, name, wrong & is_placed, expected)
    backward = end < start
    if backward[placed].any() and not keep_damaged:
        line = columns.line(int(placed[np.argmax(backward[placed])]))
        problem = f"{line}, {END!r}: the operation ends before it starts"
        raise InputError(path, f"{problem}; keep such rows, flagged, with --keep-damaged")
    order = placed[np.lexsort((end[placed], start[placed], chip[placed]))]
    number = columns.integers(NUMBER) if NUMBER in columns else np.full(columns.rows, MISSING)
    counted = [name for name in columns.columns if name.endswith(_COUNTED) and name != LENGTH]
    values = {_CALLED.get(name, name): columns.numbers(name)[order] for name in counted}
    return _Report(
        code=code[order],
        codes=codes,
        chip=chip[order],
        number=number[order],
        start=start[order],
        end=end[order],
        length=np.rint(length[order]).astype(np.int64),
        values=values,
        arch=archs[0] if len(archs) == 1 else "",
        elsewhere=columns.rows - len(placed),
    )


def _rate(path: Path, report: _Report) -> int:
    """Cycles per second: all cycles by all ns; a whole number of MHz where that is as good."""
    good = report.end >= report.start
    cycles, ns = int((report.end - report.start)[good].sum()), int(report.length[good].sum())
    if not cycles or not ns:
        problem = f"{LENGTH!r} is 0" if cycles else f"{START!r} and {END!r} are equal"
        raise InputError(path, f"{problem} in every row, so the rate of the counter is not known")
    hz = cycles / ns * 1e9
    if not 1 <= hz <= FASTEST_MHZ * 1e6:
        problem = f"expected a counter of 0.000001 to {FASTEST_MHZ:,} MHz, found {hz / 1e6:.3g} MHz"
        raise InputError(path, f"{problem} by {END!r} and {LENGTH!r}")
    megahertz = round(hz / 1e6) * 1_000_000
    error = 0.5 * len(report.start) / ns * hz
    return megahertz if megahertz and abs(hz - megahertz) <= error else round(hz)


def _functions(codes: list[str], words: Words) -> Table:
    work = ["communication" if _COMMUNICATE.search(code) else "compute" for code in codes]
    func = np.arange(len(codes), dtype=np.int32)
    return Table.build(
        "functions", {"func": func, "name": words.codes(codes), "work": words.codes(work)}
    )


def _lane(clock: ChipClock, words: Words) -> Table:
    return Table.build(
        "cores",
        {
            "core": np.zeros(1, np.int32),
            "name": words.codes([f"chip {clock.chip}"]),
            "kind": words.codes(["queue"]),
            "lane": words.codes(["queue"]),
            "device": np.array([clock.chip], np.int32),
        },
    )


def _collectives(report: _Report, tasks: dict[str, Array], words: Words) -> Table:
    """Operations among chips, counted by name: the report knows no groups and no numbers."""
    found = [_COMMUNICATE.search(code) for code in report.codes]
    is_operation = np.array([one is not None for one in found] or [False], bool)
    at = np.flatnonzero(is_operation[report.code])
    kinds = [_snake(one[0]) if one else "" for one in found]
    sequence = np.zeros(len(at), np.int64)
    for code in different(report.code[at]).tolist():
        mine = report.code[at] == code
        sequence[mine] = np.arange(int(mine.sum()))
    return Table.build(
        "collectives",
        {
            "group": words.codes([report.codes[code] for code in report.code[at].tolist()]),
            "sequence": sequence,
            "matched": np.full(len(at), words.code("stream") if len(at) else -1, np.int32),
            "kind": words.codes([kinds[code] for code in report.code[at].tolist()]),
            "task": at,
            "core": np.zeros(len(at), np.int32),
            "start_ns": tasks["start_ns"][at],
            "end_ns": tasks["end_ns"][at],
        },
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _counters(report: _Report, words: Words) -> Table:
    """One row per known value, counter after counter."""
    columns: dict[str, list[Array]] = {"name": [], "value": [], "task": []}
    for name, values in report.values.items():
        known = np.flatnonzero(~np.isnan(values))
        columns["name"].append(np.full(len(known), words.code(name), np.int32))
        columns["value"].append(values[known])
        columns["task"].append(known)
    if not columns["task"]:
        return Table.build("counters")
    whole = {key: np.concatenate(parts) for key, parts in columns.items()}
    core = np.zeros(len(whole["task"]), np.int32)
    return Table.build("counters", {**whole, "core": core, "token": whole["task"]})
