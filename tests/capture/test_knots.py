"""The line that a core's counter lies on, and what is said of its error where rates change."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lanescope.capture.knots import bend_ns, device_ns
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
