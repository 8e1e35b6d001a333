"""A budget as people write it, and the buffers that fit into its memory."""

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
    """The most that recording may take. None means no limit."""

    share: float | None
    """Longest extra time, as a fraction of the unrecorded makespan: 0.02 is 2 %."""
    memory_bytes: int | None
    """Most memory for the whole region: the recording buffers and what belongs to them."""

    def allows(self, share: float) -> bool:
        """Say whether an extra time of this fraction of the makespan is within the budget.

        A difference of less than 1e-12, the rounding of a division, is forgiven.
        """
        return self.share is None or share <= self.share + _ROUNDING


def read_budget(text: str) -> RecordingBudget:
    """Read a budget such as "2%,64MB". Either part may stand alone."""
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
    """Shrink the recording's buffers until its region fits into the memory.

    Buffers are halved in number and in size, never below 2 buffers of 16 records. The one with
    the most room wins. Room is how many records a producer can write while the host empties one
    buffer. Of two with equal room, the one with the larger buffers wins: it switches less often.
    Returns None where not even the smallest buffers fit.
    """
    if memory_bytes is None:
        return asked
    sizes = [
        (buffers, records)
        for buffers in _halves(asked.buffers, _LEAST_BUFFERS)
        for records in _halves(asked.buffer_records, _LEAST_RECORDS)
    ]
    for buffers, records in sorted(sizes, key=lambda s: ((s[0] - 1) * s[1], s[1]), reverse=True):
        smaller = replace(asked, buffers=buffers, buffer_records=records)
        if region_bytes(smaller) <= memory_bytes:
            return smaller
    return None


def _halves(most: int, least: int) -> list[int]:
    """Return `most`, half of it, a quarter and so on, down to `least`."""
    counts = [most]
    while counts[-1] // 2 >= least:
        counts.append(counts[-1] // 2)
    return counts
