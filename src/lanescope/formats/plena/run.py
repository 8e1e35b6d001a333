"""What one output says of an emulated run, and the trace of a run that is known as a whole only.

The emulator's clock is 1 ns per cycle unless CLOCK_PERIOD_PS says otherwise, whatever the board's
clock is: its times are numbers of cycles, not times on a board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.formats.bundle import Bundle
from lanescope.trace import LedgerEntry, Meta, Table, Trace, Words
from lanescope.trace.meta import ScheduleFacts, WaitFacts
from lanescope.trace.schema import NO_WORD
from lanescope.trace.table import Array
from lanescope.trace.vocabulary import PROGRAM

PERIOD_PS = 1000
"""The emulator's own period: one cycle is 1 ns."""
MOST_PS = 1 << 61
READ_BYTES, WRITTEN_BYTES = "read bytes", "written bytes"
"""Names of the counters that a prediction has, too."""
_PS = 10**12


@dataclass(slots=True)
class EmulatedRun:
    """The facts of one run, as far as a file has them."""

    period_ps: int = PERIOD_PS
    total_ps: int | None = None
    """How long the run took; None where the file does not say."""
    cycles: int | None = None
    """The same in cycles, where the file says it."""
    serial_cycles: int | None = None
    totals: list[tuple[str, str, float]] = field(default_factory=list)
    """Stage or other part of the run (empty: the whole), name and value of each figure."""
    waits: list[WaitFacts] = field(default_factory=list)
    unlisted: dict[str, int] = field(default_factory=dict)
    """Opcode → instructions that ran and are not listed, because they cost nothing."""
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, value: float | None, site: str = "") -> None:
        """One figure; one that is not known is left out."""
        if value is not None:
            self.totals.append((site, name, float(value)))

    def in_cycles(self, ps: int) -> int:
        """Cycles of so many picoseconds, rounded down."""
        return ps // self.period_ps

    def schedule(self) -> ScheduleFacts | None:
        """What a report says of the run as a whole; None where its length is not known."""
        cycles = self.cycles
        if cycles is None and self.total_ps is not None:
            cycles = self.in_cycles(self.total_ps)
        if cycles is None:
            return None
        return ScheduleFacts(
            cycles=cycles,
            serial_cycles=self.serial_cycles,
            waits=tuple(self.waits),
            unlisted=self.unlisted,
        )


def whole_trace(run: EmulatedRun, bundle: Bundle) -> Trace:
    """One lane with one task: the run as a whole, where its length is known."""
    words = Words()
    known = run.total_ps is not None
    end_ps = np.array([run.total_ps] if known else [], np.int64)
    start_ps = np.zeros(len(end_ps), np.int64)
    columns: dict[str, Array] = {
        "task": np.arange(len(end_ps)),
        "kind": np.full(len(end_ps), words.code("run"), np.int32),
        "core": np.zeros(len(end_ps), np.int32),
        "token": np.arange(len(end_ps)),
        "func": np.zeros(len(end_ps), np.int32),
        "flags": np.zeros(len(end_ps), np.int32),
    }
    return Trace(
        meta=run_meta(run, bundle, ledger=(LedgerEntry(PROGRAM, "run", int(known), int(known)),)),
        tasks=Table.build("tasks", {**columns, **times(run, start_ps, end_ps)}),
        cores=lanes([PROGRAM], PROGRAM, words),
        functions=names([PROGRAM], words),
        counters=totals_table(run, words),
        words=words.freeze(),
    )


def times(run: EmulatedRun, start_ps: Array, end_ps: Array) -> dict[str, Array]:
    """Starts and ends as columns of tasks, rounded down to nanoseconds and cycles."""
    parts = {"start": start_ps, "end": end_ps}
    ns = {f"{name}_ns": ps // 1000 for name, ps in parts.items()}
    return {**ns, **{f"{name}_cycles": ps // run.period_ps for name, ps in parts.items()}}


def lanes(units: Sequence[str], lane: str, words: Words) -> Table:
    """The lanes of a trace, numbered in this order."""
    return Table.build(
        "cores",
        {
            "core": np.arange(len(units), dtype=np.int32),
            "name": words.codes(list(units)),
            "kind": words.codes(list(units)),
            "lane": words.codes([lane] * len(units)),
        },
    )


def names(functions: Sequence[str], words: Words) -> Table:
    """The functions of a trace, numbered in this order."""
    numbers = np.arange(len(functions), dtype=np.int32)
    return Table.build("functions", {"func": numbers, "name": words.codes(list(functions))})


def totals_table(run: EmulatedRun, words: Words, **columns: Array) -> Table:
    """Figures of the run as rows of `counters`; `columns` are rows of tasks, which stand before."""
    count = len(columns["value"]) if columns else 0
    sites = [words.code(site) if site else NO_WORD for site, *_ in run.totals]
    figures = {
        "name": words.codes([name for _, name, _ in run.totals]),
        "value": np.array([value for *_, value in run.totals], np.float64),
        "site": np.array(sites, np.int32),
        "order": np.arange(len(run.totals)),
    }
    if not count:
        return Table.build("counters", figures)
    before = Table.build("counters", columns)
    behind = Table.build("counters", figures)
    both = {name: np.concatenate([before[name], behind[name]]) for name in before.columns}
    return Table.build("counters", both)


def run_meta(run: EmulatedRun, bundle: Bundle, ledger: tuple[LedgerEntry, ...]) -> Meta:
    """What the trace says about itself."""
    clock = (
        f"The emulator's cycle is {run.period_ps:,} ps, whatever the board's clock: compare "
        "cycles with a prediction, not times."
    )
    return bundle.meta(
        clock_hz=round(_PS / run.period_ps),
        base_cycles=0,
        ledger=ledger,
        notes=(*bundle.notes, clock, *run.notes),
        schedule=run.schedule(),
        extra=run.extra,
    )
