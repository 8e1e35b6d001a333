"""Launches and operators numbered from 0: sources have ids of 64 bits and of several processes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.streams.recording import StreamRecording
from lanescope.trace.numbering import different, places
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class Renumbered:
    """Ids of the source in rising order; the place of an id is its number."""

    ids: Array

    @classmethod
    def of_columns(cls, *columns: Array | None) -> Renumbered:
        """Number every id in these columns."""
        known = [column[column != MISSING] for column in columns if column is not None]
        some = [different(column) for column in known if len(column)]
        return cls(different(np.concatenate(some)) if some else np.empty(0, np.int64))

    def of(self, values: Array) -> Array:
        """The number of each id; MISSING where there is none."""
        at = places(self.ids, values)
        return np.where(at >= 0, at, MISSING)


@dataclass(frozen=True, slots=True)
class LaunchNumbers:
    """The numbers of a recording's launches, operators and arrows."""

    launch: Renumbered
    op: Renumbered
    flow: Renumbered

    @classmethod
    def of(cls, recording: StreamRecording) -> LaunchNumbers:
        """Number what the rows of a recording name."""
        work, host, waits = recording.work, recording.host, recording.waits
        return cls(
            Renumbered.of_columns(work.launch, host.launch, waits.launch, waits.on_launch),
            Renumbered.of_columns(work.op, host.op),
            Renumbered.of_columns(host.flow),
        )
