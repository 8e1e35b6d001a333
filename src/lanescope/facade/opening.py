"""From what people name to a Trace: a trace in memory, a stored one, or another tool's files.

A URL always names a stored trace.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from lanescope.errors import InputError, UsageError
from lanescope.trace import Trace, load, open_lazily
from lanescope.trace.listing import traces_in
from lanescope.trace.places import Place, place_of
from lanescope.trace.set_aside import Opening, open_rest
from lanescope.trace.some import load_some, select_some

_NAMED = 8
"""How many of the traces in a folder a refusal names."""
TraceLike: TypeAlias = Trace | str | PathLike[str] | Place
"""A Trace, the path or URL of a stored one, or the path of another tool's files."""


def opened(trace: TraceLike) -> Trace:
    """The trace itself, or the one that the path names, read whole."""
    if isinstance(trace, Trace):
        return trace
    place = place_of(trace)
    return load(place) if _is_stored(place) else _of_files(place)


def opened_in_part(trace: TraceLike) -> Trace:
    """Like `opened`; damaged parts of a stored trace are left out, with a note for each."""
    return _rest(trace, load)


def opened_lazily(trace: TraceLike) -> Trace:
    """Like `opened_in_part`; columns of a stored trace are read when they are needed."""
    return _rest(trace, open_lazily)


def _rest(trace: TraceLike, opening: Opening) -> Trace:
    if isinstance(trace, Trace):
        return trace
    place = place_of(trace)
    return open_rest(place, opening) if _is_stored(place) else _of_files(place)


def _of_files(place: Place) -> Trace:
    """The one run that these files are; among several stored traces nobody chooses."""
    if Path(place.key).is_dir():
        stored = [str(one) for one in traces_in(place)]
        if len(stored) > 1:
            named = ", ".join(stored[:_NAMED]) + (", …" if len(stored) > _NAMED else "")
            raise UsageError(f"{place} holds {len(stored)} stored traces ({named}); name one")
    # A stored trace is shown before all importers would have been loaded.
    from lanescope.formats import import_trace

    return import_trace(place.key)


def opened_some(trace: str, **limits: Any) -> Trace:
    """Like `opened_in_part`, cut to these options of `select`; an empty part is refused.

    Of a stored trace no more than the part is read, where no run and no rank limits it.
    """
    given = {name for name, limit in limits.items() if limit is not None}
    if given and not given & {"run", "rank"} and is_stored(trace):
        try:
            return load_some(trace, **limits)
        except InputError:
            pass  # what is damaged is set aside below
    return select_some(opened_in_part(trace), **limits)


def is_stored(trace: str) -> bool:
    """Say whether a path or URL names a stored trace, and not another tool's files."""
    return _is_stored(place_of(trace))


def _is_stored(place: Place) -> bool:
    path = place.local
    if path is None or path.suffix == ".lanes":
        return True
    return (path / "meta.json").is_file() or not path.exists()
