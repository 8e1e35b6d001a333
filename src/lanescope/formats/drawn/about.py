"""The text that a timeline of ours carries about itself: what its lanes and parts show.

It holds `meta`, the tables that are not drawn, and per drawn part the columns that are the same in
every row.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.views import Series, View, origin_ns
from lanescope.trace import MISSING, Meta, Trace

KEY = "lanescope"
"""What the text is called in a file."""
VERSION = 1
UNDRAWN = (
    *("cores", "controllers", "functions", "runs", "steps", "waits", "collectives"),
    *("launches", "blocks"),
)
"""Tables that stand in the text as they are; they have few rows."""
EDGE_COLUMNS = ("kind", "flags", "arg")
Whole = Annotated[int, msgspec.Meta(ge=-(1 << 62), le=1 << 62)]
"""Fits into a column."""
DrawnProducer = tuple[Whole | str | None, str | Whole | None]
"""A `Producer` of views/."""


class DrawnPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bars of one table, or of one kind of controller."""

    category: str
    kind: str | None
    """Kind of controller, of phases."""
    constants: dict[str, Any]


class DrawnView(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A view whose bars are rows; its lanes are tracks that are numbered one after another."""

    first: Whole
    lanes: list[DrawnProducer]
    parts: list[DrawnPart]


class DrawnSeries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A series: a counter with times; without a name where it is made of other rows."""

    track: Whole
    label: str
    counter: str | None
    core: Whole | None


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that the text says."""

    version: int
    shift_ns: Whole
    """What was added to the trace's times, so that none is negative."""
    meta: Meta
    views: list[DrawnView]
    series: list[DrawnSeries]
    arguments: dict[str, Literal["whole", "real", "word"]]
    """The arguments of all bars, and what their values are."""
    edges: dict[str, Any]
    """Columns of edges that are the same in every row."""
    not_drawn: dict[str, int]
    """Table → how many of its rows are not in the file."""
    tables: dict[str, dict[str, list[Any]]]

    @classmethod
    def read(cls, path: Path, text: bytes) -> About:
        """Parse the text of a file; raises InputError where it cannot be used."""
        try:
            told = msgspec.json.decode(text)
            version = told.get("version") if isinstance(told, dict) else None
            if version != VERSION:
                problem = f"was written by a lanescope whose timelines have version {version!r}"
                raise InputError(path, f"{problem}, this one reads version {VERSION}")
            return msgspec.convert(told, cls)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            problem = f"says of itself what cannot be ({str(error)[:200]})"
            raise InputError(path, f"{problem}; export the trace again") from error


class AboutWriter:
    """Collects what is drawn while a file is written; `text` is the end of it."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._views: list[DrawnView] = []
        self._series: list[DrawnSeries] = []
        self._arguments: dict[str, Literal["whole", "real", "word"]] = {}
        self._bars: dict[str, int] = {}
        self._lost_arrows = 0

    def add_view(self, view: View, first: int) -> None:
        """Note a view whose lane k is track `first` + k."""
        self._lost_arrows += view.arrows.not_drawn
        for part in view.parts:
            self._bars[part.category] = self._bars.get(part.category, 0) + len(part.lane)
            for argument in part.arguments:
                real = argument.values.dtype == np.float64
                kind: Literal["whole", "real", "word"] = "word" if argument.words else "whole"
                known = self._arguments.get(argument.name)
                self._arguments[argument.name] = "real" if real or known == "real" else kind
        if view.producers:
            self._views.append(DrawnView(first, list(view.producers), _parts(view)))

    def add_series(self, series: Series, track: int = 0) -> None:
        """Note a series."""
        self._series.append(DrawnSeries(track, series.name, series.counter, series.core))

    def text(self) -> bytes:
        """What there is to say, as JSON."""
        trace = self._trace
        about = msgspec.to_builtins(
            About(
                version=VERSION,
                shift_ns=-origin_ns(trace),
                meta=trace.meta,
                views=self._views,
                series=self._series,
                arguments=self._arguments,
                edges=_same(trace),
                not_drawn=self._not_drawn(),
                tables={name: _columns(trace, name) for name in UNDRAWN},
            )
        )
        text = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")

    def _not_drawn(self) -> dict[str, int]:
        trace, bars = self._trace, self._bars
        drawn = {
            "tasks": bars.get("task", 0) + bars.get("dispatched", 0),
            "phases": bars.get("phase", 0),
            "marks": bars.get("mark", 0),
            "stalls": bars.get("stall", 0),
        }
        missing = {name: len(trace.table(name)) - count for name, count in drawn.items()}
        missing["edges"] = self._lost_arrows
        return {name: count for name, count in missing.items() if count}


def _parts(view: View) -> list[DrawnPart]:
    parts = []
    for k, part in enumerate(view.parts):
        if len(part.lane):
            lane = int(view.lane[np.argmax(view.part == k)])
            kind = str(view.producers[lane][0]) if part.category == "phase" else None
            parts.append(DrawnPart(part.category, kind, dict(part.constants)))
    return parts


def _same(trace: Trace) -> dict[str, Any]:
    """The columns of edges beside their ends that are the same in every row."""
    edges = trace.edges
    same: dict[str, Any] = {}
    for name in EDGE_COLUMNS if len(edges) else ():
        values, column = edges[name], edges.schema.column(name)
        if (values == values[0]).all() and not column.is_missing(values[:1])[0]:
            word = column.type == "word"
            same[name] = edges.words_of(values[:1])[0] if word else int(values[0])
    return same


def _columns(trace: Trace, name: str) -> dict[str, list[Any]]:
    """The columns of a table in which anything is known."""
    columns = trace.table(name).to_dict()
    return {
        key: values
        for key, values in columns.items()
        if any(value is not None and value != MISSING for value in values)
    }
