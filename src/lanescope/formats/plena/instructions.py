"""What every instruction took: the scoreboard's trace, with a lane per unit, and the statistics
per instruction of a serial run, on one lane.

The scoreboard writes a line when an instruction is committed: a transfer that goes on beside the
computing may end later than its line says. The statistics have no start: instructions follow each
other, and those that cost nothing are left out.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.json_cells import first_word, integer, word
from lanescope.formats.json_file import Count, Label, decode_line
from lanescope.formats.json_rows import Rows, TextSpan
from lanescope.formats.plena.lines import WholeLines, read_lines, whole_lines
from lanescope.formats.plena.run import (
    MOST_PS,
    READ_BYTES,
    WRITTEN_BYTES,
    EmulatedRun,
    lanes,
    names,
    run_meta,
    times,
    totals_table,
    whole_trace,
)
from lanescope.trace import MISSING, LedgerEntry, Table, Trace, Words
from lanescope.trace.numbering import nth
from lanescope.trace.schema import TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.vocabulary import UNIT

_UNITS = ("matrix", "vector", "scalar", "dma")
"""In the order of their lanes; others follow."""
_SERIAL = "all units"
_BYTES = {
    "hbm_rd": READ_BYTES,
    "hbm_wr": WRITTEN_BYTES,
    "hbm_issue_rd": "asked to read bytes",
    "hbm_issue_wr": "asked to write bytes",
}
"""Bytes that moved while an instruction ran, and those that it asked for."""
_SHOWN = 8
OPCODE = first_word("op")
"""The scoreboard writes the whole instruction: `M_MM { rs1: 2, rs2: 1, view: None }`."""


class OpTotal(msgspec.Struct, frozen=True):
    """One opcode of the aggregate line."""

    op: Label
    count: Count = 0


class OpAggregate(msgspec.Struct, frozen=True, kw_only=True):
    """The last line of the statistics per instruction."""

    start_ps: Count = 0
    end_ps: Count | None = None
    total_dt_ps: Count | None = None
    total_hbm_rd: Count | None = None
    total_hbm_wr: Count | None = None
    total_hbm_issue_rd: Count | None = None
    total_hbm_issue_wr: Count | None = None
    ops: list[OpTotal] = []


def scoreboard_trace(bundle: Bundle, run: EmulatedRun) -> Trace:
    """Lines `{pc, op, unit, issue_ps, finish_ps}`, in the order of the program."""
    lines = whole_lines(bundle.main.path)
    cells = (
        integer("pc"), OPCODE, word("unit"), integer("issue_ps"), integer("finish_ps"),
    )  # fmt: skip
    rows = read_lines(lines, cells, run)
    start, end = rows["issue_ps"], rows["finish_ps"]
    _require_small(lines, max(int(start.max()), int(end.max())))
    run.total_ps = int(end.max()) - int(start.min())
    unit, units = _units(rows["unit"], rows.values["unit"])
    if "dma" in units:
        run.notes.append("A transfer's line ends when it is committed; its data may come later.")
    _tell_fractions(run, start, end)
    return _trace(
        bundle,
        run,
        (unit, units),
        _opcodes(rows),
        {"pc": rows["pc"].astype(np.int32), "start": start, "end": end},
    )


def op_stats_trace(bundle: Bundle, run: EmulatedRun) -> Trace:
    """Lines `{pc, op, dt_ps, …}`, and one with the sums at the end."""
    lines, aggregate = _without_aggregate(whole_lines(bundle.main.path), run)
    cells = (
        integer("pc"), OPCODE, integer("dt_ps"),
        *(integer(name, required=False) for name in _BYTES),
    )  # fmt: skip
    if aggregate is not None and not bytes(lines.span.data[:1]):
        run.total_ps = aggregate.total_dt_ps
        # Instructions that took time are not listed either: none of them cost nothing for sure.
        _keep(aggregate, run, {} if run.total_ps == 0 else _counted(aggregate))
        run.notes.append("The file has the line of sums only.")
        return whole_trace(run, bundle)
    rows = read_lines(lines, cells, run)
    lengths = rows["dt_ps"]
    _require_small(lines, int(lengths.max()) * rows.count)
    begin = 0 if aggregate is None else aggregate.start_ps
    end = begin + np.cumsum(lengths)
    run.total_ps = int(end[-1]) - begin
    if aggregate is not None:
        _keep(aggregate, run, _listed(rows))
    moved = {name: rows[key] for key, name in _BYTES.items() if (rows[key] > 0).any()}
    _tell_fractions(run, lengths, end)
    return _trace(
        bundle,
        run,
        (np.zeros(rows.count, np.int32), [_SERIAL]),
        _opcodes(rows),
        {"pc": rows["pc"].astype(np.int32), "start": end - lengths, "end": end},
        moved,
    )


def _require_small(lines: WholeLines, most: int) -> None:
    if most >= MOST_PS:
        raise InputError(lines.span.path, f"expected times below {MOST_PS:,} ps, found {most:,}")


def _opcodes(rows: Rows) -> tuple[Array, list[str]]:
    """The opcode of every row as a number, and the names by number."""
    return rows["op"].astype(np.int32), [name or "(no name)" for name in rows.values["op"]]


def _listed(rows: Rows) -> dict[str, int]:
    """Opcode to its number of rows."""
    return dict(zip(rows.values["op"], np.bincount(rows["op"]).tolist(), strict=True))


def _units(codes: Array, found: list[Any]) -> tuple[Array, list[str]]:
    """The lane of every row, and the names of the lanes that are used."""
    units = [unit for unit in _UNITS if unit in found]
    units += [unit for unit in found if unit not in _UNITS]
    number = np.array([units.index(unit) for unit in found], np.int32)
    return number[codes], [unit or "(no name)" for unit in units]


def _without_aggregate(
    lines: WholeLines, run: EmulatedRun
) -> tuple[WholeLines, OpAggregate | None]:
    """The lines of instructions, and the line of sums; a note where there is none."""
    if b'"aggregate"' not in lines.last:
        run.notes.append(
            "The file has no line of sums at its end: its last instructions may be missing."
        )
        return lines, None
    whole = lines.span.whole
    end = len(lines.span.data) - len(lines.last)
    number = int(np.count_nonzero(whole[:end] == ord("\n"))) + 1
    aggregate = decode_line(lines.span.path, number, lines.last, OpAggregate)
    rows = TextSpan(lines.span.path, lines.span.data[:end], whole)
    return WholeLines(rows, b"", lines.cut), aggregate


def _keep(aggregate: OpAggregate, run: EmulatedRun, listed: dict[str, int]) -> None:
    """What the line of sums says beside the instructions."""
    run.add(READ_BYTES, aggregate.total_hbm_rd)
    run.add(WRITTEN_BYTES, aggregate.total_hbm_wr)
    run.add(_BYTES["hbm_issue_rd"], aggregate.total_hbm_issue_rd)
    run.add(_BYTES["hbm_issue_wr"], aggregate.total_hbm_issue_wr)
    if aggregate.total_dt_ps not in (None, run.total_ps):
        run.notes.append(
            f"The line of sums has {aggregate.total_dt_ps:,} ps, the instructions before it "
            f"{run.total_ps:,} ps."
        )
        return
    counted = _counted(aggregate).items()
    missing = {name: count - listed.get(name, 0) for name, count in counted}
    run.unlisted = {name: count for name, count in missing.items() if count > 0}
    if run.unlisted:
        some = ", ".join(f"{name} {count:,}" for name, count in list(run.unlisted.items())[:_SHOWN])
        more = ", …" if len(run.unlisted) > _SHOWN else ""
        run.notes.append(f"Instructions that cost nothing are not listed: {some}{more}.")


def _counted(aggregate: OpAggregate) -> dict[str, int]:
    """Opcode to its number of instructions in the line of sums."""
    counted: dict[str, int] = {}
    for one in aggregate.ops:
        name = one.op.split(" ", 1)[0]
        counted[name] = counted.get(name, 0) + one.count
    return counted


def _tell_fractions(run: EmulatedRun, *values: Array) -> None:
    if any((some % run.period_ps).any() for some in values):
        run.notes.append(
            f"Times are not whole cycles of {run.period_ps:,} ps and are rounded down; where the "
            "run had another CLOCK_PERIOD_PS, --format plena --period-ps says so."
        )


def _trace(
    bundle: Bundle,
    run: EmulatedRun,
    lane: tuple[Array, list[str]],
    func: tuple[Array, list[str]],
    columns: dict[str, Array],
    moved: dict[str, Array] | None = None,
) -> Trace:
    """Tasks by lane, in the order of the file; `moved` are bytes per instruction by name."""
    words = Words()
    unit, units = lane
    order = np.argsort(unit, kind="stable")
    start, end = columns["start"][order], columns["end"][order]
    backwards = end < start
    clocked = times(run, start, end)
    for name in ("start_ns", "end_ns"):
        clocked[name] = np.where(backwards, MISSING, clocked[name])
    tasks: dict[str, Array] = {
        "task": order,
        "kind": np.full(len(order), words.code("run"), np.int32),
        "core": unit[order],
        "token": nth(unit[order]),
        "func": func[0][order],
        "flags": np.where(backwards, np.int32(TaskFlag.BACKWARDS), np.int32(0)),
        "pc": columns["pc"][order],
        **clocked,
    }
    counts = np.bincount(unit, minlength=len(units)).tolist()
    bad = np.bincount(unit[order][backwards], minlength=len(units)).tolist()
    ledger = tuple(
        LedgerEntry(
            name, "instruction", total, total - broken, unmatched=broken,
            reason="it finishes before it is issued" if broken else "",
        )
        for name, total, broken in zip(units, counts, bad, strict=True)
    )  # fmt: skip
    return Trace(
        meta=run_meta(run, bundle, ledger=ledger),
        tasks=Table.build("tasks", tasks),
        cores=lanes(units, UNIT, words),
        functions=names(func[1], words),
        counters=totals_table(run, words, **_moved(moved or {}, unit, words)),
        words=words.freeze(),
    )


def _moved(moved: dict[str, Array], unit: Array, words: Words) -> dict[str, Array]:
    """Bytes of single instructions as rows of `counters`; those that moved none have no row."""
    if not moved:
        return {}
    token = nth(unit)
    parts = [(name, np.flatnonzero(values > 0), values) for name, values in moved.items()]
    rows = np.concatenate([at for _, at, _ in parts])
    return {
        "name": np.concatenate(
            [np.full(len(at), words.code(name), np.int32) for name, at, _ in parts]
        ),
        "value": np.concatenate([values[at].astype(np.float64) for _, at, values in parts]),
        "task": rows,
        "core": unit[rows],
        "token": token[rows],
    }
