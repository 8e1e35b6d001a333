"""What rows, cores and lists of them are called in the sentences of a check."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lanescope.render.cells import count_text, many_text
from lanescope.trace import MISSING, Trace
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.task_names import task_text

MOST_NAMED = 4
"""So many of a list are named; of the others only the number is said."""


def core_name(trace: Trace, core: int) -> str:
    """A core by its number; where there are several ranks, as the trace calls it."""
    ranks = trace.cores["rank"]
    if (ranks != MISSING32).any():
        at = np.flatnonzero(trace.cores["core"] == core).tolist()
        if at:
            return trace.cores.text("name")[at[0]]
    return f"core {core}"


def row_name(trace: Trace, row: int) -> str:
    """A row of `tasks`: core, token and task, as far as they are known."""
    tasks = trace.tasks
    parts = [core_name(trace, int(tasks["core"][row]))]
    if tasks["token"][row] != MISSING:
        parts.append(f"token {int(tasks['token'][row])}")
    if tasks["task"][row] != MISSING:
        parts.append(f"task {task_text(trace, int(tasks['task'][row]))}")
    return " ".join(parts)


def rows_text(trace: Trace, rows: Array) -> str:
    """The first rows by name, and how many more there are."""
    return listed([row_name(trace, row) for row in rows[:MOST_NAMED].tolist()], len(rows))


def tasks_text(trace: Trace, tasks: Sequence[int]) -> str:
    """The first tasks by name, and how many more there are."""
    return listed([task_text(trace, one) for one in tasks[:MOST_NAMED]], len(tasks))


def listed(names: Sequence[str], number: int | None = None) -> str:
    """Names with commas; those beyond MOST_NAMED are only counted."""
    number = len(names) if number is None else number
    shown = list(names[:MOST_NAMED])
    more = number - len(shown)
    return ", ".join(shown) + (f" and {count_text(more)} more" if more > 0 else "")


def per_core_text(trace: Trace, cores: Array) -> str:
    """How many of the rows are on which core, the most first."""
    names, counts = np.unique(cores, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    texts = [
        f"{core_name(trace, core)}: {count_text(count)}"
        for core, count in zip(names[order].tolist(), counts[order].tolist(), strict=True)
    ]
    return listed(texts)


def are(number: int, thing: str) -> str:
    """`1 task is`, `2 tasks are`."""
    return f"{many_text(number, thing)} {'is' if number == 1 else 'are'}"


def have(number: int, thing: str) -> str:
    """`1 task has`, `2 tasks have`."""
    return f"{many_text(number, thing)} {'has' if number == 1 else 'have'}"
