"""A chip's counter as time, and which chips of a file are asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.ttmetal.cycles import ChipClock, chip_bundle, chosen_chips

BUNDLE = Bundle(name="a", files={"main": Detected(Path("a.csv"), None, "")}, notes=("first",))


@pytest.mark.parametrize(
    ("hz", "times"),
    [
        (10**9, {0: 0, 1: 1, 7: 7, -3: -3}),
        (400_000_000, {1: 2, 3: 8, 5: 12, 7: 18}),
        (800_000_000, {1: 1, 2: 2, 3: 4, 6: 8}),
        (3_000_000_000, {1: 0, 2: 1, 3: 1, 4: 1, 5: 2, 3 * 10**9 + 4: 10**9 + 1}),
        (1_000_000, {1: 1000, 10**12: 10**15, (1 << 62) // 10**4: (1 << 62) // 10**4 * 1000}),
        (10**11, {10**11 - 1: 10**9, 10**11 - 50: 10**9, 10**11 - 51: 10**9 - 1, 150: 2, 50: 0}),
        (7, {1: 142857143, 2: 285714286, 7: 10**9, 15: 2142857143}),
    ],
)
def test_cycles_are_ns_from_the_first_one_and_halves_are_even(
    hz: int, times: dict[int, int]
) -> None:
    """Against whole numbers of any size: 2.5 ns are 2, 7.5 ns are 8."""
    clock = ChipClock(3, 1000, hz)
    assert clock.times(np.array([*times]) + 1000).tolist() == list(times.values())


def test_the_clock_and_the_chip_are_facts() -> None:
    want = {"clock_hz": 5, "base_cycles": 1000, "device": 3}
    assert ChipClock(3, 1000, 5).facts() == want


def test_one_of_several_chips_is_named() -> None:
    assert chip_bundle(BUNDLE, 3, [3]) is BUNDLE
    named = chip_bundle(BUNDLE, 3, [0, 3])
    assert named.name == "a-chip3"
    assert named.notes == (
        "first",
        "Chip 3 of the file's chips 0, 3; each is a trace of its own, because counters of chips "
        "are not in step.",
    )


def test_the_user_may_ask_for_one_chip() -> None:
    def asking(chip: int) -> Bundle:
        return Bundle(name="a", files=BUNDLE.files, options={"chip": chip})

    assert chosen_chips(BUNDLE, [0, 3]) == [0, 3]
    assert chosen_chips(asking(0), [0, 3]) == [0]
    with pytest.raises(UsageError) as refused:
        chosen_chips(asking(2), [0, 3])
    assert str(refused.value) == "--chip 2: a.csv has the chips 0, 3"
