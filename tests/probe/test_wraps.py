"""What each hypothesis about a buffer's end predicts, and which of them fit captures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.probe.test_capture import capture

from lanescope.chunks.layout import BURST_BYTES
from lanescope.probe.capture import Look, ProbeCapture
from lanescope.probe.wraps import WRAPS, expected, fitting, went_past_the_end


def test_the_hypotheses_have_names() -> None:
    assert [wrap.name for wrap in WRAPS] == [
        *("linear, byte_offset", "ring, byte_offset", "ring, byte_count", "ring, burst_index")
    ]


@pytest.mark.parametrize(
    ("created", "predicted"),
    [
        (7, [(0, 0), (0, 0), (0, 0), (0, 0)]),
        (23, [(64, 16), (64, 16), (64, 16), (2, 16)]),
        (24, [(96, 24), (0, 24), (96, 24), (0, 24)]),
        (32, [(96, 24), (32, 32), (128, 32), (1, 32)]),
    ],
)
def test_three_bursts_of_eight_chunks_are_gone_past_in_four_ways(
    created: int, predicted: list[tuple[int, int]]
) -> None:
    assert [expected(wrap, created, bursts=3, per_burst=8) for wrap in WRAPS] == predicted


def run(created: int, pointer: int, written: int) -> ProbeCapture:
    """A run into a buffer of three bursts."""
    seen = Look(pointer=pointer, created=created, written=written)
    return replace(capture(bytes(3 * BURST_BYTES)), running=seen)


def test_only_what_predicts_every_run_fits() -> None:
    before, after = run(23, 64, 16), run(32, 128, 32)
    assert [wrap.name for wrap in fitting([before], 8)] == [
        *("linear, byte_offset", "ring, byte_offset", "ring, byte_count")
    ]
    assert [wrap.name for wrap in fitting([before, after], 8)] == ["ring, byte_count"]
    assert fitting([before, run(32, 128, 31)], 8) == []
    assert fitting([before, run(32, 127, 32)], 8) == []


@pytest.mark.parametrize(
    ("created", "per_burst", "past"), [(31, 8, False), (32, 8, True), (15, 4, False), (16, 4, True)]
)
def test_a_kernel_goes_past_the_end_with_a_fourth_burst(
    created: int, per_burst: int, past: bool
) -> None:
    assert went_past_the_end(run(created, 0, 0), per_burst) is past
