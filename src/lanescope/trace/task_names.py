"""What a task is called where people read it: the one place that turns a task id into text."""

from __future__ import annotations

from lanescope.trace.trace import Trace


def task_text(trace: Trace, task: int) -> str:
    """The task's id as people read it."""
    return str(task)
