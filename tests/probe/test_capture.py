"""Experiments on an engine: what of the bytes was written, and what is done again."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lanescope.chunks.layout import BURST_BYTES
from lanescope.device import perfmon
from lanescope.device.perfmon import Buffer
from lanescope.probe.capture import (
    GUARD_BYTES,
    PATTERN,
    Look,
    ProbeBench,
    ProbeCapture,
    base_of,
    changed,
    look,
)
from lanescope.probe.device import Step

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


class Device:
    """Notes what it is asked; it maps buffers 0x1000 above their virtual address."""

    def __init__(self, registers: dict[int, int] | None = None) -> None:
        self.registers = registers or {}
        self.done: list[tuple[Any, ...]] = []
        self.ticks = 0

    def read(self, offset: int) -> int:
        return self.registers.get(offset, 0)

    def write(self, offset: int, value: int) -> None:
        self.done.append(("write", offset, value))

    def counter(self) -> int:
        self.ticks += 10
        return self.ticks

    def allocate(self, size: int) -> Buffer:
        return Buffer(0x5000, None, size)

    def map_for_engine(self, buffer: Buffer) -> int | None:
        return buffer.virtual + 0x1000

    def fill(self, buffer: Buffer, data: bytes) -> None:
        self.done.append(("fill", buffer, data))

    def peek(self, buffer: Buffer) -> bytes:
        return PATTERN * (buffer.size // BURST_BYTES)

    def run_kernel(self, steps: object) -> None:
        self.done.append(("kernel", steps))


def test_a_base_address_has_48_bits() -> None:
    registers = {perfmon.BASE_H: 0xFFFF_1234, perfmon.BASE_L: 0x89AB_CDEF}
    assert base_of(cast(Any, Device(registers))) == 0x1234_89AB_CDEF


def test_a_look_reads_the_pointer_and_both_counters() -> None:
    registers = {perfmon.WPTR: 1, perfmon.SAMP_CRT: 2, perfmon.SAMP_WRT: 3}
    assert look(cast(Any, Device(registers))) == Look(pointer=1, created=2, written=3)


def test_an_area_has_guards_on_both_sides_and_is_full_of_the_pattern() -> None:
    device = Device()
    area = ProbeBench(cast(Any, device)).area(64, "virtual")
    assert area == Buffer(0x5000, None, 64 + 512)
    assert device.done == [("fill", area, PATTERN * 18)]
    assert ProbeBench(cast(Any, device)).area(64, "engine").engine == 0x6000


def test_a_space_is_offered_where_a_buffer_has_an_address_in_it() -> None:
    bench = ProbeBench(cast(Any, Device()))
    assert [bench.offers(space) for space in ("virtual", "engine", "physical")] == [
        *(True, True, False)
    ]


def test_an_experiment_is_kept_with_all_that_was_seen() -> None:
    """The engine is given the buffer between the guards, and is off before and after the run."""
    registers = {perfmon.BASE_L: 0x5100, perfmon.WPTR: 32, perfmon.SAMP_CRT: 8, perfmon.SAMP_WRT: 8}
    device = Device(registers)
    bench = ProbeBench(cast(Any, device))
    steps = [Step("cube", 10, 3)]
    made = bench.run("x", steps, address="virtual", area=Buffer(0x5000, None, 64 + 512))
    seen = Look(32, 8, 8)
    assert made == ProbeCapture(
        name="x",
        address="virtual",
        buffer=Buffer(0x5100, None, 64),
        steps=tuple(steps),
        running=seen,
        stopped=seen,
        base_after=0x5100,
        counter_before=10,
        counter_after=20,
        data=PATTERN * 18,
    )
    assert bench.captures == [made] and made.undisturbed
    at = device.done.index(("kernel", steps))
    before, after = device.done[:at], device.done[at + 1 :]
    off = [("write", perfmon.GLOBAL_EN, 0), ("write", perfmon.PERF_MON_EN, 0)]
    assert before[:2] == off and after == off
    assert ("write", perfmon.BASE_L, 0x5100) in before
    assert ("write", perfmon.BUF_LEN, 64) in before
