"""Traces that are unlike their peers: which measure, by how much, and how sure that is.

Peers are the traces of the same workload on the same chip, unless the user says otherwise. A value
is judged by its distance from the peers' median in robust standard deviations (1.4826 × the median
absolute deviation). The limit is the one that all values of a fleet of equal traces with normal
noise together pass with probability RATE at most, so that few peers and many measures make it
higher. Noise with a long tail passes it more often: such a trace is unlike its peers, by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.compare.measures import LANE_GROUPS, RUN_GROUPS
from lanescope.analyze.compare.student import t_quantile
from lanescope.fleet.choosing import BY, Row, group_name, places_by_group, short_path
from lanescope.fleet.values import Values
from lanescope.render.plain import render_sections
from lanescope.results import Result
from lanescope.trace.table import Array

RATE = 0.05
"""Highest probability that a fleet with normal noise alone is said to have an outlier."""
FEWEST = 8
"""Peers that a group needs before anything is said of it."""
LEAST = 0.01
"""A value that differs by less than this share of the median is no outlier."""
_LEAST_SHARE = 0.001
"""Nor is a time that differs by less than this share of the makespan."""
_NORMAL = 1.4826
_MEAN_NORMAL = 1.2533
_LEAST_SCALE = 0.002
"""Where most values are equal, the noise is taken to be this share of the median."""
_EFFICIENCY = 0.37
"""The median absolute deviation of n values knows the spread as well as 0.37 n values do."""


@dataclass(frozen=True, slots=True)
class Outlier(Result):
    """One value of one trace that is unlike its peers'."""

    trace: str
    path: str
    """The trace's path from the folder on that was indexed."""
    peers: str
    """The group that it was compared with."""
    group: str
    name: str
    """The measure."""
    unit: str
    value: float
    median: float
    """Of the peers and the trace itself."""
    change: float | None
    """(value - median) / median; None where the median is 0."""
    sigmas: float
    """Distance from the median in robust standard deviations."""


@dataclass(frozen=True, slots=True)
class PeerGroup(Result):
    """Traces that were compared with each other."""

    name: str
    traces: int
    limit: float | None
    """How many robust standard deviations make an outlier; None where there are too few traces."""


@dataclass(frozen=True, slots=True)
class Outliers(Result):
    """What is unlike its peers in a fleet."""

    by: tuple[str, ...]
    """Columns and labels that peers share."""
    groups: tuple[PeerGroup, ...]
    values: int
    """Values that were judged."""
    rows: tuple[Outlier, ...]
    """The trace with the largest distance first; of one trace, the largest first."""

    @property
    def small(self) -> tuple[PeerGroup, ...]:
        """Groups that are too small to say anything."""
        return tuple(group for group in self.groups if group.limit is None)

    @property
    def traces(self) -> tuple[str, ...]:
        """Paths of the traces that are outliers in any measure, the largest distance first."""
        return tuple(dict.fromkeys(row.trace for row in self.rows))

    def text(self) -> str:
        """The outliers as plain text, one line per trace."""
        from lanescope.fleet.pages import outlier_sections

        return render_sections(outlier_sections(self))


def find_outliers(rows: Sequence[Row], values: Values, by: Sequence[str] = BY) -> Outliers:
    """Compare the traces with their peers."""
    groups = places_by_group(rows, by)
    keys = [place for place, (group, _) in enumerate(values.keys) if group not in LANE_GROUPS]
    matrix = values.matrix([row["trace"] for row in rows], keys)
    large = [places for places in groups.values() if len(places) >= FEWEST]
    tested = sum(int((~np.isnan(matrix[places])).sum()) for places in large)
    peers, found = [], []
    for key, places in groups.items():
        name = group_name(key, by)
        limit = _limit(len(places), tested) if len(places) >= FEWEST else None
        peers.append(PeerGroup(name, len(places), limit))
        if limit is not None:
            members = [rows[place] for place in places]
            found += _judge(members, matrix[places], limit, values=values, keys=keys, peers=name)
    worst: dict[str, float] = {}
    for one in found:
        worst[one.trace] = max(worst.get(one.trace, 0.0), abs(one.sigmas))
    found.sort(key=lambda one: (-worst[one.trace], one.trace, -abs(one.sigmas)))
    return Outliers(tuple(by), tuple(peers), tested, tuple(found))


def _limit(traces: int, tested: int) -> float:
    return t_quantile(max(math.floor(_EFFICIENCY * traces), 1), 1 - RATE / max(tested, 1))


def _judge(
    members: Sequence[Row],
    matrix: Array,
    limit: float,
    *,
    values: Values,
    keys: Sequence[int],
    peers: str,
) -> list[Outlier]:
    makespan_ns = _makespan_ns(matrix, values, keys)
    found = []
    for column, key in enumerate(keys):
        known = np.flatnonzero(~np.isnan(matrix[:, column]))
        if len(known) < FEWEST:
            continue
        value = matrix[known, column]
        median = float(np.median(value))
        distance, scale = value - median, _scale(value, median)
        least = LEAST * abs(median)
        (group, name), unit = values.keys[key], values.units[key]
        if unit == "ns" and group not in RUN_GROUPS:
            least = max(least, _LEAST_SHARE * makespan_ns)
        far = (np.abs(distance) > limit * scale) & (np.abs(distance) > least)
        for place in np.flatnonzero(far).tolist():
            row = members[known[place]]
            found.append(
                Outlier(
                    trace=row["trace"],
                    path=short_path(row),
                    peers=peers,
                    group=group,
                    name=name,
                    unit=unit,
                    value=float(value[place]),
                    median=median,
                    change=float(distance[place]) / abs(median) if median else None,
                    sigmas=float(distance[place] / scale),
                )
            )
    return found


def _scale(value: Array, median: float) -> float:
    """A robust standard deviation, also where more than half of the values are equal."""
    distance = np.abs(value - median)
    scale = _NORMAL * float(np.median(distance))
    if not scale:
        scale = _LEAST_SCALE * abs(median) or _MEAN_NORMAL * float(distance.mean())
    return scale


def _makespan_ns(matrix: Array, values: Values, keys: Sequence[int]) -> float:
    """The group's median makespan; 0 where it has none."""
    for column, key in enumerate(keys):
        if values.keys[key] == ("run", "makespan") and not np.isnan(matrix[:, column]).all():
            return float(np.nanmedian(matrix[:, column]))
    return 0.0
