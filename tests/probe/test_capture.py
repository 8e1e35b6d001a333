"""Experiments on an engine: what of the bytes was written, and what is done again."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lanescope.chunks.layout import BURST_BYTES
from lanescope.device.perfmon import Buffer
from lanescope.probe.capture import GUARD_BYTES, PATTERN, Look, ProbeBench, ProbeCapture, changed

GUARD = PATTERN * (GUARD_BYTES // BURST_BYTES)


def capture(window: bytes, *, before: bytes = GUARD, after: bytes = GUARD) -> ProbeCapture:
    """A buffer at 0x5000 whose base stayed; one chunk was written."""
    return ProbeCapture(
        name="made",
        address="virtual",
        buffer=Buffer(0x5000, None, len(window)),
        steps=(),
        running=Look(0, 1, 1),
        stopped=Look(0, 1, 1),
        base_after=0x5000,
        counter_before=0,
        counter_after=1,
        data=before + window + after,
    )


def test_written_are_the_bursts_up_to_the_first_that_is_untouched() -> None:
    burst = b"\x01" * BURST_BYTES
    assert capture(PATTERN * 2).written == b""
    assert capture(burst + PATTERN + burst).written == burst
    assert capture(burst * 2).written == burst * 2
    assert capture(burst + PATTERN).window == burst + PATTERN


def test_a_byte_that_differs_from_the_pattern_is_a_change() -> None:
    assert not changed(b"") and not changed(PATTERN[:5]) and not changed(PATTERN * 2)
    assert changed(PATTERN[:4] + b"\x00") and changed(PATTERN + b"\x00")


@pytest.mark.parametrize(
    ("before", "after", "intact"),
    [
        (GUARD, GUARD, True),
        (GUARD[:-1] + b"\x00", GUARD, False),
        (GUARD, b"\x00" + GUARD[1:], False),
    ],
)
def test_guards_lie_on_both_sides(before: bytes, after: bytes, intact: bool) -> None:
    made = capture(b"\x01" * BURST_BYTES, before=before, after=after)
    assert made.guards_intact is intact


class Repeating(ProbeBench):
    """Gives these captures one after the other."""

    def __init__(self, *captures: ProbeCapture) -> None:
        super().__init__(cast(Any, SimpleNamespace(peek=lambda area: b"", can_invalidate=False)))
        self.left = list(captures)

    def area(self, size: int, space: str) -> Buffer:
        return Buffer(0x5000, None, size)

    def run(self, *given: object, **more: object) -> ProbeCapture:
        return self.left.pop(0)


GOOD = capture(b"\x01" * BURST_BYTES)
MOVED = replace(GOOD, base_after=0x6000)
EMPTY = replace(GOOD, stopped=Look(0, 0, 0))


def test_an_experiment_is_done_three_times_at_most() -> None:
    bench = Repeating(MOVED, MOVED, GOOD, GOOD)
    assert bench.steady("x", (), address="virtual", size=BURST_BYTES) is GOOD
    assert len(bench.left) == 1
    bench = Repeating(MOVED, MOVED, MOVED, GOOD)
    assert bench.steady("x", (), address="virtual", size=BURST_BYTES) is None
    assert len(bench.left) == 1
