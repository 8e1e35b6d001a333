"""Which form of chunks explains captured bytes.

The bytes are decoded under each hypothesis, and the result is compared with the kernel that ran.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lanescope.chunks import Clocks, Decoded, decode
from lanescope.probe.capture import ProbeCapture
from lanescope.trace.pipes import PIPES

SLACK_CYCLES = 50
SLACK_PART = 0.05
"""A step may take 50 cycles plus 5 % longer or shorter than asked for."""


def _as_is(data: bytes) -> bytes:
    return data


def _swapped(data: bytes) -> bytes:
    return np.frombuffer(data, ">u4").astype("<u4").tobytes()


def _low_halves(data: bytes) -> bytes:
    """Return the lower halves of 8-byte records; nothing where an upper half is not 0."""
    words = np.frombuffer(data, "<u4")
    return b"" if words[1::2].any() else words[0::2].tobytes()


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "chip6": _as_is,
    "byte_swapped": _swapped,
    "eight_byte": _low_halves,
}
"""Form of chunks to the function that turns its bytes into form chip6."""
CHUNKS_PER_BURST = {"chip6": 8, "byte_swapped": 8, "eight_byte": 4}


class Trial(NamedTuple):
    """One hypothesis about the form, and what speaks against it."""

    form: str
    decoded: Decoded
    against: tuple[str, ...]
    """Sentences; none: the form explains the bytes."""


def trials(capture: ProbeCapture, clocks: Clocks) -> list[Trial]:
    """Decode a capture under every hypothesis."""
    return [
        Trial(form, decoded, tuple(_against(decoded, capture)))
        for form, convert in FORMS.items()
        for decoded in [decode(convert(capture.written), clocks)]
    ]


def _against(decoded: Decoded, capture: ProbeCapture) -> list[str]:
    """List what differs between the decoded bytes and the kernel that ran."""
    problems = []
    if decoded.account.total == 0 or decoded.account.damaged:
        problems.append(f"{decoded.account.damaged} of {decoded.account.total} bytes make no sense")
    if not _stamped(decoded, capture):
        problems.append("no single start stamp between the two readings of the system counter")
    wanted = [(step.pipe, step.cycles) for step in capture.steps]
    if not _same_steps(_steps(decoded), wanted):
        problems.append("busy times are not those of the kernel")
    marks = [step.mark for step in capture.steps]
    if not all(mark in set((decoded.marks.mark & 0x3FF).tolist()) for mark in marks):
        problems.append("marks of the kernel are missing")
    return problems


def _stamped(decoded: Decoded, capture: ProbeCapture) -> bool:
    """Say whether there is one stamp, between the counter before the kernel and that after it."""
    if len(decoded.stamps.time) != 1:
        return False
    return capture.counter_before <= decoded.base_ticks <= capture.counter_after


def _steps(decoded: Decoded) -> list[tuple[str, int]]:
    """Return the pipe and the cycles of each busy interval, sorted by start."""
    busy, per_cycle = decoded.busy, decoded.clocks.units_per_cycle
    order = np.argsort(busy.start, kind="stable")
    lengths = (busy.end - busy.start)[order] // per_cycle
    return [(PIPES[p], n) for p, n in zip(busy.pipe[order], lengths.tolist(), strict=True)]


def _same_steps(seen: list[tuple[str, int]], wanted: list[tuple[str, int]]) -> bool:
    if [pipe for pipe, _ in seen] != [pipe for pipe, _ in wanted]:
        return False
    return all(
        abs(took - asked) <= SLACK_CYCLES + SLACK_PART * asked
        for (_, took), (_, asked) in zip(seen, wanted, strict=True)
    )
