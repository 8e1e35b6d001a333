"""What happens at a buffer's end: hypotheses predict the registers, and what was seen decides."""

from __future__ import annotations

from typing import NamedTuple

from lanescope.chunks.layout import BURST_BYTES
from lanescope.probe.capture import Look, ProbeCapture


class Wrap(NamedTuple):
    """A hypothesis."""

    wrap: str
    pointer: str

    @property
    def name(self) -> str:
        return f"{self.wrap}, {self.pointer}"


WRAPS = (
    Wrap("linear", "byte_offset"),
    Wrap("ring", "byte_offset"),
    Wrap("ring", "byte_count"),
    Wrap("ring", "burst_index"),
)


def expected(wrap: Wrap, created: int, *, bursts: int, per_burst: int) -> tuple[int, int]:
    """Write pointer and chunks written, of an engine with room for so many bursts."""
    sent = created // per_burst
    if wrap.wrap == "linear":
        sent = min(sent, bursts)
    places = {
        "byte_offset": sent * BURST_BYTES if wrap.wrap == "linear" else sent % bursts * BURST_BYTES,
        "byte_count": sent * BURST_BYTES,
        "burst_index": sent % bursts,
    }
    return places[wrap.pointer], sent * per_burst


def went_past_the_end(capture: ProbeCapture, per_burst: int) -> bool:
    return capture.running.created // per_burst > capture.size // BURST_BYTES


def fitting(captures: list[ProbeCapture], per_burst: int) -> list[Wrap]:
    """The hypotheses that predict every capture."""
    return [wrap for wrap in WRAPS if all(_fits(wrap, found, per_burst) for found in captures)]


def _fits(wrap: Wrap, capture: ProbeCapture, per_burst: int) -> bool:
    seen: Look = capture.running
    bursts = capture.size // BURST_BYTES
    wanted = expected(wrap, seen.created, bursts=bursts, per_burst=per_burst)
    return (seen.pointer, seen.written) == wanted
