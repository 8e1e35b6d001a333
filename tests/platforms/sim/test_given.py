"""The arrays that the machine gets of a graph, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.platforms.sim.given import _sorted_within


@pytest.mark.parametrize(
    "successors", [[2, 3, 0, 1, 3], [3, 2, 0, 1, 3], [2, 3, 1, 3, 0], [3, 2, 3, 1, 0]]
)
def test_successors_rise_within_each_task(successors: list[int]) -> None:
    """Task 0 has two, task 1 none, task 2 has three."""
    offsets = np.array([0, 2, 2, 5])
    assert _sorted_within(offsets, np.array(successors)).tolist() == [2, 3, 0, 1, 3]
