"""Zones of a device log: begins and ends paired, on their core and RISC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.ttmetal.log import END, GRID, MOMENT, START, DeviceLog
from lanescope.trace.numbering import different, numbered
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
    places, core = numbered((log.slot * GRID + log.x) * GRID + log.y)
    cores = np.stack([places // GRID // GRID, places // GRID % GRID, places % GRID], axis=1)
    lane = core * (len(log.riscs) + 1) + log.risc
    rows = np.flatnonzero(log.type != MOMENT)
    # Of a begin and an end at the same cycle that comes first which was written first.
    group = lane * len(log.zones) + log.zone
    order = rows[np.lexsort((log.time[rows], group[rows]))]
    begin, end = _pairs(group[order], log.type[order])
    first, last = order[begin], order[end]
    moments = np.flatnonzero(log.type == MOMENT)
    is_alone = log.type != MOMENT
    is_alone[first], is_alone[last] = False, False
    alone = np.flatnonzero(is_alone)
    unpaired = np.bincount(core[alone], minlength=len(cores))
    first, last = np.concatenate([first, moments]), np.concatenate([last, moments])
    sort = np.lexsort((-log.time[last], log.time[first], lane[first]))
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
    order = np.lexsort((level, group))
    same = (group[order][1:] == group[order][:-1]) & (level[order][1:] == level[order][:-1])
    turn = (type_[order][:-1] == START) & (type_[order][1:] == END) & same
    at = np.flatnonzero(turn)
    return order[at], order[at + 1]


def _full(lane: Array, run: Array, core: Array, cores: int) -> Array:
    """Per core, how many of its RISCs had no room left in some run."""
    if not len(lane):
        return np.zeros(cores, np.int64)
    pairs, place = numbered(lane * (int(run.max()) + 1) + run)
    full = different(pairs[np.bincount(place) >= MOST_ZONES] // (int(run.max()) + 1))
    core_of = np.zeros(int(lane.max()) + 1, np.int64)
    core_of[lane] = core
    return np.bincount(core_of[full], minlength=cores)
