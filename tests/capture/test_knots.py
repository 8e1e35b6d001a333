"""The line that a core's counter lies on, and what is said of its error where rates change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.capture.knots import _Lines, bend_ns, device_ns
from lanescope.device.head import Array
from lanescope.device.layouts import layout

STEP = 32
BLOCK_NS = 20_000_000
BLOCKS = 6


def cycles_at(ns: Array, turn_ns: float, slower: float) -> Array:
    """A counter of 2 GHz that runs slower by this share from the turn on."""
    return (2 * (ns - slower * np.maximum(ns - turn_ns, 0.0))).astype(np.int64)


def blocks_of(turn_ns: float, slower: float) -> Array:
    clocks = np.zeros(BLOCKS, layout("ls_slice_clock"))
    opened = np.arange(BLOCKS) * BLOCK_NS + 1_000
    for name, ns in (("start", np.zeros(1)), ("open", opened), ("close", opened + BLOCK_NS - 10)):
        clocks[f"{name}_ns"] = ns // STEP * STEP + 1_000_000
        clocks[f"{name}_cycles"] = cycles_at(np.asarray(ns), turn_ns, slower) + 5_000
    return clocks


def shown(clocks: Array, ns: Array, turn_ns: float, slower: float) -> Array:
    """What the line makes of moments that are known."""
    cycles = cycles_at(ns, turn_ns, slower)[None, :] + 5_000
    buffer = np.clip((ns - 1_000) // BLOCK_NS, 0, BLOCKS - 1)
    found: Array = device_ns(cycles, clocks, buffer, rate=0.5)[0] - 1_000_000
    return found


def test_a_steady_counter_has_no_error_beyond_the_steps() -> None:
    assert bend_ns([blocks_of(0, 0.0), blocks_of(0, 1e-3)], STEP) == 0


@given(
    turn=st.floats(0.05, 0.95).map(lambda share: share * BLOCKS * BLOCK_NS),
    slower=st.floats(-3e-4, 3e-4),
)
def test_two_cores_are_no_further_apart_than_is_said(turn: float, slower: float) -> None:
    """One of them changes its rate once, between any two knots."""
    lanes = [(blocks_of(turn, 0.0), 0.0), (blocks_of(turn, slower), slower)]
    ns = np.linspace(2_000, BLOCKS * BLOCK_NS - 100, 997).astype(np.int64)
    steady, changed = (shown(clocks, ns, turn, share) for clocks, share in lanes)
    said = 2 * STEP + bend_ns([clocks for clocks, _ in lanes], STEP)
    assert np.abs(steady - changed).max() <= said


def test_a_line_of_one_part_is_doubted_as_the_others_are() -> None:
    changing, short = blocks_of(50_000_000, 2e-4), blocks_of(0, 0.0)[:1]
    assert bend_ns([short], STEP) == 0
    assert bend_ns([changing], STEP) > 0
    long = short.copy()
    long["close_ns"] += BLOCKS * BLOCK_NS // STEP * STEP
    long["close_cycles"] += 2 * BLOCKS * BLOCK_NS
    assert bend_ns([changing, long], STEP) > bend_ns([changing], STEP)


def straight(count: int, length_ns: int, *, closed: bool = True) -> Array:
    """Blocks of one kernel whose counter runs at 2 GHz from 5,000 cycles at 1 ms on."""
    clocks = np.zeros(count, layout("ls_slice_clock"))
    opened = np.arange(count) * length_ns
    for name, ns in (("start", np.zeros(1, int)), ("open", opened), ("close", opened + length_ns)):
        if closed or name != "close":
            clocks[f"{name}_ns"], clocks[f"{name}_cycles"] = ns + 1_000_000, 2 * ns + 5_000
    return clocks


def test_beyond_the_knots_a_counter_runs_on_at_the_rate_of_its_stretch() -> None:
    clocks = straight(3, BLOCK_NS)
    end = 3 * BLOCK_NS
    moments = np.array([-7_000, 0, end // 2, end, end + 9_000])
    cycles = 2 * moments[None, :] + 5_000
    found = device_ns(cycles, clocks, np.array([0, 0, 1, 2, 2]), rate=99.0)[0] - 1_000_000
    assert found.tolist() == moments.tolist()


def test_a_stretch_that_is_too_short_to_measure_runs_at_the_given_rate() -> None:
    clocks = straight(1, 100, closed=False)
    cycles = np.array([[5_000, 5_400, 4_000]])
    found = device_ns(cycles, clocks, np.zeros(3, int), rate=0.25)[0]
    assert found.tolist() == [1_000_000, 1_000_100, 999_750]


@pytest.mark.parametrize(("before_end", "found"), [(100_000, 150_010), (99_999, 150_000)])
def test_a_knot_close_before_the_last_one_bends_no_line(before_end: int, found: int) -> None:
    """Its reading of the clock is 10 ns off the straight line between the others."""
    clocks = straight(2, 150_000)
    clocks["close_ns"] = clocks["close_cycles"] = 0
    end = 150_010 + before_end
    clocks["close_ns"][1], clocks["close_cycles"][1] = end + 1_000_000, 2 * end + 5_000
    clocks["open_ns"][1] += 10
    cycles = np.array([[2 * 150_000 + 5_000]])
    moment = device_ns(cycles, clocks, np.array([1]), rate=0.5)[0] - 1_000_000
    assert moment.tolist() == [found]


def test_another_unit_or_kernel_is_another_line() -> None:
    first, second = straight(2, BLOCK_NS), straight(2, BLOCK_NS)
    second["unit"] = 1
    for name in ("start_ns", "open_ns", "close_ns"):
        second[name] += 500_000_000
    clocks = np.concatenate([first, second])
    cycles = np.full((1, 2), 5_000 + 2_000)
    found = device_ns(cycles, clocks, np.array([0, 2]), rate=0.5)[0]
    assert found.tolist() == [1_001_000, 501_001_000]
    second["unit"], second["start_cycles"] = 0, 5_001
    found = device_ns(cycles, np.concatenate([first, second]), np.array([0, 2]), rate=0.5)[0]
    assert abs(found[1] - 501_001_000) <= 1


def test_a_line_that_runs_backwards_leaves_its_neighbours_alone() -> None:
    """As damage makes it. The first line is steeper before its second knot than behind it."""
    lines = _Lines(
        edges=np.array([0, 1, 2, 3]),
        cycles=np.array([0, 10, 1_000, 0, -5_000, 0, 10, 1_000]),
        ns=np.array([0, 100, 1_090, 0, 7, 0, 20, 2_000]),
        line=np.array([0, 0, 0, 1, 1, 2, 2, 2]),
        last=np.array([2, 4, 7]),
    )
    of = np.array([0, 0, 2, 2])
    assert lines.at(np.array([[5, 20, 5, 500]]), of, rate=0.5).tolist() == [[50, 110, 10, 1_000]]
