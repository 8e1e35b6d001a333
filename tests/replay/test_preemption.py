"""Waits that no thread at work takes are as the others of their kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.replay.runs import hand_replica

from lanescope.replay.preemption import _shortened, without_preemption

OFF = 50_000_000
"""A thread that waits for more ps is off the processor, if others are shorter by far."""


@pytest.mark.parametrize(
    ("values", "shortened"),
    [
        ([1_000, 3_000, OFF + 1], [1_000, 3_000, 2_000]),
        ([1_000, 3_000, OFF], [1_000, 3_000, OFF]),
        ([-1, 1_000, 5_000, 4 * OFF], [-1, 1_000, 5_000, 3_000]),
        ([OFF, 2 * OFF], [OFF, 2 * OFF]),
        ([-1, -1], [-1, -1]),
        ([], []),
    ],
)
def test_a_wait_off_the_processor_becomes_the_median_of_the_others(
    values: list[int], shortened: list[int]
) -> None:
    assert _shortened(np.array(values, np.int64)).tolist() == shortened


def test_setups_and_every_own_value_are_shortened() -> None:
    made = hand_replica()
    long = np.array([1_000, 3_000, 2_000, 2 * OFF])
    units = replace(made.units, setups_ps=long, own_ps={"wait": long + 1, "seen": long})
    found = without_preemption(replace(made, units=units)).units
    assert found.setups_ps.tolist() == [1_000, 3_000, 2_000, 2_000]
    assert {name: values.tolist() for name, values in found.own_ps.items()} == {
        "wait": [1_001, 3_001, 2_001, 2_001],
        "seen": [1_000, 3_000, 2_000, 2_000],
    }
    assert found.lengths_ps is units.lengths_ps
