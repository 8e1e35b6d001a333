"""Makes the `phases` table: the controllers' lists below each other, on one time axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.counters import Columns
from lanescope.formats.simpler.parts import Run
from lanescope.formats.simpler.records import Array, PhaseList
from lanescope.formats.simpler.timebase import TimeBase
from lanescope.trace import MISSING, Table, Words
from lanescope.trace.schema import Column
from lanescope.trace.table import LazyColumns, constant
from lanescope.trace.tables import SCHEMA


@dataclass(frozen=True, slots=True)
class PhaseColumns:
    """The columns that some list of phases has, whose `lane` and `kind` are codes into `words`."""

    count: int
    parts: dict[str, list[Array]]
    """By column: what stands below each other in it, a part per list."""
    words: tuple[str, ...]

    def table(self, words: Words) -> Table:
        """The table with codes of the trace's words. A column is put together when it is used."""
        schema, codes = SCHEMA["phases"], words.codes(list(self.words))
        readers = {one.name: partial(self._column, one, codes) for one in schema.columns}
        return Table(schema, LazyColumns(self.count, readers, {}))

    def _column(self, column: Column, codes: Array) -> Array:
        if column.name not in self.parts:
            return constant(column.missing, self.count, column.dtype)
        whole = np.concatenate(self.parts[column.name])
        self.parts[column.name] = [whole]
        return codes[whole] if column.type == "word" else whole


def phase_columns(run: Run, base: TimeBase, *, keep_damaged: bool) -> PhaseColumns:
    """Put the phases of device and host on one axis, in nanoseconds.

    A phase that ends before it starts is an error; with `keep_damaged` it keeps its cycles alone.
    """
    words = Words()
    device = run.records.phases if run.records else []
    host = run.records.host.phases if run.records and run.records.host else []
    known = {(a, b) for p in host for a, b in zip(p.start.tolist(), p.end.tolist(), strict=True)}
    loose = [_without(phases, known) for phases in run.loose]
    if not keep_damaged and run.files.records is not None:
        _require_forward(run.files.records.path, [*device, *host])
    if not keep_damaged and run.files.host_phases is not None:
        _require_forward(run.files.host_phases, loose)
    parts = [_device_list(run, phases, base, words=words) for phases in device]
    parts += [_one_list(phases, words, base.host) for phases in [*host, *loose]]
    tables = [Table.build("phases", part) for part in parts]
    used = {name for part in parts for name in part}
    columns = {name: [table[name] for table in tables] for name in used}
    return PhaseColumns(sum(map(len, tables)), columns, words.freeze())


def _without(phases: PhaseList, known: set[tuple[int, int]]) -> PhaseList:
    """The phases without those intervals that the records file already holds."""
    pairs = zip(phases.start.tolist(), phases.end.tolist(), strict=True)
    return phases.rows(np.array([pair not in known for pair in pairs], bool))


def _require_forward(path: Path, lists: list[PhaseList]) -> None:
    for phases in lists:
        backward = phases.backward
        if backward.any():
            row = int(np.argmax(backward))
            name = phases.kind_names[int(phases.kinds[row])]
            raise InputError(
                path,
                f"phase {row} ({name}) of {phases.lane} {phases.controller} ends before it starts "
                f"({int(backward.sum())} such phases); --keep-damaged imports them without times",
            )


def _device_list(run: Run, phases: PhaseList, base: TimeBase, *, words: Words) -> Columns:
    columns = _one_list(phases, words, base.device)
    if run.records is not None and run.records.clock_hz is not None:
        columns |= {"start_cycles": phases.start, "end_cycles": phases.end}
    return columns


def _one_list(phases: PhaseList, words: Words, on_axis: Callable[[Array], Array]) -> Columns:
    codes = words.codes(phases.kind_names or ["submit"])
    count, damaged = len(phases.start), phases.backward
    times = {"start": phases.start, "end": phases.end}
    if damaged.any():
        times = {name: np.where(damaged, MISSING, raw) for name, raw in times.items()}
    return {
        "lane": constant(words.code(phases.lane), count, np.int32),
        "controller": constant(phases.controller, count, np.int32),
        "kind": codes[phases.kinds],
        **phases.columns,
        "start_ns": on_axis(times["start"]),
        "end_ns": on_axis(times["end"]),
    }
