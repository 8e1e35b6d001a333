"""What lies in an area of time and lanes, for a page that does not hold all bars.

viewer/figures.js answers the same over the bars of a page. A bar counts when it touches the area.
`inside_ns` is its time in the area, `whole_ns` its whole length; percentiles are of whole lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.native.areas import BINS, BarCounts, LaneBars, count_bars, narrow
from lanescope.trace.table import Array
from lanescope.viewer.bars import run_places
from lanescope.viewer.book import Book
from lanescope.viewer.places import values_at


@dataclass(frozen=True, slots=True)
class Area:
    """A range of time in ns, up to but not `t1`, and the lanes of each trace by number."""

    t0: int
    t1: int
    lanes: dict[int, list[int]]
    by_run: bool
    """Whether the pivot tells runs apart: those of one trace of one rank."""

    @classmethod
    def asked(cls, question: dict[str, Any], books: Sequence[Book]) -> Area:
        """The area that a page asks for."""
        header = books[0].header
        of_ranks = any(_is_rank(lane["group"]) for lane in header["lanes"])
        by_run = len(books) == 1 and bool(header["runs"]) and not of_ranks
        lanes = {int(k): sorted({int(lane) for lane in v}) for k, v in question["lanes"].items()}
        return cls(int(question["t0"]), int(question["t1"]), lanes, by_run)


@dataclass(frozen=True, slots=True)
class _Lane:
    """Bars of one kind on one lane."""

    number: int
    """Of the book."""
    kind: str
    lane: int
    place: tuple[int, int]
    """Where they begin and end among the bars of their kind."""
    bars: LaneBars


@dataclass(slots=True, eq=False)
class _Function:
    """Bars of one function."""

    count: int = 0
    over: int = 0
    inside_ns: int = 0
    whole_ns: int = 0
    bins: Array = field(default_factory=lambda: np.zeros(BINS, np.int64))


class _Figures:
    """Sums of an area over lanes and traces."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str], _Function] = {}
        self.cells: dict[tuple[str, str, str, str], list[int]] = {}
        self.lanes: list[dict[str, Any]] = []

    def add(self, key: tuple[str, str], column: tuple[str, str], sums: Array) -> None:
        """Add the bars of one function on one lane, in one column of the pivot."""
        count, over, *parts = sums.tolist()
        if not count:
            return
        whole, outside = ((parts[k + 1] << 31) + parts[k] for k in (0, 2))
        one = self.functions[key]
        one.count += count
        one.over += over
        one.inside_ns += whole - outside
        one.whole_ns += whole
        cell = self.cells.setdefault((*key, *column), [0, 0, 0])
        figures = (count, whole - outside, whole)
        cell[:] = [known + more for known, more in zip(cell, figures, strict=True)]
        self.lanes[-1]["count"] += count
        self.lanes[-1]["inside_ns"] += whole - outside


def area_figures(
    books: Sequence[Book], labels: Sequence[str], question: dict[str, Any]
) -> dict[str, Any]:
    """Functions, lanes, cells of the pivot and wait reasons of an area.

    `labels` says of each book what tells it from the others.
    """
    area, figures = Area.asked(question, books), _Figures()
    lanes = list(_lanes(books, area))
    with ThreadPoolExecutor(2) as pool:
        counts = pool.map(lambda lane: _counted(books[lane.number], lane, area), lanes)
        for lane, found in zip(lanes, counts, strict=True):
            _add(figures, books[lane.number], labels[lane.number], (lane, *found))
        percentiles = _percentiles(books, figures, lanes, pool)
    keys = ("bars", "name", "kind", "part", "count", "inside_ns", "whole_ns")
    return {
        "functions": [
            _told(key, one, values)
            for (key, one), values in zip(figures.functions.items(), percentiles, strict=True)
        ],
        "lanes": figures.lanes,
        "cells": [
            dict(zip(keys, (*key, *cell), strict=True)) for key, cell in figures.cells.items()
        ],
        "waits": _waits(books, area),
    }


def _told(key: tuple[str, str], one: _Function, values: list[int]) -> dict[str, Any]:
    return {
        "bars": key[0],
        "name": key[1],
        "count": one.count,
        "over": one.over,
        "inside_ns": one.inside_ns,
        "whole_ns": one.whole_ns,
        "p50_ns": values[0],
        "p99_ns": values[1],
        "max_ns": values[2],
    }


def _lanes(books: Sequence[Book], area: Area) -> Iterator[_Lane]:
    """The lanes of the area that have bars before its end, by trace and kind."""
    for number, wanted in area.lanes.items():
        for kind, bars in books[number].bars.items():
            slices = books[number].slices(kind)
            for lane in wanted:
                if lane in slices:
                    part = bars.rows_between(*slices[lane])
                    columns = (part.start_ns, part.end_ns, part.name)
                    here = LaneBars(*columns, t0=area.t0, t1=area.t1)
                    yield _Lane(number, kind, lane, slices[lane], here)


def _counted(book: Book, lane: _Lane, area: Area) -> tuple[BarCounts, list[str] | None]:
    """What a lane has in the area, and what its runs are called where they are told apart."""
    known = len(_names(book, lane.kind))
    if not area.by_run or lane.kind not in ("tasks", "phases"):
        return count_bars(lane.bars, known), None
    runs = [*(run["name"] for run in book.header["runs"]), "no run"]
    row = book.bars[lane.kind].row[slice(*lane.place)][: len(lane.bars)]
    places = run_places(book.trace, book.trace.table(lane.kind)["run"][row])
    assert places is not None
    place = np.where(places < 0, len(runs) - 1, places)
    return count_bars(lane.bars, known, place, len(runs)), runs


def _add(
    figures: _Figures,
    book: Book,
    label: str,
    found: tuple[_Lane, BarCounts, list[str] | None],
) -> None:
    """Add what a lane has."""
    lane, counts, runs = found
    if not counts.names:
        return
    facts = book.header["lanes"][lane.lane]
    label = facts["group"] if _is_rank(facts["group"]) else label
    row = {"trace": lane.number, "lane": lane.lane, "bars": lane.kind, "count": 0, "inside_ns": 0}
    figures.lanes.append(row)
    for code, sums, bins in zip(counts.names, counts.sums, counts.bins, strict=True):
        key = lane.kind, _name(book, lane.kind, code)
        figures.functions.setdefault(key, _Function()).bins += bins
        for run, part in enumerate(sums):
            figures.add(key, (facts["kind_name"], label if runs is None else runs[run]), part)


def _percentiles(
    books: Sequence[Book], figures: _Figures, lanes: list[_Lane], pool: ThreadPoolExecutor
) -> list[list[int]]:
    """The values at PERCENTS of every function's lengths."""
    if not figures.functions:
        return []
    number = {key: place for place, key in enumerate(figures.functions)}
    tables = {}
    for lane in lanes:
        key = lane.number, lane.kind
        if key not in tables:
            book = books[lane.number]
            codes = range(-1, len(_names(book, lane.kind)))
            named = [number.get((lane.kind, _name(book, lane.kind, code)), -1) for code in codes]
            tables[key] = np.array(named, np.int32)

    def counted(searches: Array, size: int) -> Array:
        def of_lane(lane: _Lane) -> Array:
            return narrow(lane.bars, tables[lane.number, lane.kind], searches, size)

        total = np.zeros(size, np.int64)
        for counts in pool.map(of_lane, lanes):
            total += counts
        return total

    bins = np.array([one.bins for one in figures.functions.values()])
    values: list[list[int]] = values_at(bins, counted).tolist()
    return values


def _names(book: Book, kind: str) -> list[Any]:
    """What the names of bars of a kind are codes of."""
    names: list[Any] = book.header["functions" if kind == "tasks" else "words"]
    return names


def _name(book: Book, kind: str, code: int) -> str:
    """What the page calls a bar: barName of model.js."""
    known = _names(book, kind)
    if kind == "tasks":
        return str(known[code]["name"]) if 0 <= code < len(known) else "task"
    if kind == "lost":
        return "records of this time were lost"
    word = known[code] if 0 <= code < len(known) else None
    if kind == "stalls":
        return f"blocked: {word if word is not None else 'recording'}"
    return word if word is not None else ("mark" if kind == "marks" else "phase")


def _is_rank(group: str) -> bool:
    return re.fullmatch(r"Rank -?\d+", group) is not None


def _waits(books: Sequence[Book], area: Area) -> dict[str, float] | None:
    """Per reason how long cores waited inside; None where no trace says.

    What was waited lies before its task; of a wait that reaches over the border every reason has
    its part.
    """
    sums: dict[str, float] = {}
    known = False
    for number, lanes in area.lanes.items():
        book = books[number]
        bars, columns = book.bars["tasks"], book.waits
        known = known or bool(columns)
        for place in (book.slices("tasks").get(lane) for lane in lanes):
            if place is None or not columns:
                continue
            row = bars.row[slice(*place)]
            start = bars.start_ns[slice(*place)]
            each = {name: column[row].astype(np.float64) for name, column in columns.items()}
            total = np.sum(list(each.values()), axis=0)
            inside = np.minimum(start, area.t1) - np.maximum(start - total, area.t0)
            share = np.where(inside > 0, inside / np.maximum(total, 1), 0)
            for name, ns in each.items():
                if waited := float((ns * share).sum()):
                    what = name.removeprefix("wait_")
                    sums[what] = sums.get(what, 0.0) + waited
    return sums if known else None
