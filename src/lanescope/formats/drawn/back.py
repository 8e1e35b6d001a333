"""Makes a trace of bars that lanescope drew and of the text about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.drawn.about import UNDRAWN, About
from lanescope.formats.views.arguments import COUNTER_SUFFIX, TASK_ARGUMENTS, TASK_TIMES
from lanescope.formats.views.stalls import PREFIX
from lanescope.trace import MISSING, MISSING32, SCHEMA, Table, Trace, Words
from lanescope.trace.numbering import find
from lanescope.trace.table import Array

_SHIFTED = frozenset(TASK_TIMES)
_SETUP = "setup_ns"
_OPEN = "open"
_NOT_COUNTERS = {*TASK_ARGUMENTS, *(c.name for c in SCHEMA["tasks"].columns), _SETUP, _OPEN}


@dataclass(frozen=True, slots=True)
class DrawnRows:
    """The bars of a file, in any order, as an importer found them."""

    track: Array
    category: Array
    """Index into `categories`; -1 for none."""
    categories: list[str]
    name: Array
    names: list[str]
    start: Array
    end: Array
    arguments: Mapping[str, Array]
    """Whole numbers are MISSING, others NaN where a bar has no such argument."""
    words: Mapping[str, list[str]]
    """Per argument that is a text, what its numbers stand for."""
    arrows: tuple[Array, Array]
    series: Array
    """Per sample the place of its series in the text."""
    time: Array
    value: Array


def drawn_trace(about: About, rows: DrawnRows, bundle: Bundle) -> Trace:
    """The trace that was drawn, as far as the drawing carries it."""
    back = _Back(about, rows, bundle)
    tables = {name: back.undrawn(name) for name in UNDRAWN}
    tables |= {"tasks": back.tasks(), "phases": back.phases(), "marks": back.marks()}
    tables |= {"stalls": back.stalls(), "edges": back.edges(), "counters": back.counters()}
    meta = msgspec.structs.replace(
        about.meta,
        name=bundle.name,
        sources=bundle.sources(),
        notes=(*about.meta.notes, *bundle.notes, *_notes(about)),
    )
    return Trace(meta=meta, words=back.words.freeze(), **tables)


def _notes(about: About) -> list[str]:
    if not about.not_drawn:
        return []
    lost = ", ".join(f"{count} of {name}" for name, count in about.not_drawn.items())
    return [f"Rows that the exported file does not have, because they were not drawn: {lost}."]


class _Back:
    """Rows of every table from bars, their lanes and their arguments."""

    def __init__(self, about: About, rows: DrawnRows, bundle: Bundle) -> None:
        self.words = Words()
        self._about, self._rows, self._path = about, rows, bundle.main.path
        self._producers = [producer for view in about.views for producer in view.lanes]
        tracks = [view.first + k for view in about.views for k in range(len(view.lanes))]
        self._lane = find(np.array(tracks, np.int64), rows.track)

    def tasks(self) -> Table:
        """Tasks that ran, and those of which only dispatch and finish are known."""
        ran = self._of("task")
        waited = self._of("dispatched")
        at = np.concatenate([ran, waited])
        columns = self._columns("tasks", at, skip=("start_ns", "end_ns", "core", "func"))
        has_run = np.arange(len(at)) < len(ran)
        start, end = self._since(self._rows.start[at]), self._since(self._rows.end[at])
        columns["core"] = self._cores(at)
        columns["func"] = self._whole("function", at)
        columns["start_ns"] = np.where(has_run, start, MISSING)
        columns["end_ns"] = np.where(has_run, end, MISSING)
        columns["dispatch_ns"] = np.where(has_run, columns["dispatch_ns"], start)
        columns["finish_ns"] = np.where(has_run, columns["finish_ns"], end)
        setup = self._whole(_SETUP, at)
        columns["receive_ns"] = np.where(setup != MISSING, columns["start_ns"] - setup, MISSING)
        order = np.lexsort((columns["start_ns"], columns["token"], columns["core"]))
        return _built("tasks", columns, order)

    def phases(self) -> Table:
        """Phases of all controllers, by controller and start, the longest first."""
        at = self._of("phase")
        columns = self._columns("phases", at, skip=("lane", "controller", "kind"))
        columns |= self._controllers(at)
        columns["kind"] = self._named(at, "phase")
        columns["start_ns"] = self._since(self._rows.start[at])
        columns["end_ns"] = self._since(self._rows.end[at])
        order = np.lexsort(
            (-columns["end_ns"], columns["start_ns"], columns["controller"], columns["lane"])
        )
        return _built("phases", columns, order)

    def marks(self) -> Table:
        """Marks on the pipes of cores."""
        at = self._of("mark")
        columns = self._columns("marks", at, skip=("core", "pipe", "name"))
        columns["core"] = self._cores(at)
        pipes = [str(pipe) if pipe is not None else "" for _, pipe in self._producers]
        codes = np.array([self.words.code(pipe) if pipe else -1 for pipe in pipes], np.int32)
        columns["pipe"] = self._by_lane(codes, at)
        columns["name"] = self._named(at, "mark")
        open_end = self._whole(_OPEN, at)
        start, end = self._since(self._rows.start[at]), self._since(self._rows.end[at])
        columns["start_ns"] = np.where(open_end == 1, MISSING, start)
        columns["end_ns"] = np.where(open_end == 2, MISSING, end)
        return _built("marks", columns, np.lexsort((end, start, columns["core"])))

    def stalls(self) -> Table:
        """Times that recording made a core or a controller wait."""
        at = self._of("stall")
        columns = self._columns("stalls", at, skip=("lane", "core", "controller", "cause"))
        columns["cause"] = self._named(at, "stall", PREFIX)
        columns["start_ns"] = self._since(self._rows.start[at])
        columns["end_ns"] = self._since(self._rows.end[at])
        of_controller = self._by_lane(
            np.array([isinstance(one[0], str) for one in self._producers], bool), at
        ).astype(bool)
        controllers = self._controllers(at)
        core = self.words.code("core") if len(at) else -1
        columns["lane"] = np.where(of_controller, controllers["lane"], core)
        columns["controller"] = np.where(of_controller, controllers["controller"], MISSING32)
        columns["core"] = np.where(of_controller, MISSING, self._cores(at))
        return _built("stalls", columns, np.lexsort((columns["start_ns"], columns["core"])))

    def edges(self) -> Table:
        """A pair of tasks per arrow."""
        source, target = self._rows.arrows
        task = self._rows.arguments.get("task", np.empty(0, np.int64))
        if not len(task):
            return Table.build("edges")
        kept = (task[source] != MISSING) & (task[target] != MISSING)
        pairs = {"pred": task[source][kept], "succ": task[target][kept]}
        order = np.lexsort((pairs["succ"], pairs["pred"]))
        same = {"kind": "flow", **self._about.edges}
        return _built("edges", {**pairs, **self._constants("edges", same, len(order))}, order)

    def counters(self) -> Table:
        """Counters of tasks, which are arguments, and samples over time."""
        parts = [self._samples()]
        at = self._of("task")
        task, token, core = self._whole("task", at), self._whole("token", at), self._cores(at)
        for name, values in self._rows.arguments.items():
            if name in _NOT_COUNTERS or not len(at):
                continue
            whole = values.dtype != np.float64
            known = values[at] != MISSING if whole else np.isfinite(values[at])
            if known.any():
                code = self.words.code(name.removesuffix(COUNTER_SUFFIX))
                parts.append(
                    {
                        "name": np.full(int(known.sum()), code),
                        "value": values[at][known].astype(np.float64),
                        "task": task[known],
                        "core": core[known],
                        "token": token[known],
                        "time_ns": np.full(int(known.sum()), MISSING),
                    }
                )
        columns = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        return _built("counters", columns, np.arange(len(columns["name"])))

    def undrawn(self, name: str) -> Table:
        """A table that stands in the text."""
        columns = self._about.tables.get(name, {})
        try:
            return Table.build(
                name, {key: self._cells(name, key, values) for key, values in columns.items()}
            )
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            problem = f"says of its {name} what cannot be ({error})"
            raise InputError(self._path, f"{problem}; export the trace again") from error

    def _samples(self) -> dict[str, Array]:
        series = self._about.series
        kept = [place for place, one in enumerate(series) if one.counter is not None]
        mine = np.isin(self._rows.series, kept)
        which = self._rows.series[mine]
        names = np.array([self.words.code(one.counter or "") for one in series], np.int64)
        cores = np.array([MISSING if one.core is None else one.core for one in series], np.int64)
        count = len(which)
        return {
            "name": names[which] if count else np.empty(0, np.int64),
            "value": self._rows.value[mine],
            "task": np.full(count, MISSING),
            "core": cores[which] if count else np.empty(0, np.int64),
            "token": np.full(count, MISSING),
            "time_ns": self._since(self._rows.time[mine]),
        }

    def _of(self, category: str) -> Array:
        """The bars of this category that lie on a lane of ours."""
        if category not in self._rows.categories:
            return np.empty(0, np.int64)
        code = self._rows.categories.index(category)
        return np.flatnonzero((self._rows.category == code) & (self._lane >= 0))

    def _columns(self, table: str, at: Array, skip: tuple[str, ...]) -> dict[str, Array]:
        """The columns that arguments and constants tell."""
        found: dict[str, Array] = {}
        for column in SCHEMA[table].columns:
            if column.name in skip or column.name.endswith("_cycles"):
                continue
            values = self._whole(column.name, at)
            if column.type == "word":
                values = self._as_words(column.name, values)
            elif column.name in _SHIFTED:
                values = np.where(values == MISSING, MISSING, values - self._about.shift_ns)
            found[column.name] = values
        for view in self._about.views:
            for part in view.parts:
                mine = self._in_part(table, part.category, part.kind, at)
                if mine is None:
                    continue
                for name, values in self._constants(table, part.constants, len(at)).items():
                    found[name] = np.where(mine, values, found[name])
        return found

    def _in_part(self, table: str, category: str, kind: str | None, at: Array) -> Array | None:
        """Mask of the rows that a part's constants are about; None where it is of another table."""
        tables = {"task": "tasks", "dispatched": "tasks", "mark": "marks", "phase": "phases"}
        if tables.get(category) != table:
            return None
        mine = self._rows.category[at] == self._place(category)
        if kind is None:
            return np.asarray(mine)
        of_kind = np.array([str(one[0]) == kind for one in self._producers], bool)
        return np.asarray(mine & self._by_lane(of_kind, at).astype(bool))

    def _place(self, category: str) -> int:
        known = self._rows.categories
        return known.index(category) if category in known else -2

    def _constants(self, table: str, same: Mapping[str, Any], count: int) -> dict[str, Array]:
        try:
            return {
                name: np.full(count, int(self._cells(table, name, [value])[0]))
                for name, value in same.items()
            }
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            problem = f"says of its {table} what cannot be ({error})"
            raise InputError(self._path, f"{problem}; export the trace again") from error

    def _cells(self, table: str, name: str, values: list[Any]) -> Array:
        """Plain values as a column of the schema: words as codes, None as missing."""
        column = SCHEMA[table].column(name)
        if column.type == "word":
            values = [None if value is None else self.words.code(str(value)) for value in values]
        filled = [column.missing if value is None else value for value in values]
        return np.array(filled, column.dtype)

    def _whole(self, name: str, at: Array) -> Array:
        """An argument of these bars as whole numbers, MISSING where it is absent."""
        values = self._rows.arguments.get(name)
        if values is None:
            return np.full(len(at), MISSING)
        if values.dtype == np.float64:
            known = np.isfinite(values[at]) & (np.abs(values[at]) < 2.0**62)
            return np.where(known, np.where(known, values[at], 0).astype(np.int64), MISSING)
        return values[at]

    def _as_words(self, name: str, values: Array) -> Array:
        texts = self._rows.words.get(name, [])
        codes = np.array([*(self.words.code(text) for text in texts), -1], np.int64)
        known = (values >= 0) & (values < len(texts))
        found: Array = codes[np.where(known, values, len(texts))]
        return found

    def _named(self, at: Array, unknown: str, prefix: str = "") -> Array:
        """The names of these bars as words; `unknown` stands for none."""
        names = self._rows.name[at]
        codes = np.full(len(self._rows.names) + 1, -1, np.int64)
        for place in np.unique(names).tolist():
            text = self._rows.names[place]
            if text not in (unknown, ""):
                codes[place] = self.words.code(text.removeprefix(prefix))
        found: Array = codes[names]
        return found

    def _cores(self, at: Array) -> Array:
        cores = [one[0] if isinstance(one[0], int) else MISSING for one in self._producers]
        return self._by_lane(np.array(cores, np.int64), at)

    def _controllers(self, at: Array) -> dict[str, Array]:
        kinds = [
            self.words.code(one[0]) if isinstance(one[0], str) else -1 for one in self._producers
        ]
        numbers = [one[1] if isinstance(one[1], int) else MISSING32 for one in self._producers]
        return {
            "lane": self._by_lane(np.array(kinds, np.int64), at),
            "controller": self._by_lane(np.array(numbers, np.int64), at),
        }

    def _by_lane(self, values: Array, at: Array) -> Array:
        found: Array = values[self._lane[at]] if len(at) else values[:0]
        return found

    def _since(self, times: Array) -> Array:
        shifted: Array = times - self._about.shift_ns
        return shifted


def _built(name: str, columns: dict[str, Array], order: Array) -> Table:
    """A table in this order; MISSING becomes what stands for it in a narrower column."""
    built = {}
    for key, values in columns.items():
        column = SCHEMA[name].column(key)
        if column.dtype == np.int32 and values.dtype != np.int32:
            missing = -1 if column.type == "word" else MISSING32
            values = np.where(values == MISSING, missing, values).astype(np.int32)
        built[key] = values[order]
    return Table.build(name, built)
