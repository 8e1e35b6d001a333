"""What the cores of each kind did with the whole window: ran, or waited, and for what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.before_start import REASONS, before_start
from lanescope.analyze.cores import UNKNOWN, core_kinds
from lanescope.analyze.makespan import makespan
from lanescope.trace.trace import Trace

PARTS = ("running", *REASONS, "done")
"""`done` is after a core's last task; a core that ran nothing is done all the time."""


@dataclass(frozen=True, slots=True)
class WaitShare:
    """The cores of one kind; the parts add up to cores x window."""

    kind: str
    cores: int
    total_ns: int
    part_ns: dict[str, int]


def wait_shares(trace: Trace) -> tuple[WaitShare, ...]:
    """One row per kind of core, in the order of the cores table."""
    found = makespan(trace)
    if found.window is None:
        return ()
    waits = before_start(trace)
    kinds = core_kinds(trace)
    ids, place = np.unique(trace.tasks["core"][waits.row], return_inverse=True)
    kind_of = np.array([kinds.get(core, UNKNOWN) for core in ids.tolist()], object)
    per_core = {
        reason: np.bincount(place, weights=length, minlength=len(ids))
        for reason, length in waits.columns().items()
    }
    rows = []
    for use in found.kinds:
        mine = kind_of == use.kind
        parts = {reason: int(sums[mine].sum()) for reason, sums in per_core.items()}
        total = use.cores * found.window.length_ns
        used = use.busy_ns + sum(parts.values())
        ordered = {"running": use.busy_ns, **parts, "done": max(total - used, 0)}
        rows.append(WaitShare(use.kind, use.cores, total, ordered))
    return tuple(rows)
