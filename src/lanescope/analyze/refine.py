"""Costs that bring a replay nearer to its recording: a search around the calibrated ones.

When a controller sees an end depends on the turn of its polls, and a cost that is a nanosecond off
may move every later turn. Means over a few records are not that good, but the whole recording is:
the better the costs, the longer a replay stays with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

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
    calibrated: Costs = field(default_factory=Costs)


def refine(costs: Costs, score: Score, doubt: Doubt) -> tuple[Costs, ...]:
    """The best costs found first, then others about as good, spread over what is open."""
    doubt = replace(doubt, calibrated=costs)
    tried: list[tuple[float, Costs]] = []

    def value(one: Costs) -> float:
        found = score(one)
        tried.append((found, one))
        return found

    best = (value(costs), costs)
    for seen in _range(doubt):
        one = replace(costs, seen=seen)
        best = min(best, (value(one), one), key=lambda pair: pair[0])
    # A plateau's middle is safer than its edge.
    level = [one.seen for found, one in tried if found <= best[0] * 1.001]
    middle = replace(costs, seen=int(np.median(level)))
    best = min((value(middle), middle), best, key=lambda pair: pair[0])
    best = _descend(best, value, doubt, tried)
    best = _wander(best, value, doubt, tried)
    for seen in _range(doubt):
        value(replace(best[1], seen=seen))
    return _spread(tried)


def _range(doubt: Doubt) -> list[int]:
    """Values of the least known cost."""
    low, high = doubt.seen_ps
    edges = max(low - doubt.tick_ps, 0), high + doubt.tick_ps
    found: list[int] = np.linspace(*edges, min(_SCAN, doubt.tries)).round().astype(int).tolist()
    return found


def _descend(
    best: tuple[float, Costs], value: Score, doubt: Doubt, tried: list[tuple[float, Costs]]
) -> tuple[float, Costs]:
    """One cost after the other, in ever smaller steps."""
    names = [name for name in _SEARCHED if getattr(best[1], name) or name == "engine_seen"]
    for step in _STEPS:
        before = None
        while before != best:
            before = best
            for name in names:
                for sign in (1, -1):
                    if len(tried) >= doubt.tries or best[0] < _GOOD:
                        return best
                    one = _moved(best[1], {name: sign * step * doubt.tick_ps}, doubt)
                    found = value(one)
                    if found < best[0]:
                        best = found, one
                        break
    return best


def _wander(
    best: tuple[float, Costs], value: Score, doubt: Doubt, tried: list[tuple[float, Costs]]
) -> tuple[float, Costs]:
    """All costs at once, at random, as long as it may take."""
    rng = np.random.default_rng(1)
    names = [name for name in _SEARCHED if getattr(best[1], name)]
    while len(tried) < doubt.tries and best[0] >= _GOOD:
        step = doubt.tick_ps * _STEPS[len(tried) % len(_STEPS)]
        moves = dict(zip(names, rng.normal(0, step, len(names)).tolist(), strict=True))
        one = _moved(best[1], moves, doubt)
        found = value(one)
        if found < best[0]:
            best = found, one
    return best


def _moved(costs: Costs, moves: dict[str, float], doubt: Doubt) -> Costs:
    """None further from where it began than the calibration may be wrong."""
    changed = {}
    for name, by in moves.items():
        begun = getattr(doubt.calibrated, name)
        room = _ROOM_TICKS.get(name, 1) * doubt.tick_ps + begun * _ROOM
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
