"""Figures of a trace of streams, computed in plain numpy, in the form of the reference answers.

`../shared/data/traces/expected` holds the answers of a reading that is not ours.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lanescope.trace import MISSING, Trace

DATA = Path(__file__).parents[3] / "../shared/data/traces"


def expected(name: str) -> dict[str, Any]:
    """The reference answers of one data set."""
    answer: dict[str, Any] = json.loads((DATA / "expected" / f"{name}.json").read_text())
    return answer


def union(start: np.ndarray, end: np.ndarray) -> list[tuple[int, int]]:
    """The intervals that are left when those that overlap or touch are joined."""
    joined: list[tuple[int, int]] = []
    for s, e in sorted(zip(start.tolist(), end.tolist(), strict=True)):
        if joined and s <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(e, joined[-1][1]))
        else:
            joined.append((s, e))
    return joined


def length(intervals: list[tuple[int, int]]) -> int:
    """How long the intervals are together."""
    return sum(end - start for start, end in intervals)


def block(trace: Trace, rows: np.ndarray, *, zero: int = 0) -> dict[str, int]:
    """The figures of some task rows; `zero` is the file's time at 0 ns of the trace."""
    start, end = trace.tasks["start_ns"][rows], trace.tasks["end_ns"][rows]
    busy = length(union(start, end))
    span = int(end.max() - start.min())
    return {
        "rows": len(start),
        "sum_ns": int((end - start).sum()),
        "busy_union_ns": busy,
        "first_start_ns": int(start.min()) + zero,
        "last_end_ns": int(end.max()) + zero,
        "span_ns": span,
        "idle_in_span_ns": span - busy,
        "zero_length_rows": int((start == end).sum()),
    }


def works(trace: Trace) -> np.ndarray:
    """Per task row: what its function does."""
    known = np.array(trace.text("functions", "work"), object)
    found: np.ndarray = known[trace.tasks["func"]]
    return found


def names(trace: Trace) -> np.ndarray:
    """Per task row: the name of its function."""
    found: np.ndarray = np.array(trace.text("functions", "name"), object)[trace.tasks["func"]]
    return found


def calls(trace: Trace) -> np.ndarray:
    """Per task row: the row of `phases` that launched it, -1 where there is none."""
    phases = trace.phases
    own = {
        int(launch): row
        for row, launch in enumerate(phases["launch"].tolist())
        if launch != MISSING
    }
    return np.array([own.get(launch, -1) for launch in trace.tasks["launch"].tolist()])
