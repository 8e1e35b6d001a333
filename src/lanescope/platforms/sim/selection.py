"""Which tasks are dumped, and at which moments: --dump-tensors=SELECT."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lanescope.dump.manifest import AFTER, BEFORE, Stage
from lanescope.errors import UsageError
from lanescope.workloads import COMPUTING
from lanescope.workloads.graph import TaskGraph

STAGES = {"inputs": BEFORE, "outputs": AFTER}
"""Word of a selection to the stage that it selects."""

_TASKS = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Selection:
    """Tasks with arrays, and the moments at which the arrays are captured."""

    tasks: frozenset[int]
    stages: frozenset[Stage]


def select(text: str, graph: TaskGraph) -> Selection:
    """Read a selection like `add,17,20-30,outputs`.

    Functions and tasks are added together. A stage keeps only that stage. Empty selects all.
    """
    if graph.arguments is None:
        raise UsageError(
            f"{graph.name} works on no arrays, so there is nothing to dump; the built-in workloads "
            f"that do are {', '.join(COMPUTING)}"
        )
    parts = [part.strip() for part in text.split(",")] if text else []
    stages = {STAGES[part] for part in parts if _is_stage(part, graph)}
    chosen = [_tasks(part, graph) for part in parts if not _is_stage(part, graph)]
    having = graph.arguments.by_task.keys()
    tasks = having & set().union(*chosen) if chosen else having
    if not tasks:
        names = sorted({graph.functions[graph.func[task]] for task in having})
        raise UsageError(
            f"none of the tasks {text!r} of {graph.name} works on arrays; those of function "
            f"{', '.join(names)} do"
        )
    return Selection(frozenset(tasks), frozenset(stages or STAGES.values()))


def _is_stage(part: str, graph: TaskGraph) -> bool:
    """Say whether a part is a stage; a function of that name comes first."""
    return part in STAGES and part not in graph.functions


def _tasks(part: str, graph: TaskGraph) -> Iterable[int]:
    if part in graph.functions:
        tasks: list[int] = np.flatnonzero(graph.func == graph.functions.index(part)).tolist()
        return tasks
    numbers = _TASKS.fullmatch(part)
    if numbers:
        first = int(numbers[1])
        last = int(numbers[2] or first)
        if first <= last < len(graph):
            return range(first, last + 1)
    raise UsageError(
        f"expected a function or a task of {graph.name}, found {part!r}; its functions are "
        f"{', '.join(graph.functions)}, its tasks 0 to {len(graph) - 1} (like 17 or 10-20), and "
        "inputs or outputs chooses one of both"
    )
