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
    arguments: tuple[range, ...] = ()
    """Numbers of the arguments that are captured; empty: all of them."""

    def has(self, argument: int) -> bool:
        """Say whether an argument is captured, by its number."""
        return not self.arguments or any(argument in numbers for numbers in self.arguments)


def select(text: str, graph: TaskGraph) -> Selection:
    """Read a selection like `add,17,20-30,arg1,outputs`.

    Functions and tasks are added together. A stage keeps only that stage, and argN that argument.
    Empty selects all.
    """
    if graph.arguments is None:
        raise UsageError(
            f"{graph.name} works on no arrays, so there is nothing to dump; the built-in workloads "
            f"that do are {', '.join(COMPUTING)}"
        )
    parts = [part.strip() for part in text.split(",")] if text else []
    stages = {STAGES[part] for part in parts if _is_stage(part, graph)}
    parts = [part for part in parts if not _is_stage(part, graph)]
    arguments = [numbers for part in parts if (numbers := _arguments(part, graph)) is not None]
    chosen = [_tasks(part, graph) for part in parts if _arguments(part, graph) is None]
    having = graph.arguments.by_task.keys()
    tasks = having & set().union(*chosen) if chosen else having
    if not tasks:
        names = sorted({graph.functions[graph.func[task]] for task in having})
        raise UsageError(
            f"none of the tasks {text!r} of {graph.name} works on arrays; those of function "
            f"{', '.join(names)} do"
        )
    return Selection(frozenset(tasks), frozenset(stages or STAGES.values()), tuple(arguments))


def _is_stage(part: str, graph: TaskGraph) -> bool:
    """Say whether a part is a stage; a function of that name comes first."""
    return part in STAGES and part not in graph.functions


def _arguments(part: str, graph: TaskGraph) -> range | None:
    """Return the numbers of argN or argN-M; None where the part is no argument."""
    numbers = _TASKS.fullmatch(part.removeprefix("arg"))
    if not part.startswith("arg") or part in graph.functions or not numbers:
        return None
    first, last = int(numbers[1]), int(numbers[2] or numbers[1])
    return range(first, last + 1) if first <= last else None


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
        f"{', '.join(graph.functions)}, its tasks 0 to {len(graph) - 1} (like 17 or 10-20), arg1 "
        "is an argument, and inputs or outputs chooses one of both"
    )
