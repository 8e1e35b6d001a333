"""What the GPU tests of Triton share: PyTorch where it is, and what a whole trace is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.triton.on_cpu import NO_TRITON

from lanescope import Trace


def torch() -> Any:
    """PyTorch; the test is skipped where it, Triton or a GPU is missing."""
    pytest.importorskip("triton", reason=NO_TRITON)
    module = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not module.cuda.is_available():
        pytest.skip("no GPU")
    return module


def order(trace: Trace) -> list[tuple[int, int]]:
    """Cores and tasks in the order of their starts on each core."""
    rows = np.lexsort((trace.tasks["start_ns"], trace.tasks["core"]))
    return [(int(trace.tasks["core"][row]), int(trace.tasks["task"][row])) for row in rows]


def dealt(tasks: int, ctas: int, *, times: int = 1, first: int = 0) -> list[tuple[int, int]]:
    """The same of a kernel that was launched some times, whose CTAs take every so many-th task."""
    return [
        (first + cta, task)
        for cta in range(ctas)
        for _ in range(times)
        for task in range(cta, tasks, ctas)
    ]


def require_whole(trace: Trace) -> None:
    """Nothing was lost, and nothing was refused."""
    assert all(entry.closes for entry in trace.meta.ledger)
    assert sum(entry.dropped for entry in trace.meta.ledger) == 0
    assert not any("asked" in note for note in trace.meta.notes), trace.meta.notes


def span(trace: Trace, *, cores: range) -> tuple[int, int]:
    """When the first task of some cores began and the last one ended, in ns."""
    rows = np.isin(trace.tasks["core"], np.arange(cores.start, cores.stop))
    return int(trace.tasks["start_ns"][rows].min()), int(trace.tasks["end_ns"][rows].max())
