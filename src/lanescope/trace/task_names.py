"""What a task is called where people read it: the one place that turns a task id into text."""

from __future__ import annotations

import numpy as np

from lanescope.trace.run_parts import run_name
from lanescope.trace.schema import MISSING
from lanescope.trace.task_ids import id_text
from lanescope.trace.trace import Trace
from lanescope.trace.trace_ids import source_ids


def task_text(trace: Trace, task: int) -> str:
    """The task's id as its runtime prints it; with its run where the trace has several."""
    own = int(source_ids(trace, np.array([task]))[0])
    text = id_text(trace.meta.task_ids, own if own != MISSING else task)
    if len(trace.runs) < 2:
        return text
    rows = np.flatnonzero(trace.tasks["task"] == task)
    run = trace.tasks["run"][rows[:1]].tolist()
    at = np.flatnonzero(trace.runs["run"] == run[0]).tolist() if run else []
    return f"{text} of {run_name(trace, at[0])}" if at else text
