"""What the cores waited for, as the page shows it: a column per reason, and the verdict's sums."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.analyze.analysis import Basis
from lanescope.analyze.cores.gaps import Intervals, lost_intervals
from lanescope.analyze.cores.verdict import KindVerdict
from lanescope.analyze.cores.waiting import REASONS, CoreActivity
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.before import idle_before
from lanescope.analyze.streams.breakdown import breakdown
from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.trace.table import Array
from lanescope.trace.vocabulary import vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Waits:
    """What the page shows of waiting."""

    columns: dict[str, Array] = field(default_factory=dict)
    """Per reason, a column over the task table: how long the core waited before the row, in ns."""
    reasons: tuple[dict[str, Any], ...] = ()
    """The verdict's sums over all cores of the chip, in its order."""
    lost: Intervals | None = None
    """The times in which records of a core may be missing."""


def waits_of(basis: Basis, chip: KindVerdict | None = None) -> Waits:
    """The waits of a trace; empty where no task has times, and for slices on tracks.

    `chip` is the verdict on all cores, which the page's legend repeats.
    """
    trace, activity = basis.trace, basis.activity
    if vocabulary(trace).family == "streams":
        return _waits_of_streams(basis.of_streams())
    if activity is None:
        return Waits()
    shares = () if chip is None else chip.shares
    return Waits(
        _columns(activity, len(trace.tasks)),
        tuple({"what": one.what, "label": one.label, "ns": one.ns} for one in shares),
        lost_intervals(trace, activity.window),
    )


def _waits_of_streams(basis: StreamBasis) -> Waits:
    """How long streams were idle before each row, and the sums over all streams."""
    before = idle_before(basis)
    sums = [(what, label, int(before[what].sum())) for what, label in IDLE_LABELS.items()]
    running = sum(stream.busy_ns for stream in breakdown(basis.work).streams)
    return Waits(
        {f"wait_{what}": column for what, column in before.items() if column.any()},
        tuple(
            {"what": what, "label": label, "ns": ns}
            for what, label, ns in [("running", "running", running), *sums]
        ),
    )


def _columns(activity: CoreActivity, rows: int) -> dict[str, Array]:
    """The columns of the reasons for which any core waited."""
    before = activity.waits().before
    columns = {}
    for reason in REASONS:
        most = before[reason].max(initial=0)
        if most >= 0.5:
            column = np.zeros(rows, np.int32 if most < 2**30 else np.int64)
            column[activity.rows] = np.rint(before[reason])
            columns[f"wait_{reason}"] = column
    return columns
