"""Which edges a path between two tasks may take."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace

from lanescope.viewer.paths import _between


def test_both_ends_of_an_edge_ran_near_or_not_at_all() -> None:
    """Tasks 1 to 3 ran between the two, 8 and 9 at another time; 5 and 6 are nodes."""
    pairs = [(1, 2), (1, 8), (8, 1), (8, 9), (1, 5), (5, 3), (5, 6), (6, 9)]
    trace = make_trace(edges=[{"pred": pred, "succ": succ} for pred, succ in pairs])
    kept = _between(trace, near=np.array([1, 2, 3]), ran=np.array([1, 2, 3, 8, 9]))
    found = [pair for pair, one in zip(pairs, kept.tolist(), strict=True) if one]
    assert found == [(1, 2), (1, 5), (5, 3), (5, 6)]
