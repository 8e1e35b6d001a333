"""The driver's trace channels, as others describe them: the alternative to draining the engines.

This is a model of published behaviour, not of a driver (hw-native-sys/simpler issue #905, and the
channel numbers of the public CANN driver tools). Few cores have channels. A channel brings one
batch. Counts vary about tenfold from run to run (75 k against 726 k records). To stop a channel
takes 3 to 4 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.perfmon import sub_cores
from lanescope.trace import MISSING, LedgerEntry, Trace

CORE_SOURCES = ("perfmon", "driver")
FIRST_CHANNEL = 11
SUB_CORES = 3
"""Channels of a cluster: one for the cube core and one for each of two vector cores."""
LEAST_SHARE = 75 / 726
"""The smallest share of the records that arrives; the largest is 1. How the share varies between
the two is not published. Its logarithm is taken as uniformly distributed."""
STOP_S = (3.0, 4.0)
"""Shortest and longest time to stop a channel, in seconds."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the channels of one run brought."""

    records: dict[int, int]
    """Core to its records, for the cores that have a channel."""
    stop_s: float
    """How long it took to stop all channels, in seconds."""


def covered_clusters(clusters: int) -> tuple[int, ...]:
    """Return the clusters whose cores have channels."""
    if clusters <= 18:
        covered = {0, clusters // 2, clusters - 1}
    else:
        lower = clusters // 2
        covered = {0, lower // 2, lower - 1, lower, clusters - lower // 2, clusters - 1}
    return tuple(sorted(covered))


def channels(chip: Chip) -> dict[int, int]:
    """Return the channel of each core that has one, by core."""
    groups = {cluster: group for group, cluster in enumerate(covered_clusters(chip.clusters))}
    places = enumerate(zip(chip.clusters_of(), sub_cores(chip), strict=True))
    return {
        core: FIRST_CHANNEL + SUB_CORES * groups[cluster] + place
        for core, (cluster, place) in places
        if cluster in groups and place < SUB_CORES
    }


def share_of_run(*seed: int) -> float:
    """Return the share of their cores' records that all channels of a run bring.

    It is one share per run, because the published counts are those of whole runs.
    """
    (chance,) = _chances(1, *seed)
    return float(LEAST_SHARE ** (1 - chance))


def deliver(chip: Chip, made: Sequence[int], *seed: int) -> Delivery:
    """Return what the channels bring of the records that each core made; a seed repeats it.

    The first read of a channel takes all that is there, and later reads get nothing. So a channel
    brings only a part of its core's records.
    """
    share, own = share_of_run(*seed), channels(chip)
    waits = _chances(len(own), *seed, 1)
    return Delivery(
        records={core: round(made[core] * share) for core in own},
        stop_s=sum(STOP_S[0] + (STOP_S[1] - STOP_S[0]) * wait for wait in waits),
    )


def _chances(count: int, *seed: int) -> list[float]:
    """Draw numbers from 0 to 1."""
    draws = np.random.PCG64(np.array(seed, np.uint64)).random_raw(count)
    chances: list[float] = ((draws >> np.uint64(11)).astype(np.float64) / 2**53).tolist()
    return chances


# ---- a trace as it would have come -----------------------------------------------------------

NOTE = (
    "Marks are those that the driver's channels would have brought, by a model of what is "
    "published about them: few cores, one batch of each; nothing was measured on a chip."
)
_OWN_KINDS = ("burst", "engine chunk", "chunk", "mark")


def without_drains(chip: Chip) -> Chip:
    """Return the chip with engines that nobody drains, which cost the controllers nothing."""
    assert chip.perfmon is not None
    return replace(chip, perfmon=replace(chip.perfmon, drain_ps=0, burst_ps=0))


def through_channels(trace: Trace, chip: Chip, *seed: int) -> Trace:
    """Keep only the marks that the channels bring: the first ones of each core with a channel."""
    marks, covered, share = trace.marks, channels(chip), share_of_run(*seed)
    when = np.where(marks["start_ns"] == MISSING, marks["end_ns"], marks["start_ns"])
    order = np.lexsort((when, marks["core"]))
    keep = np.zeros(len(order), bool)
    entries = []
    for core in np.unique(marks["core"]).tolist():
        rows = order[marks["core"][order] == core]
        kept = round(len(rows) * share) if core in covered else 0
        keep[rows[:kept]] = True
        why = "came after the channel's one batch" if core in covered else "the core has no channel"
        reason = f"{len(rows) - kept}: {why}"
        entries.append(
            LedgerEntry(
                f"core {core}", "driver record", len(rows), kept, len(rows) - kept, 0, reason
            )
        )
    ledger = tuple(entry for entry in trace.meta.ledger if entry.kind not in _OWN_KINDS)
    return replace(trace, marks=marks.rows(np.flatnonzero(keep))).with_meta(
        ledger=(*ledger, *entries), notes=(*trace.meta.notes, NOTE)
    )
