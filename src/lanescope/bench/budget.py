"""What a run may cost: the budget as people write it, and the buffers that fit into its memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording

_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMG]?)(i?)B")
_SCALES = {"": 1, "k": 1000, "K": 1000, "M": 1000**2, "G": 1000**3}
_BINARY = {"": 1, "k": 1024, "K": 1024, "M": 1024**2, "G": 1024**3}
_ROUNDING = 1e-12
_LEAST_RECORDS = 16
_LEAST_BUFFERS = 2


@dataclass(frozen=True, slots=True)
class RecordingBudget:
    """What recording may take; None: as much as it likes."""

    share: float | None
    """Of the unrecorded makespan, 0.02 is 2 %."""
    memory_bytes: int | None
    """For the recording buffers and what belongs to them: the whole region."""

    def allows(self, share: float) -> bool:
        """To the last digit of a division."""
        return self.share is None or share <= self.share + _ROUNDING


def read_budget(text: str) -> RecordingBudget:
    """From "2%,64MB", or either part alone."""
    share: float | None = None
    memory: int | None = None
    for part in (piece.strip() for piece in text.split(",")):
        as_share, as_bytes = _SHARE.fullmatch(part), _BYTES.fullmatch(part)
        if as_share and share is None:
            share = float(as_share[1]) / 100
        elif as_bytes and memory is None:
            scale = (_BINARY if as_bytes[3] else _SCALES)[as_bytes[2]]
            memory = int(float(as_bytes[1]) * scale)
        else:
            raise UsageError(
                "expected a budget like 2%,64MB, or one of the two (a share of the makespan in %; "
                f"memory in B, kB, MB, GB, KiB, MiB or GiB), found {text!r}"
            )
    return RecordingBudget(share, memory)


def fit_buffers(
    asked: Recording, memory_bytes: int | None, region_bytes: Callable[[Recording], int]
) -> Recording | None:
    """The recording with the most room that fits in the memory, no more than was asked for; None
    where not even the least fits.

    Room is what a producer can fill while the host empties one buffer; of two that have the same,
    the one with fewer switches.
    """
    if memory_bytes is None:
        return asked
    sizes = [
        (buffers, records)
        for buffers in _halves(asked.buffers, _LEAST_BUFFERS)
        for records in _halves(asked.buffer_records, _LEAST_RECORDS)
    ]
    for buffers, records in sorted(sizes, key=lambda s: ((s[0] - 1) * s[1], s[1]), reverse=True):
        found = replace(asked, buffers=buffers, buffer_records=records)
        if region_bytes(found) <= memory_bytes:
            return found
    return None


def _halves(most: int, least: int) -> list[int]:
    """`most`, and half as many again and again, down to `least`."""
    found = [most]
    while found[-1] // 2 >= least:
        found.append(found[-1] // 2)
    return found
