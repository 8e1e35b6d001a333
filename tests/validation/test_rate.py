"""The rate of several links that share one host."""

from __future__ import annotations

import pytest
from validation.rate import shared_rate


@pytest.mark.parametrize(("links", "rate"), [(1, 10), (2, 16), (4, 40 / 1.75)])
def test_parallel_links_slow_each_other_down(links: int, rate: float) -> None:
    assert shared_rate(10, links=links, contention=0.25) == pytest.approx(rate)
