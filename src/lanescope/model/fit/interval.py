"""How far off predictions have been: ratios of measured to predicted rates of published points.

`residuals.toml` is written by `python -m validation --write-residuals`; nothing in it is chosen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import ceil, exp, log
from typing import NamedTuple

MISS_RATE = 0.1
"""An interval is meant to miss one measurement in ten: the usual 90 % interval."""


class ErrorSpread(NamedTuple):
    """The lowest and highest ratio of measured to predicted rate to expect, and from what."""

    low: float
    high: float
    group: str
    points: int
    """Runs of the group itself."""
    borrowed: int
    """Runs of the other groups, where the group's own are too few."""


def spread(group: str, ratios: Mapping[str, Sequence[float]]) -> ErrorSpread:
    """The ratios to expect of one more measurement of a group (split conformal).

    `ratios` are the logarithms of measured to predicted rate, by group. The interval reaches as
    far to both sides as the ⌈(n + 1) · 0.9⌉-th smallest distance from 0 among the group's n. With
    fewer than 9 there is no such distance: then it reaches as far as the group's farthest and as
    the same rule over all groups.
    """
    own = sorted(abs(one) for one in ratios.get(group, ()))
    reach = _reach(own)
    if reach is not None:
        return ErrorSpread(exp(-reach), exp(reach), group, len(own), 0)
    everyone = sorted(abs(one) for several in ratios.values() for one in several)
    wide = max([*own[-1:], _reach(everyone) or max(everyone, default=0.0)])
    return ErrorSpread(exp(-wide), exp(wide), group, len(own), len(everyone) - len(own))


def _reach(distances: Sequence[float]) -> float | None:
    """The distance that one more is within, nine times in ten; None if there are too few."""
    rank = ceil((len(distances) + 1) * (1 - MISS_RATE))
    return distances[rank - 1] if rank <= len(distances) else None


def published_ratios() -> dict[str, list[float]]:
    """Logarithms of measured to predicted rate of the published runs, by group."""
    text = (files("lanescope.model.fit") / "residuals.toml").read_text("utf-8")
    groups = tomllib.loads(text)
    return {group: [log(float(one)) for one in runs.values()] for group, runs in groups.items()}


def published_spread(group: str) -> ErrorSpread:
    """The ratios to expect in a group, from the published runs."""
    return spread(group, published_ratios())
