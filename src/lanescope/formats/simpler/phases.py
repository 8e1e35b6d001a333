"""Reads scheduler and orchestrator phases: one list per controller thread, in cycles or in µs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.ahead import ahead
from lanescope.formats.json_cells import Cell, identity, integer, integers, micros, word
from lanescope.formats.json_file import JsonFile, split_array
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows
from lanescope.formats.simpler.records import Array, PhaseList, captured, narrow
from lanescope.trace import MISSING

RENAMED = {"fanout": "resolve", "prestage": "early_dispatch"}
"""Old names of kinds that still exist."""

_COMMON = (
    integer("loop_iter", required=False),
    integer("tasks_processed", required=False),
    integer("pop_hit", required=False),
    integer("pop_miss", required=False),
    identity("task_id", required=False),
    integer("submit_idx", required=False),
    integer("run_epoch", required=False),
)
_DEPTHS = (
    integers("shared_at_start", 3, required=False, low=-(1 << 31) + 1),
    integers("shared_at_end", 3, required=False, low=-(1 << 31) + 1),
)
_CYCLES = (integer("start_cycles"), integer("end_cycles"))
_MICROS = (micros("start_time_us"), micros("end_time_us"))


def scheduler_phases(file: JsonFile, *, in_cycles: bool) -> list[PhaseList]:
    """Read `aicpu_scheduler_phases`: one list per scheduler thread."""
    key = "aicpu_scheduler_phases"
    cells = (word("kind"), *_CYCLES) if in_cycles else (word("phase"), *_MICROS)
    if key not in file:
        return []

    def read(at: tuple[int, TextSpan]) -> PhaseList:
        thread, piece = at
        return _read(piece, (*cells, *_COMMON, *_DEPTHS), "scheduler", thread, f"{key}[{thread}]")

    return list(ahead(read, enumerate(split_array(file.values[key], what=repr(key)))))


def orchestrator_phases(file: JsonFile, *, in_cycles: bool) -> list[PhaseList]:
    """Read `aicpu_orchestrator_phases`: one list per orchestrator.

    Early files have one flat list.
    """
    key = "aicpu_orchestrator_phases"
    if key not in file:
        return []
    name = word("kind" if in_cycles else "phase", required=False)
    cells = (name, *(_CYCLES if in_cycles else _MICROS))
    pieces = split_array(file.values[key], what=repr(key))
    if pieces and bytes(pieces[0].data[:1]) == b"{":
        return [_read(file.values[key], (*cells, *_COMMON), "orchestrator", 0, key)]
    return [
        _read(piece, (*cells, *_COMMON), "orchestrator", lane, f"{key}[{lane}]")
        for lane, piece in enumerate(pieces)
        if bytes(piece.data[:2]) != b"[]"
    ]


def _read(
    piece: TextSpan, cells: tuple[Cell, ...], lane: str, controller: int, what: str
) -> PhaseList:
    rows = read_object_rows(piece, cells, what=what)
    kinds, names = _kinds(rows, lane)
    in_cycles = "start_cycles" in rows.columns
    start, end = _CYCLES if in_cycles else _MICROS
    return PhaseList(
        lane=lane,
        controller=controller,
        kinds=kinds,
        kind_names=names,
        start=captured(rows[start.key]) if in_cycles else rows[start.key],
        end=captured(rows[end.key]) if in_cycles else rows[end.key],
        columns=_columns(piece, rows, what),
        epoch=run_epochs(piece.path, rows["run_epoch"], what),
    )


def run_epochs(path: Path, epoch: Array, what: str) -> Array | None:
    """The run of each row; None where no row says it. Only some rows saying it is an error."""
    known = epoch != MISSING
    if not known.any():
        return None
    if not known.all():
        row = int(np.argmin(known))
        raise InputError(path, f"{what} row {row} has no 'run_epoch', and others have one")
    return epoch


def _kinds(rows: Rows, lane: str) -> tuple[Array, list[str]]:
    [key] = rows.values
    names: list[str] = rows.values[key]
    if lane == "orchestrator":
        names = [name.removeprefix("orch_") for name in names]
    names = [RENAMED.get(name, name) for name in names]
    unnamed = rows[key] == MISSING
    if unnamed.any():
        return np.where(unnamed, len(names), rows[key]), [*names, "submit"]
    return rows[key], names


def _columns(piece: TextSpan, rows: Rows, what: str) -> dict[str, Array]:
    columns = {
        "loop": rows["loop_iter"],
        "task": rows["task_id"],
        "tasks": narrow(piece.path, what, rows["tasks_processed"]),
        "pop_hit": narrow(piece.path, what, rows["pop_hit"]),
        "pop_miss": narrow(piece.path, what, rows["pop_miss"]),
        "submit": narrow(piece.path, what, rows["submit_idx"]),
    }
    for side in ("start", "end"):
        depths = rows.columns.get(f"shared_at_{side}")
        if depths is not None:
            for queue in range(3):
                column = narrow(piece.path, what, depths[:, queue])
                columns[f"queue{queue}_{side}"] = column
    return columns
