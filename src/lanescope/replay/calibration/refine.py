"""Costs that bring a replay nearer to its recording: a search around the calibrated ones.

When a controller sees an end depends on the turn of its polls, and a cost that is a nanosecond off
may move every later turn. Means over a few records are not that good, but the whole recording is:
the better the costs, the longer a replay stays with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lanescope.native.replay import Costs

Score = Callable[[Costs], float]
"""How far a replay is from the recording: the mean logarithm, in ticks, so that the many finishes
that are near decide, and not the few that are far."""

_SEARCHED = (
    *("seen", "link", "phase", "pop", "dispatch", "loop", "poll", "complete", "record", "resolve"),
    *("release", "free", "complete_base", "publish", "poll_engine", "engine_seen"),
)
_SCAN = 24
"""So many values of the least known cost are tried first."""
_STEPS = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
"""In ticks."""
_ROOM = 0.01
_ROOM_TICKS = {"engine_seen": 5}
"""No cost is moved by more than this part and a tick, or so many ticks."""
_KEPT = 6
_AS_GOOD = 1.1
_GOOD = 0.25
"""No search for better: finishes are a part of a tick off, and so are their stamps."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the calibration leaves open."""

    seen_ps: tuple[int, int]
    tick_ps: int
    tries: int
    """How many replays the search may take."""


def refine(costs: Costs, score: Score, doubt: Doubt) -> tuple[Costs, ...]:
    """The best costs found first, then others about as good, spread over what is open."""
    search = _Search(costs, score, doubt)
    search.scan(costs)
    search.descend()
    search.wander()
    search.scan(search.best[1])
    return _spread(search.tried)


class _Search:
    """What was tried, and the best of it."""

    def __init__(self, costs: Costs, score: Score, doubt: Doubt) -> None:
        self._calibrated, self._score, self._doubt = costs, score, doubt
        self.tried: list[tuple[float, Costs]] = []
        self.best = (float("inf"), costs)
        self._better(costs)

    def _better(self, one: Costs) -> bool:
        found = self._score(one)
        self.tried.append((found, one))
        if found < self.best[0]:
            self.best = found, one
            return True
        return False

    @property
    def _over(self) -> bool:
        return len(self.tried) >= self._doubt.tries or self.best[0] < _GOOD

    def scan(self, costs: Costs) -> None:
        """Values of the least known cost, and the middle of those that are as good."""
        low, high = self._doubt.seen_ps
        edges = max(low - self._doubt.tick_ps, 0), high + self._doubt.tick_ps
        values = np.linspace(*edges, min(_SCAN, self._doubt.tries)).round().astype(int).tolist()
        for seen in values:
            self._better(replace(costs, seen=seen))
        level = [one.seen for found, one in self.tried if found <= self.best[0] * 1.001]
        self._better(replace(self.best[1], seen=int(np.median(level))))

    def descend(self) -> None:
        """One cost after the other, in ever smaller steps."""
        first = self.best[1]
        names = [name for name in _SEARCHED if getattr(first, name) or name == "engine_seen"]
        for step in _STEPS:
            before = None
            while before != self.best:
                before = self.best
                for name in names:
                    for sign in (1, -1):
                        if self._over:
                            return
                        if self._better(self._moved({name: sign * step * self._doubt.tick_ps})):
                            break

    def wander(self) -> None:
        """All costs at once, at random, as long as it may take."""
        rng = np.random.default_rng(1)
        names = [name for name in _SEARCHED if getattr(self.best[1], name)]
        while not self._over:
            step = self._doubt.tick_ps * _STEPS[len(self.tried) % len(_STEPS)]
            moves = rng.normal(0, step, len(names)).tolist()
            self._better(self._moved(dict(zip(names, moves, strict=True))))

    def _moved(self, moves: dict[str, float]) -> Costs:
        """The best, moved; none further from where it began than the calibration may be wrong."""
        costs, changed = self.best[1], {}
        for name, by in moves.items():
            begun = getattr(self._calibrated, name)
            room = _ROOM_TICKS.get(name, 1) * self._doubt.tick_ps + begun * _ROOM
            low = begun - room if name in _ROOM_TICKS else max(begun - room, 0)
            changed[name] = round(min(max(getattr(costs, name) + by, low), begun + room))
        return replace(costs, **changed)


def _spread(tried: list[tuple[float, Costs]]) -> tuple[Costs, ...]:
    """The best, and about as good ones with other views of when an end is seen."""
    least, best = min(tried, key=lambda pair: pair[0])
    good = {one.seen: one for found, one in sorted(tried, key=lambda pair: -pair[0])
            if found <= least * _AS_GOOD + _GOOD / 4}  # fmt: skip
    ordered = [good[seen] for seen in sorted(good)]
    places = np.linspace(0, len(ordered) - 1, min(_KEPT, len(ordered))).round().astype(int)
    return (best, *(ordered[k] for k in places.tolist() if ordered[k] != best))
