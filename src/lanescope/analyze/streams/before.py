"""How long streams were idle before each row, by reason."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.gaps import idle_gaps
from lanescope.analyze.streams.reasons import IDLE_LABELS, Reasoning
from lanescope.trace.table import Array


def idle_before(basis: StreamBasis) -> dict[str, Array]:
    """Reason to nanoseconds, by row of the trace's tasks."""
    work = basis.work
    rule = Reasoning(basis.trace, work, basis.host)
    columns = {what: np.zeros(len(basis.trace.tasks), np.int64) for what in IDLE_LABELS}
    for lane, rows in work.slices():
        start, end = work.start[rows], work.end[rows]
        gaps = idle_gaps(start, end, (int(start[0]), int(end.max())))
        mine = np.arange(lane.first, lane.last)
        found = rule.of_gaps(gaps, mine, lane.device)
        at = work.row[mine[gaps.after]]
        for what, ns in found.by.items():
            columns[what][at] = ns
    return columns
