"""What happens at a buffer's end: each hypothesis predicts registers, and captures decide."""

from __future__ import annotations

from typing import NamedTuple

from lanescope.chunks.layout import BURST_BYTES
from lanescope.probe.capture import Look, ProbeCapture


class Wrap(NamedTuple):
    """One hypothesis: how the engine goes on at the buffer's end, and what its pointer counts."""

    wrap: str
    """`linear`: the engine drops what does not fit. `ring`: it goes on at the start."""
    pointer: str
    """`byte_offset`, `byte_count` or `burst_index`."""

    @property
    def name(self) -> str:
        """The hypothesis as a verdict states it."""
        return f"{self.wrap}, {self.pointer}"


WRAPS = (
    Wrap("linear", "byte_offset"),
    Wrap("ring", "byte_offset"),
    Wrap("ring", "byte_count"),
    Wrap("ring", "burst_index"),
)


def expected(wrap: Wrap, created: int, *, bursts: int, per_burst: int) -> tuple[int, int]:
    """Return the write pointer and the chunks written that a hypothesis predicts.

    The engine created `created` chunks, `per_burst` to a burst, and has room for `bursts` bursts.
    """
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
    """Say whether the kernel created more bursts than the buffer holds."""
    return capture.running.created // per_burst > capture.size // BURST_BYTES


def fitting(captures: list[ProbeCapture], per_burst: int) -> list[Wrap]:
    """Return the hypotheses that predict every capture."""
    return [wrap for wrap in WRAPS if all(_fits(wrap, one, per_burst) for one in captures)]


def _fits(wrap: Wrap, capture: ProbeCapture, per_burst: int) -> bool:
    seen: Look = capture.running
    bursts = capture.size // BURST_BYTES
    wanted = expected(wrap, seen.created, bursts=bursts, per_burst=per_burst)
    return (seen.pointer, seen.written) == wanted
