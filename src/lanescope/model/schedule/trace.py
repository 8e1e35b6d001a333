"""A schedule as a Trace: a lane per unit, a task per instruction."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope import __version__
from lanescope.errors import UsageError
from lanescope.model.schedule.overlap import WAITS, Overlapped, overlap
from lanescope.model.schedule.prediction import Prediction
from lanescope.render.cells import many_text
from lanescope.trace import LedgerEntry, Meta, Source, Table, Trace, Words
from lanescope.trace.meta import ProgramWork, RoofFacts, ScheduleFacts, WaitFacts, WorkFacts
from lanescope.trace.vocabulary import UNIT

Array = npt.NDArray[Any]

_LEVEL = 2
"""Starts and ends, and when each instruction was dispatched."""
_NS = 1_000_000_000


def schedule_trace(prediction: Prediction) -> Trace:
    """Make a Trace of the schedule; a UsageError says where the core has no clock.

    A task lasts from the start of its instruction until its unit takes the next one. It is
    dispatched when the instruction came to the front.
    """
    core, program = prediction.core, prediction.program
    if core.clock_hz is None:
        raise UsageError("a trace needs a clock: give --board with one, or --clock-mhz")
    cycles = prediction.transfer_cycles
    done = overlap(program, prediction.table, prediction.transfers, cycles=cycles, times=True)
    units = program.isa.file.units
    words = Words()
    opcode = program.opcode[done.row_of]
    unit_of = np.array(
        [units.index(form.opcode.unit) for form in program.isa.forms.values()], np.int32
    )
    used = np.unique(opcode)
    return Trace(
        meta=_meta(prediction, unit_of[opcode]),
        tasks=_tasks(prediction, done, unit_of[opcode], words=words),
        cores=_cores(units, words),
        counters=_counters(prediction, done, words),
        functions=Table.build(
            "functions",
            {
                "func": used.astype(np.int32),
                "name": words.codes([program.isa.names[number] for number in used.tolist()]),
            },
        ),
        words=words.freeze(),
    )


def _tasks(prediction: Prediction, done: Overlapped, unit: Array, *, words: Words) -> Table:
    program, clock_hz = prediction.program, prediction.core.clock_hz
    assert done.start is not None and done.issue is not None and clock_hz is not None
    interval = prediction.table.interval[program.which[done.row_of]]
    if prediction.transfer_cycles is not None:
        interval[done.transfer_nodes] = prediction.transfer_cycles
    cycles = {"dispatch": done.issue, "start": done.start, "end": done.start + interval}
    order = np.lexsort((np.arange(len(unit)), unit))
    columns: dict[str, Array] = {
        "task": np.arange(len(unit), dtype=np.int64)[order],
        "kind": np.full(len(unit), words.code("run"), np.int32),
        "core": unit[order],
        "token": _tokens(unit[order]),
        "func": program.opcode[done.row_of][order].astype(np.int32),
        "block": np.zeros(len(unit), np.int32),
        "blocks": np.ones(len(unit), np.int32),
        "flags": np.zeros(len(unit), np.int32),
        "pc": (np.cumsum(program.opcode != -1, dtype=np.int32) - 1)[done.row_of][order],
        "line": done.row_of[order] + 1,
    }
    for name, values in cycles.items():
        columns[f"{name}_cycles"] = values[order]
        columns[f"{name}_ns"] = _ns(values[order], clock_hz)
    return Table.build("tasks", columns)


def _counters(prediction: Prediction, done: Overlapped, words: Words) -> Table:
    """Bytes so far, when each transfer has ended: read, written, and over the link to the host."""
    program, clock_hz = prediction.program, prediction.core.clock_hz
    assert done.start is not None and clock_hz is not None
    forms = list(program.isa.forms.values())
    transfer = np.array([form.opcode.transfer for form in forms])
    nodes = np.flatnonzero(transfer[program.opcode[done.row_of]])
    opcode = program.opcode[done.row_of[nodes]]
    costs = [prediction.table.costs.get(form.name) for form in forms]
    moved = np.array([0 if cost is None else cost.traffic_bytes for cost in costs])[opcode]
    stores = np.array([form.opcode.stores for form in forms])[opcode]
    written = np.where(stores, moved // 2, 0)
    series = {"read bytes": moved - written, "written bytes": written}
    cycles = prediction.transfer_cycles
    if cycles is None:
        cycles = prediction.table.interval[program.which[done.row_of[nodes]]]
    if prediction.memory is not None and prediction.memory.charged is not None:
        series["link bytes"] = prediction.memory.charged.link_bytes
    series = {name: values for name, values in series.items() if values.any()}
    time_ns = _ns(done.start[nodes] + cycles, clock_hz)
    names = np.repeat(np.array(words.codes(list(series)), np.int32), len(nodes))
    return Table.build(
        "counters",
        {
            "name": names,
            "value": np.concatenate(
                [np.cumsum(v) for v in series.values()] or [np.zeros(0)]
            ).astype(float),
            "time_ns": np.tile(time_ns, len(series)),
        },
    )


def _tokens(sorted_units: Array) -> Array:
    """Number of each task within its unit, from 0."""
    first = np.searchsorted(sorted_units, sorted_units)
    tokens: Array = np.arange(len(sorted_units), dtype=np.int64) - first
    return tokens


def _ns(cycles: Array, clock_hz: int) -> Array:
    """Nanoseconds of cycles, rounded down, in whole numbers: no product leaves 64 bits."""
    whole, rest = np.divmod(cycles, clock_hz)
    ns: Array = whole * _NS + rest * _NS // clock_hz
    return ns


def _cores(units: tuple[str, ...], words: Words) -> Table:
    numbers = np.arange(len(units), dtype=np.int32)
    return Table.build(
        "cores",
        {
            "core": numbers,
            "name": words.codes(list(units)),
            "kind": words.codes(list(units)),
            "lane": words.codes([UNIT] * len(units)),
        },
    )


def _meta(prediction: Prediction, unit: Array) -> Meta:
    program, table = prediction.program, prediction.table
    board = prediction.core.board
    units = program.isa.file.units
    counts = np.bincount(unit, minlength=len(units)).tolist()
    notes = [
        f"predicted, not measured: costs from {table.source.name} ({table.source.source})",
        f"in-order issue, {prediction.transfers.outstanding} outstanding transfers, "
        f"{prediction.transfers.buffers} buffer(s) per prefetch",
    ]
    if prediction.unknown.lines:
        notes.append(f"left out: {many_text(prediction.unknown.lines, 'line')} without a figure")
    if prediction.memory is not None:
        notes += prediction.memory.lines(prediction.elapsed_ps)
    return Meta(
        name=PurePath(program.path).name.removesuffix(".asm"),
        tool=f"lanescope {__version__}",
        origin="predicted",
        sources=(Source(program.path, f"{program.isa.name} assembly", _bytes(program.path)),),
        chip=board.name if board else "",
        clock_hz=prediction.core.clock_hz,
        base_cycles=0,
        level=_LEVEL,
        ledger=tuple(
            LedgerEntry(lane=name, kind="task", total=count, delivered=count)
            for name, count in zip(units, counts, strict=True)
        ),
        notes=tuple(notes),
        work=_work(prediction),
        schedule=_schedule(prediction),
    )


def _schedule(prediction: Prediction) -> ScheduleFacts:
    """What `report` says of the schedule: the bound and the waits of the prediction itself."""
    bound, done = prediction.bound_by(), prediction.overlapped
    waits = done.waits.items() if done is not None else ()
    return ScheduleFacts(
        cycles=prediction.best,
        serial_cycles=prediction.serial,
        bound=bound.name,
        bound_share=bound.share,
        waits=tuple(WaitFacts(name, WAITS[name], cycles) for name, cycles in waits if cycles),
    )


def _work(prediction: Prediction) -> WorkFacts | None:
    """What a roofline needs of the whole program: one instruction moves or computes, not both."""
    rates, board = prediction.roofline(), prediction.core.board
    if rates is None or board is None:
        return None
    traffic = prediction.traffic
    return WorkFacts(
        roofs=(RoofFacts(board.name, rates.peak_flop_per_s, rates.bandwidth_bytes_per_s),),
        whole=ProgramWork(board.name, traffic.flop, traffic.traffic_bytes),
    )


def _bytes(path: str) -> int:
    file = Path(path)
    return file.stat().st_size if file.is_file() else 0
