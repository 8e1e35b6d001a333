"""Slices, moments, arrows and values on tracks, as columns: the form that such importers fill.

All times are whole nanoseconds on one clock of the source's choice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.trace.table import Array


def _none() -> Array:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A lane whose source does not say what it is; its place in the list is its number."""

    name: str
    group: str = ""
    """What the source calls the process or group that the track belongs to."""
    process: int | None = None
    """Number of that process."""


@dataclass(slots=True, kw_only=True)
class SliceRows:
    """Slices in any order; of moments `end` is `start`."""

    track: Array = field(default_factory=_none)
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)
    name: Array = field(default_factory=_none)
    """Index into `names`."""
    names: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class CounterRows:
    """Values at a time."""

    time: Array = field(default_factory=_none)
    value: Array = field(default_factory=lambda: np.empty(0))
    name: Array = field(default_factory=_none)
    """Index into `names`."""
    names: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class TrackRecording:
    """Everything that one file tells."""

    tracks: list[Track] = field(default_factory=list)
    """In the order in which they are to be shown; those without slices are left out."""
    slices: SliceRows = field(default_factory=SliceRows)
    moments: SliceRows = field(default_factory=SliceRows)
    counters: CounterRows = field(default_factory=CounterRows)
    arrows: tuple[Array, Array] = field(default_factory=lambda: (_none(), _none()))
    """Places of slices, from and to."""
    unmatched: int = 0
    """How many begins and ends of slices have no partner."""
    utc_ns: int | None = None
    """UTC at 0 ns of the source's clock; None where it is not known."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Fields of Meta that the importer knows: notes, extra, …"""
