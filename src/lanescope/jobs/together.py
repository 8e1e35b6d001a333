"""Which collectives end together, and what their ends say about clocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.jobs.arrivals import MESSAGE, TOGETHER, Arrivals
from lanescope.jobs.ends import Ends, RankFit, fit, with_error
from lanescope.trace.table import Array

_FEW = 5
"""From so many collectives on, clocks may drift; fewer cannot tell."""
_USUAL_DRIFT = 50e-6
"""Clocks of machines drift by less than this against each other. Where the ends tell drift worse
than that, none is looked for, and this much is added to the error."""
_CLEARLY, _CLEARLY_NS = 1.2, 5_000
_SOME = 0.05
"""A sender waits for its receiver when this part of its messages take clearly longer there."""
_IMPOSSIBLE = 0.1
"""A group is no group when this part of its collectives contradicts itself."""


def together(
    arrivals: Arrivals, start: Array, end: Array, resolution: Array
) -> tuple[Array, list[str], RankFit]:
    """The collectives that clocks can be found from, the groups refused, and the clocks."""
    mask = (arrivals.tie == TOGETHER) | _rendezvous(arrivals)
    refused: list[str] = []
    while True:
        found = _fit(arrivals, mask, end, resolution)
        wrong = _contradictions(arrivals, mask, (start, end), found)
        if not len(wrong):
            return mask, refused, found
        mask = mask & ~np.isin(arrivals.group, wrong)
        refused += [arrivals.groups[group] for group in wrong.tolist()]


def _rendezvous(arrivals: Arrivals) -> Array:
    """Messages whose sender waits for the receiver: both end together.

    A sender that leaves at once never takes longer than its receiver. So where some do, of the
    same two ranks and the same size, all of these are taken to wait. No clock is needed for that.
    """
    mask = np.zeros(len(arrivals), bool)
    messages = np.flatnonzero((arrivals.tie == MESSAGE) & (arrivals.root >= 0))
    if not len(messages):
        return mask
    first = arrivals.first[messages]
    sends = arrivals.rank[first] == arrivals.root[messages]
    length = arrivals.end - arrivals.start
    sent = np.where(sends, length[first], length[first + 1])
    received = np.where(sends, length[first + 1], length[first])
    other = np.where(sends, arrivals.rank[first + 1], arrivals.rank[first])
    keys = np.stack([arrivals.root[messages], other, arrivals.bytes[messages]], axis=1)
    place = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    longer = sent > _CLEARLY * received + _CLEARLY_NS
    share = np.bincount(place, weights=longer) / np.bincount(place)
    mask[messages] = share[place] >= _SOME
    return mask


def _fit(arrivals: Arrivals, mask: Array, end: Array, resolution: Array) -> RankFit:
    """Clocks by the ends; a second time with kinds weighted by how well their ends agree."""
    rows = np.flatnonzero(mask[arrivals.collective])
    collective = np.unique(arrivals.collective[rows], return_inverse=True)[1]
    rank, times = arrivals.rank[rows], end[rows]
    ends = Ends(collective, rank, times, np.ones(len(rows)), len(resolution))
    found = fit(ends, drift=False)
    if not len(rows):
        return found
    drift = _tells_drift(ends, found)
    if drift:
        found = fit(ends, drift=True)
    kind = arrivals.kind[arrivals.collective[rows]]
    usual = np.zeros(len(arrivals.kinds))
    for one in np.unique(kind).tolist():
        usual[one] = max(float(np.median(np.abs(found.residual[kind == one]))), 1.0)
    if len(np.unique(kind)) > 1:
        ends = replace(ends, weight=1.0 / usual[kind])
        found = fit(ends, drift=drift)
    found = with_error(ends, found, resolution, drift=drift)
    if drift:
        return found
    return replace(found, error=found.error + _USUAL_DRIFT * float(np.ptp(found.moment)) / 2)


def _tells_drift(ends: Ends, found: RankFit) -> bool:
    """Whether drift comes out better than what is known of clocks anyway."""
    if ends.collectives < _FEW:
        return False
    per_rank = len(ends.end) / max(len(np.unique(ends.rank)), 1)
    spread = float(found.moment.std()) * np.sqrt(per_rank)
    return bool(float(np.median(np.abs(found.residual))) < _USUAL_DRIFT * spread)


def _contradictions(
    arrivals: Arrivals, mask: Array, times: tuple[Array, Array], found: RankFit
) -> Array:
    """Groups in which ranks end before others have begun, more often than clocks explain."""
    start, end = (_placed(found, arrivals.rank, one) for one in times)
    if not len(arrivals):
        return np.zeros(0, np.int64)
    first = arrivals.first[:-1]
    last_start = np.maximum.reduceat(start, first)
    first_end = np.minimum.reduceat(end, first)
    slack = 2 * np.maximum.reduceat(found.error[arrivals.rank], first) + _usual_spread(found)
    wrong = mask & (last_start - first_end > slack)
    groups = len(arrivals.groups)
    share = np.bincount(arrivals.group[wrong], minlength=groups) / np.maximum(
        np.bincount(arrivals.group[mask], minlength=groups), 1
    )
    result: Array = np.flatnonzero(share > _IMPOSSIBLE)
    return result


def _usual_spread(found: RankFit) -> float:
    return 20 * float(np.median(np.abs(found.residual))) if len(found.residual) else 0.0


def _placed(found: RankFit, rank: Array, time: Array) -> Array:
    plain = time - found.offset[rank]
    result: Array = plain - found.drift[rank] * (plain - found.middle)
    return result
