"""From what people name to a Trace: a trace in memory, a stored one, or another tool's files.

A URL always names a stored trace.
"""

from __future__ import annotations

from os import PathLike
from typing import TypeAlias

from lanescope.formats import import_trace
from lanescope.trace import Trace, load, open_lazily
from lanescope.trace.part import Part
from lanescope.trace.places import Place, place_of
from lanescope.trace.row_groups import load_part
from lanescope.trace.selection import cut

TraceLike: TypeAlias = Trace | str | PathLike[str] | Place
"""A Trace, the path or URL of a stored one, or the path of another tool's files."""


def opened(trace: TraceLike) -> Trace:
    """The trace itself, or the one that the path names, read whole."""
    if isinstance(trace, Trace):
        return trace
    place = place_of(trace)
    return load(place) if _is_stored(place) else import_trace(place.key)


def opened_lazily(trace: TraceLike) -> Trace:
    """Like `opened`; columns of a stored trace are read when they are needed."""
    if isinstance(trace, Trace):
        return trace
    place = place_of(trace)
    return open_lazily(place) if _is_stored(place) else import_trace(place.key)


def opened_part(trace: str, part: Part | None) -> Trace:
    """The part of the trace that the path names; of a stored one no more than that is read."""
    if part is None:
        return opened(trace)
    if is_stored(trace) and part.runs is None and part.ranks is None:
        return load_part(trace, part)
    return cut(opened(trace), part)


def is_stored(trace: str) -> bool:
    """Say whether a path or URL names a stored trace, and not another tool's files."""
    return _is_stored(place_of(trace))


def _is_stored(place: Place) -> bool:
    path = place.local
    if path is None or path.suffix == ".lanes":
        return True
    return (path / "meta.json").is_file() or not path.exists()
