"""Median and quantiles: the same bits as numpy's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lanescope.analyze.columns.quantiles import median, quantile

_RANDOM = np.random.default_rng(7)
COLUMNS = [
    *(_RANDOM.integers(-(10**15), 10**15, count) for count in range(1, 30)),
    *(_RANDOM.integers(0, 4, count).astype(np.int32) for count in range(1, 30)),
    *(_RANDOM.normal(0, 1e6, count) for count in range(1, 30)),
]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.95, 1.0])
def test_a_quantile_is_numpys_to_the_last_bit(share: float) -> None:
    for column in COLUMNS:
        assert quantile(column, share) == float(np.quantile(column, share))


def test_a_median_is_numpys_to_the_last_bit() -> None:
    for column in COLUMNS:
        assert median(column) == float(np.median(column))
    assert math.isnan(median([]))
