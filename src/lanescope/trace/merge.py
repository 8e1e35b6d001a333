"""Puts traces of single runs into one: runs one after the other on a chip, or ranks side by side.

Every run numbers its tasks, every rank its cores and controllers from 0. In the merged trace all of
these are distinct: `tasks.id` keeps what the source called a task, names of cores and controllers
begin with their rank.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from lanescope.trace.meta import LedgerEntry, Meta
from lanescope.trace.numbering import different, places
from lanescope.trace.run_parts import recorded_span
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.summed import summed
from lanescope.trace.table import Array, Table
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace, Words

_LANE = re.compile(r"(.*\D)(\d+)")
"""A lane of the ledger: its kind and its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A trace of one run, and where it goes."""

    trace: Trace
    rank: int | None = None
    """The rank that it ran on; None where all parts ran on one chip."""
    shift_ns: int = 0
    """From the part's 0 ns to that of the merged trace."""
    clock: str = "device"
    """How that is known, see `runs.clock`."""
    slack_ns: int | None = 0
    """How much later than that the part may lie; None where that is not known."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What is common to all parts: task ids, and how far apart the numbers of two ranks lie."""

    ids: Array
    """All ids of tasks that some part names, in rising order."""
    cores: int
    controllers: int
    launches: int

    @classmethod
    def of(cls, parts: Sequence[Part]) -> _Numbers:
        named = [np.empty(0, np.int64)]
        cores, controllers, launches = 0, 0, 0
        for part in parts:
            trace = part.trace
            named += [trace.edges[end] for end in ("pred", "succ")]
            named += [table["task"] for table in (trace.tasks, trace.phases, trace.counters)]
            cores = max(cores, _most(trace.cores, "core"), _most(trace.tasks, "core"))
            controllers = max(controllers, _most(trace.phases, "controller"))
            controllers = max(controllers, _most(trace.cores, "controller"))
            tables = (trace.tasks, trace.phases)
            numbers = [_most(table, name) for table in tables for name in ("launch", "op")]
            launches = max(launches, *numbers, _most(trace.phases, "flow"))
            launches = max(launches, *(_most(trace.launches, one) for one in ("launch", "call")))
        ids = different(np.concatenate([different(some) for some in named]))
        return cls(ids[ids != MISSING], cores + 1, controllers + 1, launches + 1)


def merge(name: str, parts: Sequence[Part]) -> Trace:
    """One trace of all parts; `name` is what it is called.

    All parts have a rank or none has. Parts of one rank are on one clock, so their cores are the
    same. Functions are the same where number and name are.
    """
    ranks = sorted({part.rank for part in parts if part.rank is not None})
    numbers = _Numbers.of(parts)
    words = Words()
    functions = _functions(parts)
    pieces: dict[str, list[dict[str, Array]]] = {table: [] for table in SCHEMA}
    for run, part in enumerate(parts):
        place = ranks.index(part.rank) if part.rank is not None else 0
        moved = _Moved(part, run, place, numbers, words, functions[run])
        for table in SCHEMA:
            pieces[table].append(moved.columns(table))
    tables = {table: _below(table, some) for table, some in pieces.items()}
    tables["cores"] = _first_of(tables["cores"], ("core",))
    tables["controllers"] = _first_of(tables["controllers"], ("lane", "controller"))
    tables["functions"] = _first_of(tables["functions"], ("func",))
    tables["tasks"] = _sorted(tables["tasks"])
    return Trace(meta=_meta(name, parts, numbers, ranks), words=words.freeze(), **tables)


class _Moved:
    """One part's tables with the numbers, words and times of the merged trace."""

    def __init__(
        self,
        part: Part,
        run: int,
        place: int,
        numbers: _Numbers,
        words: Words,
        functions: Mapping[int, int],
    ) -> None:
        self.part, self.run, self.place, self.numbers = part, run, place, numbers
        self.words, self.functions = words, functions
        self.codes = words.codes(list(part.trace.words))

    def columns(self, name: str) -> dict[str, Array]:
        if name == "runs":
            return self._runs()
        table = self.part.trace.table(name)
        if name == "controllers" and self.part.rank is not None:
            table = _all_controllers(self.part.trace)
        columns = {column.name: self._column(table, column.name) for column in table.present()}
        if name == "tasks":
            columns["id"] = table["task"]
        if name in ("tasks", "phases", "counters"):
            columns["run"] = np.full(len(table), self.run, np.int32)
        if name in ("steps", "waits", "collectives", "launches") and self.part.rank is not None:
            columns["rank"] = np.full(len(table), self.part.rank, np.int32)
        if name in ("cores", "controllers") and self.part.rank is not None:
            columns["rank"] = np.full(len(table), self.part.rank, np.int32)
            names = [f"rank {self.part.rank} {text}" for text in table.text("name")]
            columns["name"] = self.words.codes(names)
        return columns

    def _column(self, table: Table, name: str) -> Array:
        values, column = table[name], table.schema.column(name)
        if column.type == "word":
            codes = self.codes
            if len(table.words) > len(codes):
                codes = self.words.codes(list(table.words))
            return np.append(codes, np.int32(-1))[values]
        if name in ("task", "on_task", "pred", "succ"):
            return self._tasks(values)
        if name == "func":
            return self._functions(values)
        if name in ("launch", "on_launch", "call", "op", "flow"):
            shift = self.run * self.numbers.launches
            return np.where(values != MISSING, values + shift, values)
        if name in ("core", "on_core", "controller"):
            step = self.numbers.controllers if name == "controller" else self.numbers.cores
            return np.where(values >= 0, values + np.int32(self.place * step), values)
        if name.endswith("_ns") and self.part.shift_ns:
            return np.where(values != MISSING, values + self.part.shift_ns, values)
        return values

    def _tasks(self, task: Array) -> Array:
        at = places(self.numbers.ids, task)
        return np.where(at >= 0, at + self.run * len(self.numbers.ids), MISSING)

    def _functions(self, func: Array) -> Array:
        known = different(func)
        by = np.array([self.functions.get(one, one) for one in known.tolist()], np.int32)
        result: Array = by[np.searchsorted(known, func)]
        return result

    def _runs(self) -> dict[str, Array]:
        trace, part = self.part.trace, self.part
        given = trace.runs
        start, end = recorded_span(trace) or (MISSING, MISSING)
        base = trace.meta.base_cycles
        row: dict[str, Any] = {
            "run": self.run,
            "epoch": int(given["epoch"][0]) if len(given) else MISSING,
            "rank": MISSING32 if part.rank is None else part.rank,
            "start_ns": start + part.shift_ns if start != MISSING else MISSING,
            "end_ns": end + part.shift_ns if end != MISSING else MISSING,
            "base_cycles": MISSING if base is None else base,
            "base_ns": part.shift_ns - trace.meta.base_shift_ns,
            "clock": self.words.code(part.clock),
            "slack_ns": MISSING if part.slack_ns is None else part.slack_ns,
        }
        if len(given):
            row["completeness"] = self._column(given, "completeness")[0]
        schema = SCHEMA["runs"]
        return {key: np.array([value], schema.column(key).dtype) for key, value in row.items()}


def _all_controllers(trace: Trace) -> Table:
    """The controllers table with a row for every controller of which there are phases."""
    phases, known = trace.phases, trace.controllers
    there = set(zip(known["lane"].tolist(), known["controller"].tolist(), strict=True))
    pairs = dict.fromkeys(zip(phases["lane"].tolist(), phases["controller"].tolist(), strict=True))
    more = [pair for pair in pairs if pair not in there and pair[1] >= 0]
    words = Words(trace.words)
    names = [f"{trace.word(lane)} {number}" for lane, number in more]
    columns = {
        "lane": np.array([lane for lane, _ in more], np.int32),
        "controller": np.array([number for _, number in more], np.int32),
        "name": words.codes(names),
    }
    added = Table.build("controllers", columns, words=words.freeze())
    both = {c.name: np.concatenate([known[c.name], added[c.name]]) for c in known.present()}
    return Table.build("controllers", both, words=words.freeze())


def _functions(parts: Sequence[Part]) -> list[dict[int, int]]:
    """Per part: the number in the merged trace of each of its functions.

    Where two parts call a number by different names, the later one gets a number of its own.
    """
    names: dict[int, str] = {}
    numbers: dict[tuple[int, str], int] = {}
    used = [int(part.trace.functions["func"].max(initial=-1)) for part in parts]
    free = max(used, default=-1) + 1
    result = []
    for part in parts:
        table = part.trace.functions
        mine = {}
        for func, name in zip(table["func"].tolist(), table.text("name"), strict=True):
            if (func, name) not in numbers:
                if names.setdefault(func, name) == name:
                    numbers[func, name] = func
                else:
                    numbers[func, name] = free
                    free += 1
            mine[func] = numbers[func, name]
        result.append(mine)
    return result


def _below(name: str, pieces: list[dict[str, Array]]) -> Table:
    tables = [Table.build(name, piece) for piece in pieces]
    columns = SCHEMA[name].columns
    return Table.build(name, {c.name: np.concatenate([t[c.name] for t in tables]) for c in columns})


def _first_of(table: Table, keys: tuple[str, ...]) -> Table:
    """The rows whose key no earlier row has."""
    seen: set[tuple[int, ...]] = set()
    kept = []
    for row, key in enumerate(zip(*(table[name].tolist() for name in keys), strict=True)):
        if key not in seen:
            seen.add(key)
            kept.append(row)
    return table.rows(np.array(kept, np.int64))


def _sorted(tasks: Table) -> Table:
    """By core, run and token; nodes that ran on no core come last."""
    core = np.where(tasks["core"] == MISSING32, np.iinfo(np.int32).max, tasks["core"])
    return tasks.rows(np.lexsort((tasks["token"], tasks["run"], core)))


def _most(table: Table, name: str) -> int:
    bounds = table.bounds(name)
    return -1 if bounds is None else bounds[1]


def _meta(name: str, parts: Sequence[Part], numbers: _Numbers, ranks: list[int | Any]) -> Meta:
    metas = [part.trace.meta for part in parts]
    first = metas[0]
    notes = _notes(parts)
    levels = sorted({meta.level for meta in metas})
    if len(levels) > 1:
        notes += (f"The runs were recorded at different levels: {', '.join(map(str, levels))}.",)
    flags = 0
    for meta in metas:
        flags |= meta.flags
    changed: dict[str, Any] = {}
    if ranks:
        changed = {"base_cycles": None, "base_shift_ns": 0, "host_clock": None}
    return msgspec.structs.replace(
        first,
        name=name,
        sources=tuple(dict.fromkeys(source for meta in metas for source in meta.sources)),
        level=levels[-1],
        flags=flags,
        ledger=_ledger(parts, numbers, ranks),
        notes=notes,
        extra=first.extra | {"runs": [meta.extra for meta in metas]},
        **changed,
    )


def _notes(parts: Sequence[Part]) -> tuple[str, ...]:
    """The notes of all parts; one that is not about all ranks says which it is about."""
    ranks: dict[str, set[int | None]] = {}
    for part in parts:
        for note in part.trace.meta.notes:
            ranks.setdefault(note, set()).add(part.rank)
    every = {part.rank for part in parts}
    notes = []
    for note, some in ranks.items():
        about = [""] if some == every else [f"Rank {rank}: " for rank in sorted(some, key=str)]
        notes += [f"{rank}{note}" for rank in about]
    return tuple(notes)


def _ledger(parts: Sequence[Part], numbers: _Numbers, ranks: list[Any]) -> tuple[LedgerEntry, ...]:
    """Entries of one lane and kind are added up over the runs of a rank."""
    entries = []
    for part in parts:
        for entry in part.trace.meta.ledger:
            lane = entry.lane
            if part.rank is not None:
                lane = _lane_of(entry.lane, part.rank, ranks.index(part.rank), numbers.cores)
            entries.append(msgspec.structs.replace(entry, lane=lane))
    return summed(entries)


def _lane_of(lane: str, rank: int, place: int, step: int) -> str:
    match = _LANE.fullmatch(lane)
    if match is not None and match[1] == "core ":
        return f"core {int(match[2]) + place * step}"
    return f"rank {rank} {lane}"


def with_run(trace: Trace, *, epoch: int | None, completeness: str, clock: str) -> Trace:
    """A trace of one run that says which one it is."""
    words = Words(trace.words)
    start, end = recorded_span(trace) or (MISSING, MISSING)
    base = trace.meta.base_cycles
    runs = {
        "run": [0],
        "epoch": [MISSING if epoch is None else epoch],
        "completeness": [words.code(completeness) if completeness else -1],
        "start_ns": [start],
        "end_ns": [end],
        "base_cycles": [MISSING if base is None else base],
        "base_ns": [-trace.meta.base_shift_ns],
        "clock": [words.code(clock)],
        "slack_ns": [0 if trace.meta.host_clock is None else trace.meta.host_clock.slack_ns],
    }
    schema = SCHEMA["runs"]
    columns = {key: np.array(value, schema.column(key).dtype) for key, value in runs.items()}
    return replace(trace, words=words.freeze(), runs=Table.build("runs", columns))
