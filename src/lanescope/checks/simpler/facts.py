"""Numbers of the runtime that tell what can have happened."""

from __future__ import annotations

from lanescope.trace import Trace
from lanescope.trace.task_rows import CONTROLLER_TASK, CORE_TASK

BUFFER_RECORDS = {CORE_TASK: 1024, CONTROLLER_TASK: 1000}
"""Rows in one buffer of a core, and of a scheduler for a core.

Source: AICORE_BUFFER_SIZE and PROF_BUFFER_SIZE in the runtime's platform configuration, 2026-08.
"""


def is_of_runtime(trace: Trace) -> bool:
    """Whether a trace was made from a records file of the runtime."""
    return "generation" in trace.meta.extra


def buffer_records(trace: Trace, records: str) -> int | None:
    """How many records of a kind one buffer held; None where that is not known."""
    recording = trace.meta.recording
    if recording is not None and records in recording.buffers:
        return recording.buffers[records].records
    return BUFFER_RECORDS.get(records) if is_of_runtime(trace) else None
