"""Which address reaches a buffer: the kernels', the one of an own stream, or the physical one.

The virtual address comes first: it is the one that every platform has. Assumed: it lies above
physical memory, so an engine that takes physical ones finds nobody's bytes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lanescope.device.perfmon import SPACES
from lanescope.probe.capture import ProbeBench, ProbeCapture, changed
from lanescope.probe.device import Step
from lanescope.probe.result import ProbeVerdict, cannot_tell

LARGE_BYTES = 4096
"""A buffer that no kernel of the probe fills."""
_NOT_OFFERED = {
    "engine": "engine: this chip offers no address of a stream of the engine's own",
    "physical": "physical: this chip offers no physical address",
}
_ANSWERS = {
    "virtual": ("virtual", "shared"),
    "engine": ("virtual", "own"),
    "physical": ("physical", "untranslated"),
}
"""The space that reached a buffer to the answers about the address and about the stream."""


class Reached(NamedTuple):
    """What was found about addresses."""

    address: ProbeVerdict
    stream: ProbeVerdict
    space: str | None
    """The space whose address reaches a buffer; None: none that was tried does."""


def find_address(bench: ProbeBench, steps: Sequence[Step]) -> Reached:
    """Give the engine an address of each space in turn, until one reaches a buffer."""
    evidence: list[str] = []
    for space in SPACES:
        if space in _NOT_OFFERED and not bench.offers(space):
            evidence.append(_NOT_OFFERED[space])
            continue
        capture = bench.steady(f"address-{space}", steps, address=space, size=LARGE_BYTES)
        if capture is None:
            evidence.append(f"{space}: the base address did not stay as it was set")
            break
        reached = changed(capture.window)
        what = "its pattern changed" if reached else "its pattern is untouched"
        evidence.append(f"{space} {capture.base:#x}: {capture.stopped.written} written, {what}")
        if reached:
            return _reached(capture, evidence)
    return Reached(cannot_tell("address", *evidence), cannot_tell("stream", *evidence), None)


def _reached(capture: ProbeCapture, evidence: list[str]) -> Reached:
    space, buffer = capture.address, capture.buffer
    if space == "virtual" and buffer.virtual == buffer.physical:
        evidence.append("the two addresses are the same here")
        address, stream = cannot_tell("address", *evidence), cannot_tell("stream", *evidence)
        return Reached(address, stream, space)
    sure = "high"
    if space == "virtual" and buffer.physical is None:
        evidence.append("this chip offers no physical address, which may be the same")
        sure = "medium"
    address, stream = (
        ProbeVerdict(question, answer, tuple(evidence), sure)
        for question, answer in zip(("address", "stream"), _ANSWERS[space], strict=True)
    )
    return Reached(address, stream, space)
