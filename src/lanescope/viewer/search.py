"""Follows the plan of a search over all bars of a trace, as matching.js does over the page's.

The page turns what was typed into a plan of numbers; nothing that a reader typed is read here but a
task's id.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.trace import Trace
from lanescope.trace.table import Array
from lanescope.trace.task_ids import id_of
from lanescope.trace.trace_ids import source_ids
from lanescope.viewer.bars import PageBars, run_places
from lanescope.viewer.book import Book

KINDS = ("tasks", "phases", "marks", "stalls", "lost")
"""The kinds of bars in the order in which bars of one moment and lane are gone through."""
MOST_LISTED = 500
"""At most so many bars are listed at once."""

_Found = dict[str, Array]
"""Per kind the places of the bars that match."""


def find(book: Book, question: dict[str, Any]) -> dict[str, Any]:
    """How many bars match, and `limit` of them from `offset` on, in order.

    With `from`, a bar, `at` is the place of the next match after it (`backwards`: before it) and
    the list is the page with that place. `at` is -1 or the count where there is none.
    """
    found = {kind: _matches(book, kind, question) for kind in KINDS}
    starts = np.concatenate([book.bars[kind].start_ns[place] for kind, place in found.items()])
    limit = max(1, min(int(question["limit"]), MOST_LISTED))
    at = int(question.get("offset", 0))
    if question.get("from") is not None:
        at = _beside(book, found, question)
    count = len(starts)
    first = min(max(at, 0), max(count - 1, 0)) // limit * limit
    bars = _listed(book, found, starts, (first, limit)) if count else []
    return {"count": count, "at": at, "offset": first, "bars": bars}


def _matches(book: Book, kind: str, plan: dict[str, Any]) -> Array:
    """The places of the bars of a kind that match the plan."""
    bars = book.bars[kind]
    wanted = np.zeros(len(bars), bool)
    for part in plan["parts"]:
        if part["kind"] != kind:
            continue
        mask = np.isin(bars.lane, np.array(part["lanes"], np.int64))
        if part["names"] is not None:
            mask &= np.isin(bars.name, np.array(part["names"], np.int64))
        if part["runs"] is not None:
            mask &= np.isin(_runs(book.trace, kind, bars), np.array(part["runs"], np.int64))
        wanted |= mask
    if not wanted.any():
        return np.flatnonzero(wanted)
    length = bars.end_ns - bars.start_ns
    wanted &= _within(length, plan)
    for wait in plan["waits"]:
        columns = [book.waits.get(f"wait_{reason}") for reason in wait["reasons"]]
        waited = sum((c.astype(np.int64) for c in columns if c is not None), np.int64(0))
        wanted &= _within(np.broadcast_to(waited, len(book.trace.tasks))[bars.row], wait)
    if plan["task"] is not None:
        ids = source_ids(book.trace, _table(book.trace, kind)["task"])
        wanted &= (ids == id_of(book.trace.meta.task_ids, str(plan["task"])))[bars.row]
    return np.flatnonzero(wanted)


def _within(values: Array, limits: dict[str, Any]) -> Array:
    least, most = float(limits["least"]), limits["most"]
    inside: Array = values >= least
    return inside if most is None else inside & (values <= float(most))


def _table(trace: Trace, kind: str) -> Any:
    return {"tasks": trace.tasks, "phases": trace.phases, "marks": trace.marks}[kind]


def _runs(trace: Trace, kind: str, bars: PageBars) -> Array:
    """The place of each bar's run; -1 where it is not known."""
    places = run_places(trace, _table(trace, kind)["run"][bars.row])
    return np.full(len(bars), -1) if places is None else places


def _keys(book: Book, found: _Found, low: int, high: int) -> tuple[Array, ...]:
    """Start, lane, kind, negative end and place of the matches that start from `low` to `high`."""
    parts = []
    for number, kind in enumerate(KINDS):
        bars, place = book.bars[kind], found[kind]
        start = bars.start_ns[place]
        place = place[(start >= low) & (start <= high)]
        columns = (bars.start_ns[place], bars.lane[place], np.full(len(place), number))
        parts.append((*columns, -bars.end_ns[place], place))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _listed(
    book: Book, found: _Found, starts: Array, window: tuple[int, int]
) -> list[dict[str, Any]]:
    """The bars from a place on; only those that start where they do are put in order."""
    first, limit = window
    last = min(first + limit, len(starts)) - 1
    ordered = np.partition(starts, (first, last))
    low, high = int(ordered[first]), int(ordered[last])
    keys = _keys(book, found, low, high)
    order = np.lexsort(keys[::-1])
    skipped = first - int(np.count_nonzero(starts < low))
    return [
        _bar(book, KINDS[int(keys[2][k])], int(keys[4][k]))
        for k in order[skipped:][:limit].tolist()
    ]


def _bar(book: Book, kind: str, place: int) -> dict[str, Any]:
    bars = book.bars[kind]
    start, end = int(bars.start_ns[place]), int(bars.end_ns[place])
    return {
        "kind": kind,
        "lane": int(bars.lane[place]),
        "start": start,
        "length": end - start,
        "name": int(bars.name[place]),
    }


def _beside(book: Book, found: _Found, question: dict[str, Any]) -> int:
    """The place of the next match after the bar `from`, or of the one before it."""
    given = question["from"]
    start = int(given["start"])
    here = (int(given["lane"]), KINDS.index(given["kind"]), -start - int(given["length"]))
    earlier = sum(
        int(np.count_nonzero(book.bars[kind].start_ns[place] < start))
        for kind, place in found.items()
    )
    keys = _keys(book, found, start, start)
    same = list(zip(*(key.tolist() for key in keys[1:4]), strict=True))
    if question.get("backwards"):
        return earlier + sum(key < here for key in same) - 1
    return earlier + sum(key <= here for key in same)
