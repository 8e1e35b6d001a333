"""What one file of a rank gives: a recording, and the names of its operations among ranks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lanescope.formats.streams import StreamRecording
from lanescope.trace.table import Array

UTC_FROM_NS = 10**18
"""Times above this are ns since 1970 (from September 2001 on); smaller ones count from a boot."""


@dataclass(frozen=True, slots=True)
class RankSource:
    """A recording; `operations[k]` is the name of row k of its collectives."""

    recording: StreamRecording
    operations: list[str]
    tasks: Array = field(default_factory=lambda: np.empty(0, np.int64))
    """The source's own number of each device row, for a timeline; MISSING where it has none."""


def with_utc(recording: StreamRecording) -> StreamRecording:
    """The same recording, whose times are UTC if they are that large."""
    starts = [part.start for part in (recording.work, recording.host) if len(part.start)]
    earliest = min((int(start.min()) for start in starts), default=0)
    recording.utc_ns = 0 if earliest > UTC_FROM_NS else None
    return recording
