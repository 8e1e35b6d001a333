"""Units that a core's clock and the system counter share: how long, and how many at most."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.chunks.clocks import Clocks
from lanescope.errors import UsageError

MHZ = 1_000_000


@pytest.mark.parametrize(
    ("core_mhz", "counter_mhz", "per_tick", "per_cycle", "limit"),
    [
        (1650, 50, 33, 1, 1 << 61),  # 0.6 ns a unit: as nanoseconds it is less
        (1000, 1000, 1, 1, 1 << 61),
        (50, 50, 1, 1, (1 << 61) // 20),
        (800, 1000, 4, 5, 1 << 61),
    ],
)
def test_the_longest_time_fits_as_units_and_as_nanoseconds(
    core_mhz: int, counter_mhz: int, per_tick: int, per_cycle: int, limit: int
) -> None:
    clocks = Clocks(core_mhz * MHZ, counter_mhz * MHZ)
    assert (clocks.units_per_tick, clocks.units_per_cycle, clocks.limit) == (
        per_tick,
        per_cycle,
        limit,
    )
    [ns] = clocks.ns(np.array([limit - 1])).tolist()
    assert 0 < ns < 1 << 61


@pytest.mark.parametrize(("core", "counter", "name"), [(0, 5, "core"), (5, -1, "counter")])
def test_a_clock_that_stands_still_is_refused(core: int, counter: int, name: str) -> None:
    with pytest.raises(UsageError, match=f"^the {name} clock must be positive, found "):
        Clocks(core, counter)


def test_times_are_rounded_down() -> None:
    clocks = Clocks(1650 * MHZ, 50 * MHZ)
    units = np.array([0, 1, 32, 33, 66])
    assert clocks.ticks(units).tolist() == [0, 0, 0, 1, 2]
    assert clocks.ns(units).tolist() == [0, 0, 19, 20, 40]
