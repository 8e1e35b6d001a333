"""Reads Kanata logs: ours back into tasks, those of processor simulators as instructions.

An instruction of a simulator is a task on the track of its thread; its stages are marks on pipes
that are named after them. Cycles are the log's own: without a rate, one is drawn as 1 ns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.json_file import map_file
from lanescope.formats.look import FileLook
from lanescope.trace import MISSING, MISSING32, LedgerEntry, Meta, Table, Trace, Words
from lanescope.trace.clock import cycles_to_ns
from lanescope.trace.table import Array

_HEAD = b"Kanata\t"
_OURS = re.compile(
    r"task (?P<task>-?\d+) on (?P<lane>.*?)(?:; (?P<unit>a cycle is 1 ns|\d+ cyc.*))?"
)
_RATE = re.compile(r"(\d{1,18}) cycles are 1 s, cycle (-?\d{1,18}) is (-?\d{1,18}) ns")
_MOST = 1 << 61
_LONGEST_NAME = 4096


@dataclass(slots=True)
class _Log:
    """The instructions of a log, in the order in which they appear."""

    number: list[int] = field(default_factory=list)
    thread: list[int] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    hover: list[str] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    stages: list[tuple[int, str, int, int]] = field(default_factory=list)
    """Instruction, stage, start and end."""
    needs: list[tuple[int, int]] = field(default_factory=list)


def recognises(look: FileLook) -> str | None:
    """The first line says that it is one."""
    return "kanata" if look.head.startswith(_HEAD) else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace."""
    log = _read(bundle)
    ours = [_OURS.fullmatch(text) for text in log.hover]
    if log.number and all(ours) and {stage for _, stage, _, _ in log.stages} <= {"W", "X"}:
        yield _own_trace(log, [one for one in ours if one is not None], bundle)
    else:
        yield _simulated_trace(log, bundle)


def _read(bundle: Bundle) -> _Log:
    path = bundle.main.path
    lines = bytes(map_file(path)).decode("utf-8", "replace").split("\n")
    log, reader = _Log(), None
    for place, line in enumerate(lines[1:], 2):
        reader = reader or _Reader(log)
        try:
            reader.take(line.rstrip("\r").split("\t"))
        except (ValueError, IndexError, KeyError) as error:
            problem = f"line {place}: {line[:80]!r} is no command of Kanata 0004 ({error})"
            raise InputError(path, f"{problem}; the log is damaged or cut off") from error
    if reader is not None:
        reader.close()
    return log


class _Reader:
    """Follows the clock of a log and its open stages."""

    def __init__(self, log: _Log) -> None:
        self._log = log
        self._now = 0
        self._place: dict[int, int] = {}
        self._open: dict[int, dict[str, tuple[str, int]]] = {}

    def take(self, fields: list[str]) -> None:
        """Follow one line. Commands that are not known are passed over, as viewers do."""
        log = self._log
        match fields:
            case ["C=", cycle, *_]:
                self._now = _number(cycle)
            case ["C", cycles, *_]:
                self._now = _number(str(self._now + int(cycles)))
            case ["I", one, number, thread, *_]:
                self._place[int(one)] = len(log.number)
                log.number.append(_number(number))
                log.thread.append(_number(thread))
                log.name.append("")
                log.hover.append("")
                log.end.append(MISSING)
            case ["L", one, "0", *text]:
                log.name[self._place[int(one)]] += "\t".join(text)
            case ["L", one, "1", *text]:
                log.hover[self._place[int(one)]] += "\t".join(text)
            case ["S", one, lane, stage, *_]:
                self._end_stage(self._place[int(one)], lane)
                self._open.setdefault(self._place[int(one)], {})[lane] = stage, self._now
            case ["E", one, lane, *_]:
                self._end_stage(self._place[int(one)], lane)
            case ["R", one, *_]:
                self._retire(self._place[int(one)])
            case ["W", one, other, *_]:
                log.needs.append((self._place[int(other)], self._place[int(one)]))

    def close(self) -> None:
        """End what is open at the end of the log."""
        for place in list(self._open):
            self._end_all(place)

    def _retire(self, place: int) -> None:
        self._end_all(place)
        self._log.end[place] = self._now

    def _end_all(self, place: int) -> None:
        for stage, begin in self._open.pop(place, {}).values():
            self._log.stages.append((place, stage, begin, self._now))

    def _end_stage(self, place: int, lane: str) -> None:
        begun = self._open.get(place, {}).pop(lane, None)
        if begun is not None:
            self._log.stages.append((place, begun[0], begun[1], self._now))


def _number(text: str) -> int:
    value = int(text)
    if abs(value) >= _MOST:
        raise ValueError("a number is too large")
    return value


def _own_trace(log: _Log, ours: list[re.Match[str]], bundle: Bundle) -> Trace:
    """Tasks with dispatch, start and end, as the export has them."""
    count = len(log.number)
    dispatch, start, end = (np.full(count, MISSING) for _ in range(3))
    for place, stage, begin, until in log.stages:
        if stage == "W":
            dispatch[place] = begin
        else:
            start[place], end[place] = begin, until
    dispatch = np.where(dispatch == start, MISSING, dispatch)
    words = Words()
    lanes = dict(zip(log.thread, (one["lane"] for one in ours), strict=True))
    times, facts = _times(ours[0]["unit"] or "", dispatch, start, end, bundle)
    rows = _rows(log, words)
    order = np.lexsort((start, rows["core"]))
    return Trace(
        meta=_meta(log, bundle, [], facts),
        tasks=Table.build("tasks", {k: v[order] for k, v in {**rows, **times}.items()}),
        functions=_functions(log, words),
        cores=_cores(lanes, words, "core", "core"),
        edges=_edges(log, words),
        words=words.freeze(),
    )


def _times(
    unit: str, dispatch: Array, start: Array, end: Array, bundle: Bundle
) -> tuple[dict[str, Array], dict[str, Any]]:
    """The log's cycles as nanoseconds, and as cycles where they are the device's."""
    cycles = {"dispatch": dispatch, "start": start, "end": end}
    rate = _RATE.fullmatch(unit)
    if rate is None:
        return {f"{key}_ns": value for key, value in cycles.items()}, {}
    hertz, base, base_ns = (int(text) for text in rate.groups())
    try:
        ns = {f"{key}_ns": cycles_to_ns(value, hertz, base) for key, value in cycles.items()}
    except (OverflowError, ZeroDivisionError) as error:
        raise InputError(bundle.main.path, f"has a rate that cannot be ({error})") from error
    shifted = {
        key: np.where(value == MISSING, MISSING, value + base_ns) for key, value in ns.items()
    }
    facts = {"clock_hz": hertz, "base_cycles": base, "base_shift_ns": -base_ns}
    return {**shifted, **{f"{key}_cycles": value for key, value in cycles.items()}}, facts


def _simulated_trace(log: _Log, bundle: Bundle) -> Trace:
    """Instructions with their stages as marks."""
    words = Words()
    stages = [row for row in log.stages if row[1]]
    place = np.array([row[0] for row in stages], np.int64)
    begin = np.array([row[2] for row in stages], np.int64)
    until = np.array([row[3] for row in stages], np.int64)
    start, end = np.full(len(log.number), _MOST), np.array(log.end, np.int64)
    np.minimum.at(start, place, begin)
    latest = np.full(len(log.number), -_MOST)
    np.maximum.at(latest, place, until)
    end = np.where(end == MISSING, latest, end)
    known = start < _MOST
    base = int(begin.min(initial=_MOST)) if len(begin) else 0
    rows = _rows(log, words)
    order = np.lexsort((start, rows["core"]))
    times = {
        "start_ns": np.where(known, start - base, MISSING),
        "end_ns": np.where(known, end - base, MISSING),
        "start_cycles": np.where(known, start, MISSING),
        "end_cycles": np.where(known, end, MISSING),
    }
    pipes = words.codes([row[1] for row in stages])
    note = "Cycles of a simulator whose rate is not known are drawn as nanoseconds."
    return Trace(
        meta=_meta(log, bundle, [note], {}),
        tasks=Table.build("tasks", {k: v[order] for k, v in {**rows, **times}.items()}),
        marks=Table.build(
            "marks",
            {
                "core": rows["core"][place] if len(place) else np.empty(0, np.int32),
                "pipe": pipes,
                "name": pipes,
                "task": rows["task"][place] if len(place) else np.empty(0, np.int64),
                "start_ns": begin - base,
                "end_ns": until - base,
                "start_cycles": begin,
                "end_cycles": until,
            },
        ),
        functions=_functions(log, words),
        cores=_cores({one: f"thread {one}" for one in log.thread}, words, "thread", "track"),
        edges=_edges(log, words),
        words=words.freeze(),
    )


def _rows(log: _Log, words: Words) -> dict[str, Array]:
    """The columns of tasks that both kinds of log tell."""
    count = len(log.number)
    functions = list(dict.fromkeys(log.name))
    number = {name: place for place, name in enumerate(functions)}
    core = np.array(log.thread, np.int64)
    if count and (core.min() < MISSING32 or core.max() >= 1 << 31):
        core = np.unique(core, return_inverse=True)[1].reshape(-1)
    return {
        "task": np.array(log.number, np.int64),
        "kind": np.full(count, words.code("run") if count else -1, np.int32),
        "core": core.astype(np.int32),
        "func": np.array([number[name] for name in log.name], np.int32),
        "flags": np.zeros(count, np.int32),
    }


def _functions(log: _Log, words: Words) -> Table:
    names = [name[:_LONGEST_NAME] or "(no name)" for name in dict.fromkeys(log.name)]
    func = np.arange(len(names), dtype=np.int32)
    return Table.build("functions", {"func": func, "name": words.codes(names)})


def _cores(lanes: dict[int, str], words: Words, kind: str, lane: str) -> Table:
    numbers = sorted(one for one in lanes if one != MISSING32)
    small = not numbers or (numbers[0] >= MISSING32 and numbers[-1] < 1 << 31)
    core = np.array(numbers if small else range(len(numbers)), np.int32)
    return Table.build(
        "cores",
        {
            "core": core,
            "name": words.codes([lanes[one][:_LONGEST_NAME] for one in numbers]),
            "kind": words.codes([kind] * len(numbers)),
            "lane": words.codes([lane] * len(numbers)),
        },
    )


def _edges(log: _Log, words: Words) -> Table:
    number = np.array(log.number, np.int64)
    pairs = np.array(log.needs, np.int64).reshape(-1, 2)
    kind = np.full(len(pairs), words.code("flow") if len(pairs) else -1, np.int32)
    flags = np.zeros(len(pairs), np.int32)
    columns = {"pred": number[pairs[:, 0]], "succ": number[pairs[:, 1]]}
    return Table.build("edges", {**columns, "kind": kind, "flags": flags})


def _meta(log: _Log, bundle: Bundle, notes: list[str], facts: dict[str, Any]) -> Meta:
    count = len(log.number)
    return bundle.meta(
        ledger=(LedgerEntry("all lanes", "task", count, count),),
        notes=(*bundle.notes, *notes),
        **facts,
    )
