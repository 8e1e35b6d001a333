"""Zones of a device log: begins and ends paired, on their core and RISC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.ttmetal.log import END, MOMENT, START, DeviceLog
from lanescope.trace.table import Array

MOST_ZONES = 125
"""A RISC has room for this many zones per run; later ones are lost."""


@dataclass(frozen=True, slots=True)
class Zones:
    """One row per pair, sorted by core, RISC and begin; a moment is a zone without length."""

    core: Array
    """Index into `cores`."""
    cores: Array
    """(slot, x, y) of each core."""
    risc: Array
    zone: Array
    run: Array
    host_id: Array
    start: Array
    """In cycles."""
    end: Array
    unpaired: Array
    """Per core: begins and ends without a partner."""
    full: Array
    """Per core: RISCs that had as many zones in a run as they have room for."""


def paired(log: DeviceLog) -> Zones:
    """Pair every begin with the next end of the same name on its RISC; inner ones first."""
    cores, core = np.unique(
        np.stack([log.slot, log.x, log.y], axis=1).reshape(-1, 3), axis=0, return_inverse=True
    )
    core = core.reshape(-1)
    lane = core * (len(log.riscs) + 1) + log.risc
    rows = np.flatnonzero(log.type != MOMENT)
    # Of a begin and an end at the same cycle the end of an earlier zone comes first, as written.
    order = rows[np.lexsort((rows, log.time[rows], log.zone[rows], lane[rows]))]
    begin, end = _pairs(lane[order] * len(log.zones) + log.zone[order], log.type[order])
    first, last = order[begin], order[end]
    moments = np.flatnonzero(log.type == MOMENT)
    alone = np.setdiff1d(rows, np.concatenate([first, last]))
    unpaired = np.bincount(core[alone], minlength=len(cores))
    first, last = np.concatenate([first, moments]), np.concatenate([last, moments])
    sort = np.lexsort((-log.time[last], log.time[first], log.risc[first], core[first]))
    first, last = first[sort], last[sort]
    return Zones(
        core=core[first],
        cores=cores,
        risc=log.risc[first],
        zone=log.zone[first],
        run=log.run[first],
        host_id=log.host_id[first],
        start=log.time[first],
        end=log.time[last],
        unpaired=unpaired,
        full=_full(lane[first], log.run[first], core[first], len(cores)),
    )


def _pairs(group: Array, type_: Array) -> tuple[Array, Array]:
    """Places of begins and their ends; a begin belongs to the end that closes its level.

    Rows are sorted by group, then time. The level of a begin is the number of zones that are open
    after it, that of an end the number before it: in one level begins and ends take turns.
    """
    step = np.where(type_ == START, 1, -1)
    after = np.cumsum(step)
    level = np.where(type_ == START, after, after + 1)
    order = np.lexsort((np.arange(len(group)), level, group))
    same = (group[order][1:] == group[order][:-1]) & (level[order][1:] == level[order][:-1])
    turn = (type_[order][:-1] == START) & (type_[order][1:] == END) & same
    at = np.flatnonzero(turn)
    return order[at], order[at + 1]


def _full(lane: Array, run: Array, core: Array, cores: int) -> Array:
    """Per core, how many of its RISCs had no room left in some run."""
    if not len(lane):
        return np.zeros(cores, np.int64)
    _, first, count = np.unique(
        np.stack([lane, run], axis=1), axis=0, return_index=True, return_counts=True
    )
    at = first[count >= MOST_ZONES]
    _, one = np.unique(lane[at], return_index=True)
    return np.bincount(core[at[one]], minlength=cores)
