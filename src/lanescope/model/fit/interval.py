"""How far off predictions have been: ratios of measured to predicted rates of published points.

`residuals.toml` is written by `python -m validation --write-residuals`; nothing in it is chosen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from math import exp, log

_ONE_IN = 15
"""On each side an interval misses one in fifteen. 80 % is promised; 87 % is aimed at, since a few
new measurements may be unlucky."""


def spread(log_ratios: Sequence[float]) -> tuple[float, float]:
    """Lowest and highest ratio to expect of one more measurement (split conformal).

    With n ratios, the interval reaches from the k-th smallest to the k-th largest, where
    k = ⌊(n + 1) / 15⌋. Below 14 ratios it holds them all, and may hold less than is aimed at.
    """
    if not log_ratios:
        return 1.0, 1.0
    ordered = sorted(log_ratios)
    left_out = max(0, (len(ordered) + 1) // _ONE_IN - 1)
    return exp(ordered[left_out]), exp(ordered[-1 - left_out])


def published_ratios(pool: str) -> dict[str, float]:
    """Ratio of measured to predicted rate of every published point of a pool, by its id."""
    text = (files("lanescope.model.fit") / "residuals.toml").read_text()
    ratios = tomllib.loads(text).get(pool, {})
    return {name: float(ratio) for name, ratio in ratios.items()}


def published_spread(pool: str) -> tuple[float, float, int]:
    """Lowest ratio, highest ratio, and the number of published points behind them."""
    ratios = published_ratios(pool)
    low, high = spread([log(ratio) for ratio in ratios.values()])
    return low, high, len(ratios)
