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

from lanescope.analyze.columns.groups import exact_sum
from lanescope.analyze.tasks.spread import spread_of
from lanescope.trace.table import Array
from lanescope.viewer.bars import PageBars, run_places
from lanescope.viewer.book import Book


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
        by_run = len(books) == 1 and len(header["runs"]) > 1
        by_run = by_run and not any(_is_rank(lane["group"]) for lane in header["lanes"])
        lanes = {int(k): sorted({int(lane) for lane in v}) for k, v in question["lanes"].items()}
        return cls(int(question["t0"]), int(question["t1"]), lanes, by_run)


@dataclass(slots=True)
class _LaneSums:
    """What was found of one function and one column of the pivot on one lane."""

    lengths: Array
    """Whole lengths of the bars in ns."""
    inside_ns: int
    over: int


@dataclass(slots=True)
class _FunctionSums:
    """Bars of one function."""

    lengths: list[Array] = field(default_factory=list)
    inside_ns: int = 0
    over: int = 0


class _Figures:
    """Sums of an area over lanes and traces."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str], _FunctionSums] = {}
        self.cells: dict[tuple[str, str, str, str], list[int]] = {}
        self.lanes: list[dict[str, Any]] = []

    def add(self, key: tuple[str, str], column: tuple[str, str], found: _LaneSums) -> None:
        """Add the bars of one function on one lane."""
        sums = self.functions.setdefault(key, _FunctionSums())
        sums.lengths.append(found.lengths)
        sums.inside_ns += found.inside_ns
        sums.over += found.over
        figures = (len(found.lengths), found.inside_ns, exact_sum(found.lengths))
        cell = self.cells.setdefault((*key, *column), [0, 0, 0])
        cell[:] = [known + more for known, more in zip(cell, figures, strict=True)]
        self.lanes[-1]["count"] += figures[0]
        self.lanes[-1]["inside_ns"] += figures[1]


def area_figures(
    books: Sequence[Book], labels: Sequence[str], question: dict[str, Any]
) -> dict[str, Any]:
    """Functions, lanes, cells of the pivot and wait reasons of an area.

    `labels` says of each book what tells it from the others.
    """
    area, figures = Area.asked(question, books), _Figures()
    for number, wanted in area.lanes.items():
        book = books[number]
        for kind, bars in book.bars.items():
            for lane, found in _lanes(book, kind, bars, asked=(area, wanted)):
                facts = book.header["lanes"][lane]
                label = facts["group"] if _is_rank(facts["group"]) else labels[number]
                row = {"trace": number, "lane": lane, "bars": kind, "count": 0, "inside_ns": 0}
                figures.lanes.append(row)
                for (name, run), one in found.items():
                    column = (facts["kind_name"], run or label)
                    figures.add((kind, _name(book, kind, name)), column, one)
    keys = ("bars", "name", "kind", "part", "count", "inside_ns", "whole_ns")
    return {
        "functions": [_function(*item) for item in figures.functions.items()],
        "lanes": figures.lanes,
        "cells": [
            dict(zip(keys, (*key, *cell), strict=True)) for key, cell in figures.cells.items()
        ],
        "waits": _waits(books, area),
    }


def _function(key: tuple[str, str], sums: _FunctionSums) -> dict[str, Any]:
    spread = spread_of(np.concatenate(sums.lengths))
    return {
        "bars": key[0],
        "name": key[1],
        "count": spread.count,
        "over": sums.over,
        "inside_ns": sums.inside_ns,
        "whole_ns": spread.total_ns,
        "p50_ns": spread.p50_ns,
        "p99_ns": spread.p99_ns,
        "max_ns": spread.max_ns,
    }


def _lanes(
    book: Book, kind: str, bars: PageBars, *, asked: tuple[Area, list[int]]
) -> Iterator[tuple[int, dict[tuple[int, str], _LaneSums]]]:
    """Of every wanted lane with bars of this kind in the area: what was found on it."""
    area, wanted = asked
    slices = book.slices(kind)
    places = [(lane, slices[lane]) for lane in wanted if lane in slices]
    if not places:
        return
    with ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(_of_lane, book, bars.rows_between(*place), kind, area=area)
            for _, place in places
        ]
        for (lane, _), job in zip(places, jobs, strict=True):
            if found := job.result():
                yield lane, found


def _of_lane(
    book: Book, bars: PageBars, kind: str, *, area: Area
) -> dict[tuple[int, str], _LaneSums]:
    """By name and run what is in the area; the bars are those of one lane in order of start."""
    bars = bars.rows_between(0, int(np.searchsorted(bars.start_ns, area.t1)))
    touching = (bars.end_ns > area.t0) | (bars.start_ns >= area.t0)
    if not touching.all():
        bars = bars.rows(touching)
    if not len(bars):
        return {}
    by_run = area.by_run and kind in ("tasks", "phases")
    code, runs = _codes_of_runs(book, bars, kind) if by_run else (_narrow(bars.name + 1), [""])
    order = np.argsort(code, kind="stable")
    code = code[order]
    length = (bars.end_ns - bars.start_ns)[order]
    outside = np.maximum(area.t0 - bars.start_ns, 0) + np.maximum(bars.end_ns - area.t1, 0)
    outside = outside[order]
    first = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    found = {}
    for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(code)], strict=True):
        name, run = divmod(int(code[begin]), len(runs))
        lengths, cut = length[begin:end], outside[begin:end]
        inside = exact_sum(lengths) - exact_sum(cut)
        found[name - 1, runs[run]] = _LaneSums(lengths, inside, int(np.count_nonzero(cut)))
    return found


def _codes_of_runs(book: Book, bars: PageBars, kind: str) -> tuple[Array, list[str]]:
    """A number per bar for its name and run, and what the runs are called; the last is no run."""
    names = [run["name"] for run in book.header["runs"]]
    places = run_places(book.trace, book.trace.table(kind)["run"][bars.row])
    assert places is not None
    place = np.where(places < 0, len(names), places)
    return _narrow((bars.name.astype(np.int64) + 1) * (len(names) + 1) + place), [*names, "no run"]


def _narrow(code: Array) -> Array:
    """Codes of 16 bits where they fit: those are sorted fastest."""
    return code.astype(np.uint16) if int(code.max()) < 1 << 16 else code


def _name(book: Book, kind: str, code: int) -> str:
    """What the page calls a bar: barName of model.js."""
    known = book.header["functions" if kind == "tasks" else "words"]
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
