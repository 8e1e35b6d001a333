"""Costs that bring a replay nearer to its recording: a search around the calibrated ones.

When a controller sees an end depends on the turn of its polls, and a cost that is a nanosecond off
may move every later turn. Means over a few records are not that exact. The whole recording is: the
better the costs are, the longer a replay stays with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import median
from lanescope.native.replay import Costs
from lanescope.replay.readings.served import RangePs

Score = Callable[[Costs], float]
"""How far a replay with these costs is from the recording: the mean logarithm of the distance of
each finish in ticks. So the many finishes that are near decide, and not the few that are far."""

_SEARCHED = (
    *("finish_latency", "dispatch_latency", "scheduler_phase", "pop", "dispatch", "loop"),
    *("poll_core", "complete", "task_record", "resolve_edge"),
    *("release", "core_record", "complete_base", "publish", "poll_engine", "engine_latency"),
)
"""The costs that are moved, in this order."""
_SCAN = 24
"""How many values of `seen`, the least known cost, are tried in a row."""
_STEPS = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
"""Sizes of the moves in ticks."""
_ROOM = 0.01
"""A cost is moved by no more than this part of it and one tick …"""
_ROOM_TICKS = {"engine_latency": 5}
"""… or as many ticks as stand here."""
_KEPT = 6
"""So many costs about as good as the best are kept."""
_AS_GOOD = 1.1
"""A score up to so many times the best is about as good."""
_GOOD = 0.25
"""At this score the search ends: finishes are off by a part of a tick, and so are their stamps."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How far and how long the search may go."""

    seen_ps: RangePs
    """The values of `seen` that the calibration allows."""
    tick_ps: int
    tries: int
    """How many replays the search may take, about."""


def refine(costs: Costs, score: Score, limits: SearchLimits) -> tuple[Costs, ...]:
    """The best costs first, then others that are about as good and differ in `seen`."""
    search = _Search(costs, score, limits)
    search.scan(costs)
    search.descend()
    search.wander()
    search.scan(search.best.costs)
    return _spread(search.tried)


class _Try(NamedTuple):
    """Costs that were tried, and their score."""

    score: float
    costs: Costs


class _Search:
    """Everything that was tried, and the best of it."""

    def __init__(self, costs: Costs, score: Score, limits: SearchLimits) -> None:
        self._calibrated, self._score, self._limits = costs, score, limits
        self.tried: list[_Try] = []
        self._known: dict[Costs, float] = {}
        self.best = _Try(float("inf"), costs)
        self._is_better(costs)

    def _is_better(self, costs: Costs) -> bool:
        """Try these costs; they become the best if their score is lower."""
        if costs not in self._known:  # smaller steps come to the same costs again
            self._known[costs] = self._score(costs)
        one = _Try(self._known[costs], costs)
        self.tried.append(one)
        if one.score < self.best.score:
            self.best = one
            return True
        return False

    @property
    def _over(self) -> bool:
        return len(self.tried) >= self._limits.tries or self.best.score < _GOOD

    def scan(self, costs: Costs) -> None:
        """Try values of `seen` from end to end, then the middle of those that are as good."""
        low, high = self._limits.seen_ps
        edges = max(low - self._limits.tick_ps, 0), high + self._limits.tick_ps
        values = np.linspace(*edges, min(_SCAN, self._limits.tries)).round().astype(int).tolist()
        for seen in values:
            self._is_better(replace(costs, finish_latency=seen))
        level = [
            one.costs.finish_latency for one in self.tried if one.score <= self.best.score * 1.001
        ]
        self._is_better(replace(self.best.costs, finish_latency=int(median(level))))

    def descend(self) -> None:
        """Move one cost after the other, in ever smaller steps."""
        first = self.best.costs
        names = [name for name in _SEARCHED if getattr(first, name) or name == "engine_latency"]
        for step in _STEPS:
            before = None
            while before != self.best:
                before = self.best
                for name in names:
                    for sign in (1, -1):
                        if self._over:
                            return
                        by_ps = sign * step * self._limits.tick_ps
                        if self._is_better(self._moved({name: by_ps})):
                            break

    def wander(self) -> None:
        """Move all costs at once, at random, until the search is over."""
        rng = np.random.default_rng(1)
        names = [name for name in _SEARCHED if getattr(self.best.costs, name)]
        while not self._over:
            step = self._limits.tick_ps * _STEPS[len(self.tried) % len(_STEPS)]
            moves = rng.normal(0, step, len(names)).tolist()
            self._is_better(self._moved(dict(zip(names, moves, strict=True))))

    def _moved(self, moves_ps: dict[str, float]) -> Costs:
        """The best costs, moved by so much. No cost gets further from where it began than the
        calibration may be wrong."""
        costs, changed = self.best.costs, {}
        for name, by_ps in moves_ps.items():
            begun = getattr(self._calibrated, name)
            room = _ROOM_TICKS.get(name, 1) * self._limits.tick_ps + begun * _ROOM
            low = begun - room if name in _ROOM_TICKS else max(begun - room, 0)
            changed[name] = round(min(max(getattr(costs, name) + by_ps, low), begun + room))
        return replace(costs, **changed)


def _spread(tried: list[_Try]) -> tuple[Costs, ...]:
    """The best, and a few about as good, spread over their values of `seen`."""
    best = min(tried, key=lambda one: one.score)
    worst_first = sorted(tried, key=lambda one: -one.score)
    limit = best.score * _AS_GOOD + _GOOD / 4
    good = {one.costs.finish_latency: one.costs for one in worst_first if one.score <= limit}
    ordered = [good[seen] for seen in sorted(good)]
    places = np.linspace(0, len(ordered) - 1, min(_KEPT, len(ordered))).round().astype(int)
    return (best.costs, *(ordered[k] for k in places.tolist() if ordered[k] != best.costs))
