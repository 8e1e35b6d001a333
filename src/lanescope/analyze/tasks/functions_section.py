"""The sections about what each function cost: time on the core, time on the way there and back."""

from __future__ import annotations

from collections.abc import Sequence

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.tasks.functions import FunctionCost, Functions, functions
from lanescope.analyze.tasks.spread import Mean
from lanescope.render.cells import count_text, many_text
from lanescope.render.page import Cell, PageColumn, Section

_MAX_FUNCTIONS = 40
_BRIEF = 4
"""Functions on the short page."""


def function_sections(functions: Functions) -> list[Section]:
    """Two tables: time on the core, and time from dispatch to finish. None when nothing ran."""
    if functions.total is None:
        return []
    rows = [*functions.rows[:_MAX_FUNCTIONS], functions.total]
    keys = _function_keys(rows)
    on_core = Section(
        title="Functions: time on the core",
        columns=(*keys, *_exec_columns(rows, functions.total)),
        notes=_function_notes(functions),
    )
    on_the_way = Section(
        title="Functions: from dispatch to finish",
        columns=(*keys, *_latency_columns(rows)),
        notes=_latency_notes(functions),
    )
    return [on_core, on_the_way]


def _function_keys(rows: list[FunctionCost]) -> tuple[PageColumn, ...]:
    return (
        PageColumn(
            "id", "text", tuple("" if r.func is None else str(r.func) for r in rows), key=True
        ),
        PageColumn("function", "text", tuple(row.name for row in rows), key=True),
    )


def _exec_columns(rows: list[FunctionCost], total: FunctionCost) -> tuple[PageColumn, ...]:
    whole = total.exec.total_ns
    shares = tuple(row.exec.total_ns / whole if whole else None for row in rows)
    return (
        PageColumn("count", "count", tuple(row.count for row in rows)),
        PageColumn("total", "time", tuple(row.exec.total_ns for row in rows)),
        PageColumn("share", "percent", shares),
        PageColumn("mean", "time", tuple(row.exec.mean_ns for row in rows), scale="run"),
        PageColumn("p50", "time", tuple(row.exec.p50_ns for row in rows), scale="run"),
        PageColumn("p99", "time", tuple(row.exec.p99_ns for row in rows), scale="run"),
        PageColumn("min", "time", tuple(row.exec.min_ns for row in rows), scale="run"),
        PageColumn("max", "time", tuple(row.exec.max_ns for row in rows), scale="run"),
    )


def _latency_columns(rows: list[FunctionCost]) -> tuple[PageColumn, ...]:
    latencies = [row.latency for row in rows]
    times: dict[str, tuple[Cell, ...]] = {
        "latency": _means(latencies),
        "p50": tuple(spread.p50_ns if spread else None for spread in latencies),
        "p99": tuple(spread.p99_ns if spread else None for spread in latencies),
        "tail": _means([row.tail for row in rows]),
        "head": _means([row.head for row in rows]),
        "propagation": _means([row.propagation for row in rows]),
        "setup": _means([row.setup for row in rows]),
    }
    columns = [PageColumn(name, "time", c, scale="way", kept=True) for name, c in times.items()]
    share = PageColumn("exec", "percent", tuple(row.exec_share for row in rows), kept=True)
    return (*columns[:3], share, *columns[3:])


def _means(means: Sequence[Mean | None]) -> tuple[Cell, ...]:
    return tuple(mean.mean_ns if mean else None for mean in means)


def _function_notes(functions: Functions) -> tuple[str, ...]:
    notes = []
    if len(functions.rows) > _MAX_FUNCTIONS:
        hidden = functions.rows[_MAX_FUNCTIONS:]
        notes.append(f"{count_text(len(hidden))} functions with less total time are not shown.")
    if functions.without_exec:
        notes.append(f"{count_text(functions.without_exec)} runs without times are left out.")
    if functions.never_ran:
        notes.append(f"{count_text(functions.never_ran)} declared functions did not run.")
    return tuple(notes)


def _latency_notes(functions: Functions) -> tuple[str, ...]:
    if functions.total is not None and functions.total.latency is None:
        return ("No dispatch and no finish was recorded; setup: receive to start.",)
    notes = ["tail: end to finish; head: dispatch to start = propagation (to receive) + setup."]
    if functions.without_latency:
        left_out = count_text(functions.without_latency)
        notes.append(f"{left_out} runs without dispatch or finish are in no latency.")
    return tuple(notes)


def _brief(functions: Functions, answers: Answers) -> list[Section]:
    """The functions that took most, in five columns."""
    if functions.total is None:
        return []
    rows = functions.rows[:_BRIEF]
    whole = functions.total.exec.total_ns
    hidden = len(functions.rows) - len(rows)
    shares = tuple(row.exec.total_ns / whole if whole else None for row in rows)
    return [
        Section(
            title="Functions, by time on the cores",
            columns=(
                PageColumn("function", "text", tuple(row.name for row in rows), key=True),
                PageColumn("runs", "count", tuple(row.count for row in rows)),
                PageColumn("total", "time", tuple(row.exec.total_ns for row in rows)),
                PageColumn("share", "percent", shares),
                PageColumn("mean", "time", tuple(row.exec.mean_ns for row in rows), scale="run"),
                PageColumn("p99", "time", tuple(row.exec.p99_ns for row in rows), scale="run"),
            ),
            notes=(f"{many_text(hidden, 'more function')}.",) if hidden else (),
        )
    ]


def _sections(functions: Functions, answers: Answers) -> list[Section]:
    return function_sections(functions)


def _answer(basis: Basis) -> Functions:
    return functions(basis.trace)


FUNCTIONS = Analysis(
    name="functions",
    question="What did each function cost on the core, and on the way there and back?",
    answer=_answer,
    families=frozenset({"cores"}),
    sections=_sections,
    brief=_brief,
    place=60,
    keys="rows and total: func, name, count, exec, latency, exec_share, head, tail, propagation, "
    "setup; exec and latency are [count, total_ns, min_ns, p50_ns, p99_ns, max_ns, mean_ns], "
    "the last four [count, total_ns, mean_ns]; without_exec, without_latency, never_ran",
)
