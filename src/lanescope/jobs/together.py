"""Which collectives end together, and what their ends say about clocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.jobs.arrivals import TOGETHER, Arrivals
from lanescope.jobs.ends import Ends, RankFit, fit
from lanescope.trace.table import Array

_FEW = 5
"""From so many collectives on, clocks may drift; fewer cannot tell."""
_LONG_NS = 1e9
"""Drift is looked for in jobs that are longer than this."""
_IMPOSSIBLE = 0.1
"""A group is no group when this part of its collectives contradicts itself."""


def together(
    arrivals: Arrivals, start: Array, end: Array, resolution: Array
) -> tuple[Array, list[str], RankFit]:
    """The collectives that clocks can be found from, the groups refused, and the clocks."""
    mask = arrivals.tie == TOGETHER
    refused: list[str] = []
    while True:
        found = _fit(arrivals, mask, end, resolution)
        wrong = _contradictions(arrivals, mask, (start, end), found)
        if not len(wrong):
            return mask, refused, found
        mask = mask & ~np.isin(arrivals.group, wrong)
        refused += [arrivals.groups[group] for group in wrong.tolist()]


def _fit(arrivals: Arrivals, mask: Array, end: Array, resolution: Array) -> RankFit:
    """Clocks by the ends; a second time with kinds weighted by how well their ends agree."""
    rows = np.flatnonzero(mask[arrivals.collective])
    collective = np.unique(arrivals.collective[rows], return_inverse=True)[1]
    rank, times = arrivals.rank[rows], end[rows]
    ends = Ends(collective, rank, times, np.ones(len(rows)), len(resolution))
    if not len(rows):
        return fit(ends, drift=False, resolution=resolution)
    drift = bool(np.ptp(times) > _LONG_NS) and ends.collectives >= _FEW
    found = fit(ends, drift=drift, resolution=resolution)
    kind = arrivals.kind[arrivals.collective[rows]]
    usual = np.zeros(len(arrivals.kinds))
    for one in np.unique(kind).tolist():
        usual[one] = max(float(np.median(np.abs(found.residual[kind == one]))), 1.0)
    if len(np.unique(kind)) < 2:
        return found
    return fit(replace(ends, weight=1.0 / usual[kind]), drift=drift, resolution=resolution)


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
