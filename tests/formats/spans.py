"""Lanes of a trace in the numbers that the answers of ../shared/data/traces/expected have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lanescope.trace import Trace

DATA = Path(__file__).parents[2] / "../shared/data/traces"


def spans(start: np.ndarray, end: np.ndarray) -> dict[str, int]:
    """Rows, sum, union, span and idle of intervals, as the answers count them."""
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reached = np.maximum.accumulate(end)
    before = np.r_[start[0], reached[:-1]]
    union = int(np.maximum(reached - np.maximum(start, before), 0).sum())
    span = int(end.max() - start.min())
    return {
        "rows": len(start),
        "sum_ns": int((end - start).sum()),
        "busy_union_ns": union,
        "span_ns": span,
        "idle_in_span_ns": span - union,
        "rows_starting_before_a_previous_end": int((start < before).sum()),
    }


def expected(block: dict[str, Any]) -> dict[str, int]:
    """The same figures of an answer."""
    keys = ("rows", "sum_ns", "busy_union_ns", "span_ns", "idle_in_span_ns")
    return {key: block[key] for key in (*keys, "rows_starting_before_a_previous_end")}


def lane_spans(trace: Trace, cores: list[int]) -> dict[str, int]:
    """The figures of the tasks on some lanes together."""
    mine = np.isin(trace.tasks["core"], cores)
    return spans(trace.tasks["start_ns"][mine], trace.tasks["end_ns"][mine])
