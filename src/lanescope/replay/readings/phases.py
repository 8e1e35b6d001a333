"""The recorded phases of schedulers, and which of them take time from a scheduler's round."""

from __future__ import annotations

import numpy as np

from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

OUTER = ("complete", "async_poll", "dummy", "dispatch", "early_dispatch", "drain", "release")
"""Kinds of phase that follow each other in a scheduler's round. Others lie inside one of these."""


def scheduler_phases(trace: Trace) -> Table:
    """The rows of `phases` that belong to a scheduler and have a start and an end."""
    phases = trace.phases
    mine = (phases["lane"] == trace.code("scheduler")) & (phases["start_ns"] != MISSING)
    return phases.rows(np.flatnonzero(mine & (phases["end_ns"] != MISSING)))


def are_outer(trace: Trace, kind: Array) -> Array:
    """Which of these codes of phase kinds are OUTER."""
    return np.isin(kind, [trace.code(name) for name in OUTER])
