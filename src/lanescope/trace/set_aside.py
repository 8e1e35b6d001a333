"""Damaged parts of a stored trace are set aside: the rest is opened, with a note for each part.

Only what shows its notes opens traces in this way: report, view and export.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from lanescope.errors import InputError
from lanescope.trace.places import Place, PlaceLike, place_of
from lanescope.trace.store import load
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace

ESSENTIAL = ("tasks", "cores", "functions")
"""Tables that others refer to by number: without one of them nothing can be shown."""
_SAID = "so it was set aside"


class Opening(Protocol):
    """`load` or `open_lazily`."""

    def __call__(self, path: PlaceLike, /, *, tables: list[str] | None = None) -> Trace: ...


def open_rest(path: PlaceLike, opening: Opening) -> Trace:
    """Open a stored trace without those of its tables that cannot be read.

    `meta.notes` has a sentence for each of these tables, which are empty. On a store nothing is set
    aside: there a request may fail that succeeds the next time.

    Raises:
        InputError: as `load`, where a part is damaged without which nothing can be shown.
    """
    place = place_of(path)
    try:
        return opening(place)
    except InputError as error:
        wrong = dict(_unreadable(place)) if place.local is not None else {}
        lost = [name for name in ESSENTIAL if name in wrong]
        whole = [name for name in SCHEMA if name not in wrong]
        if lost:
            one = wrong[lost[0]]
            raise InputError(one.path, f"{one.problem}; {_advice(place, whole)}") from error
        if not wrong:
            raise
    trace = opening(place, tables=whole)
    notes = [f"{name}.parquet {_clause(one)}, {_SAID}." for name, one in wrong.items()]
    return trace.with_meta(notes=(*trace.meta.notes, *notes))


def set_aside(trace: Trace) -> list[str]:
    """The notes about damaged parts that a trace is shown without."""
    return [note for note in trace.meta.notes if _SAID in note]


def _unreadable(place: Place) -> Iterator[tuple[str, InputError]]:
    """The tables that cannot be read, also at a second look."""
    try:
        load(place, tables=())
    except InputError as error:
        if "is damaged" in error.problem:
            tables = "the tables beside it are Parquet files that any reader opens"
            told = f"{error.problem}; {_verify(place)}; {tables}"
            raise InputError(error.path, told) from error
        return
    for name in SCHEMA:
        try:
            load(place, tables=(name,))
        except InputError as error:
            yield name, error


def _advice(place: Place, whole: list[str]) -> str:
    rest = f"; lanescope.load(…, tables=…) reads those that are whole: {', '.join(whole)}"
    return _verify(place) + (rest if whole else "")


def _verify(place: Place) -> str:
    return f"'lanescope verify {place}' names all damaged files"


def _clause(error: InputError) -> str:
    """What is wrong, without what to do."""
    return error.problem.partition(";")[0]
