"""Threads that the operating system took off the processor, recognised from waits of tasks.

Only a run with its own values shows them: a pick-up, a setup, a dispatch or the seeing of an end
that takes much longer than others do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.analyze.columns.quantiles import median
from lanescope.analyze.cores.off_processor import OFF_NS, are_off
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replica, replay
from lanescope.trace.table import Array


def without_preemption(replica: Replica) -> Replica:
    """The replica in which no thread is off the processor: long waits are as the usual ones."""
    units = replica.units
    return replace(
        replica,
        units=replace(
            units,
            setups_ps=_shortened(units.setups_ps),
            own_ps={name: _shortened(values) for name, values in units.own_ps.items()},
        ),
    )


def _shortened(values_ps: Array) -> Array:
    """The values; those of threads that were off the processor are the median of the others."""
    off = are_off(values_ps, least=OFF_NS * PS)
    rest = values_ps[(values_ps >= 0) & ~off]
    return np.where(off, int(median(rest)) if len(rest) else -1, values_ps)


def off_processor(replica: Replica) -> float | None:
    """The part of the replayed makespan that is gone without preemption; None for a run without
    values of its own, in which none is recognised."""
    if replica.own is None:
        return None
    whole = replay(replica).makespan_ps
    return 1 - replay(without_preemption(replica)).makespan_ps / max(whole, 1)
