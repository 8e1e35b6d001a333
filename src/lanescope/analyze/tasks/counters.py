"""What the hardware counters say of each function: the mean per run, and shares of the cycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import UNKNOWN
from lanescope.render.cells import clean, count_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.join import key, places
from lanescope.trace.schema import MISSING, MISSING32, TOTAL_CYCLES
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_MAX_COUNTERS = 200

_BUSY = "busy"
"""In the name of every counter of cycles in which a unit worked."""


@dataclass(frozen=True, slots=True)
class CounterMean(Result):
    """One counter over the runs of one function."""

    DERIVED = ("mean",)

    func: int | None
    """None: the trace does not say what ran."""
    function: str
    counter: str
    runs: int
    total: float

    cycle_share: float | None
    """Of the total cycles of the same runs; None where the counter does not count busy cycles."""

    @property
    def mean(self) -> float:
        return self.total / self.runs


@dataclass(frozen=True, slots=True)
class Counters(Result):
    """Counters that were sampled per run, function by function."""

    rows: tuple[CounterMean, ...]
    silent: tuple[str, ...]
    """Counters that are 0 in every run; they are in no row."""


def counters(trace: Trace) -> Counters:
    """Values that belong to no run of a task take no part."""
    sampled = (trace.counters["token"] != MISSING) & (trace.counters["core"] != MISSING32)
    table = trace.counters.rows(sampled & np.isfinite(trace.counters["value"]))
    if not len(table):
        return Counters((), ())
    func = _functions(trace, table)
    names = dict.fromkeys(table["name"].tolist())
    sums = {
        trace.word(code): _sums(func[mine], table["value"][mine])
        for code in names
        if (mine := table["name"] == code).any()
    }
    cycles = sums.get(TOTAL_CYCLES, {})
    silent = tuple(n for n, own in sums.items() if not any(total for _, total in own.values()))
    labels = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    rows = [
        CounterMean(
            func=None if f == MISSING32 else f,
            function=UNKNOWN if f == MISSING32 else labels.get(f, f"func_{f}"),
            counter=name,
            runs=runs,
            total=total,
            cycle_share=_share(name, total, cycles.get(f)),
        )
        for f in np.unique(func).tolist()
        for name, own in sums.items()
        if name not in silent and f in own
        for runs, total in (own[f],)
    ]
    return Counters(tuple(rows), silent)


def _sums(func: Array, values: Array) -> dict[int, tuple[int, float]]:
    """Function to how many values it has, and their sum."""
    keys, index = np.unique(func, return_inverse=True)
    counts, totals = np.bincount(index), np.bincount(index, weights=values)
    pairs = zip(counts.tolist(), totals.tolist(), strict=True)
    return dict(zip(keys.tolist(), pairs, strict=True))


def _share(name: str, total: float, cycles: tuple[int, float] | None) -> float | None:
    if _BUSY not in name or cycles is None or not cycles[1]:
        return None
    return total / cycles[1]


def _functions(trace: Trace, table: Table) -> Array:
    """The function of each value's run."""
    tasks = trace.tasks.rows((trace.tasks["core"] != MISSING32) & (trace.tasks["token"] != MISSING))
    at = places(key(tasks["core"], tasks["token"]), key(table["core"], table["token"]))
    return np.append(tasks["func"], np.int32(MISSING32))[at]


def counter_section(counters: Counters) -> Section:
    rows = counters.rows[:_MAX_COUNTERS]
    notes = []
    if len(counters.rows) > len(rows):
        hidden = len(counters.rows) - len(rows)
        notes.append(f"{count_text(hidden)} more rows are not shown; --json has all.")
    if counters.silent:
        notes.append(f"0 in every run: {', '.join(map(clean, counters.silent))}.")
    return Section(
        title="Counters per function",
        columns=(
            PageColumn("function", "text", tuple(row.function for row in rows), key=True),
            PageColumn("counter", "text", tuple(row.counter for row in rows), key=True),
            PageColumn("runs", "count", tuple(row.runs for row in rows)),
            PageColumn("mean per run", "number", tuple(row.mean for row in rows)),
            PageColumn("of the cycles", "percent", tuple(row.cycle_share for row in rows)),
        )
        if rows
        else (),
        notes=tuple(notes),
    )


def _sections(values: Counters, answers: Answers) -> list[Section]:
    return [counter_section(values)] if values.rows or values.silent else []


def _answer(basis: Basis) -> Counters:
    return counters(basis.trace)


COUNTERS = Analysis(
    name="counters",
    question="What did the hardware count per run of each function?",
    answer=_answer,
    sections=_sections,
    place=120,
    keys="rows [func, function, counter, runs, total, cycle_share, mean], silent [name]",
)
