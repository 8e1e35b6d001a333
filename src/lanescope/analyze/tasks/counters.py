"""What the hardware counted in the runs of each function: means, and shares of the cycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import UNKNOWN
from lanescope.analyze.streams.values import BYTES, SHAPE
from lanescope.render.cells import count_text, many_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.join import TaskKey, places
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.tables import TOTAL_CYCLES
from lanescope.trace.trace import Trace

_MOST = 200
_MOST_OF_STREAMS = 40
"""Rows of the table; profilers of streams tell dozens of numbers per kernel."""

_BUSY = "busy"
"""This is in the name of every counter that counts the cycles in which a unit worked."""


@dataclass(frozen=True, slots=True)
class CounterMean(Result):
    """One counter over the runs of one function."""

    DERIVED = ("mean",)

    func: int | None
    """Id of the function; None where the trace does not say what ran."""
    function: str
    """Its name."""
    counter: str
    """Name of the counter."""
    runs: int
    """Runs with a value of the counter."""
    total: float
    """Sum of the values."""
    cycle_share: float | None
    """total / cycles of the function's runs; None for a counter that counts no busy cycles."""

    @property
    def mean(self) -> float:
        """Mean value per run."""
        return self.total / self.runs


@dataclass(frozen=True, slots=True)
class Counters(Result):
    """What the hardware counted, function by function and counter by counter."""

    rows: tuple[CounterMean, ...]
    """One per function and counter, in the order of the function ids."""
    silent: tuple[str, ...]
    """Counters that are 0 in every run; they are in no row."""

    def __repr__(self) -> str:
        functions = len({row.function for row in self.rows})
        names = len({row.counter for row in self.rows})
        counted = f"{many_text(names, 'counter')} of {many_text(functions, 'function')}"
        return f"<Counters: {counted}, {len(self.silent):,} silent>"


@dataclass(frozen=True, slots=True)
class _Sum:
    """Values of one counter in the runs of one function."""

    runs: int
    total: float


def counters(trace: Trace) -> Counters:
    """Counters per function. A value that belongs to no run of a task takes no part."""
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
    silent = tuple(n for n, own in sums.items() if not any(one.total for one in own.values()))
    labels = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    rows = [
        CounterMean(
            func=None if f == MISSING32 else f,
            function=UNKNOWN if f == MISSING32 else labels.get(f, f"func_{f}"),
            counter=name,
            runs=own[f].runs,
            total=own[f].total,
            cycle_share=_share(name, own[f].total, cycles.get(f)),
        )
        for f in different(func).tolist()
        for name, own in sums.items()
        if name not in silent and f in own
    ]
    return Counters(tuple(rows), silent)


def _sums(func: Array, values: Array) -> dict[int, _Sum]:
    """Function id to the sum of its values."""
    keys, index = np.unique(func, return_inverse=True)
    counts, totals = np.bincount(index), np.bincount(index, weights=values)
    return dict(zip(keys.tolist(), map(_Sum, counts.tolist(), totals.tolist()), strict=True))


def _share(name: str, total: float, cycles: _Sum | None) -> float | None:
    if _BUSY not in name or cycles is None or not cycles.total:
        return None
    return total / cycles.total


def _functions(trace: Trace, table: Table) -> Array:
    """The function of each value's run."""
    tasks = trace.tasks.rows((trace.tasks["core"] != MISSING32) & (trace.tasks["token"] != MISSING))
    at = places(TaskKey.of(tasks), TaskKey.of(table))
    return np.append(tasks["func"], np.int32(MISSING32))[at]


def counter_section(counters: Counters, word: str = "function", most: int = _MOST) -> Section:
    """A table with one row per function and counter; `word` is what functions are called."""
    rows = counters.rows[:most]
    notes = []
    if len(counters.rows) > len(rows):
        hidden = len(counters.rows) - len(rows)
        notes.append(f"{count_text(hidden)} more rows are not shown; --json has all.")
    if counters.silent:
        notes.append(f"0 in every run: {', '.join(map(clean, counters.silent))}.")
    return Section(
        title=f"Counters per {word}",
        columns=(
            PageColumn(word, "text", tuple(row.function for row in rows), key=True),
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
    if answers.vocabulary.family == "streams":
        # Kernels and copies have columns of their own for these.
        rows = tuple(row for row in values.rows if row.counter not in (BYTES, *SHAPE))
        word = answers.vocabulary.function
        return [counter_section(Counters(rows, ()), word, _MOST_OF_STREAMS)] if rows else []
    word = answers.vocabulary.function
    return [counter_section(values, word)] if values.rows or values.silent else []


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
