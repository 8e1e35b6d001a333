"""The lanes of a trace: which there are, their names, their order, and which row lies on which.

A lane is a row of one producer. Exports and the page make their lanes here; each says which rows
it shows and in which order the lanes stand.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, TypeVar

import numpy as np

from lanescope.trace.numbering import different, replaced
from lanescope.trace.pipes import UNITS
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

Pair = tuple[int, int]
Key = TypeVar("Key")


class LaneKind(StrEnum):
    """What kind of producer a lane shows."""

    CONTROLLER = "controller"
    CORE = "core"
    PIPE = "pipe"


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: the producer it shows, by kind and name."""

    kind: LaneKind
    name: str
    core: int | None = None
    """Of a core or of a pipe in it: the core's number, MISSING32 for rows that name none."""
    inside: int | None = None
    """Of a pipe: the number of its core's lane."""


@dataclass(frozen=True, slots=True)
class LaneOrder:
    """In which order lanes stand below each other."""

    controllers: tuple[str, ...]
    """Kinds of controllers; others follow in the order of the trace's words."""
    unnumbered: Literal["first", "last"]
    """Where a controller without a number stands among those of its kind."""
    pipes: tuple[str, ...]
    """Pipes of a core; others follow in the order of the trace's words."""
    no_core: Literal["first", "last"]
    """Where rows without a core stand among the cores that are not declared."""


EXPORT_ORDER = LaneOrder(
    controllers=("scheduler", "orchestrator", "host", "device", "lifecycle"),
    unnumbered="last",
    pipes=UNITS,
    no_core="first",
)
PAGE_ORDER = LaneOrder(
    controllers=("orchestrator", "scheduler", "host", "launch", "device", "lifecycle"),
    unnumbered="first",
    pipes=(),
    no_core="last",
)


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """Lanes in their order; the number of a lane is its place among them."""

    lanes: tuple[Lane, ...]
    controllers: Mapping[Pair, int] = field(default_factory=dict)
    """Number of the lane by code of the controller's kind and number of the controller."""
    cores: Mapping[int, int] = field(default_factory=dict)
    """Number of the lane by number of the core."""
    pipes: Mapping[Pair, int] = field(default_factory=dict)
    """Number of the lane by number of the core and code of the pipe."""

    def of_controller(self, kind: Array, number: Array) -> Array:
        """The lane of each controller, -1 where it has none.

        `kind` and `number` are the columns `lane` and `controller` of phases and stalls.
        """
        return _of_pairs(self.controllers, kind, number)

    def of_core(self, core: Array) -> Array:
        """The lane of each core number, -1 where it has none."""
        used = different(core)
        number = np.array([self.cores.get(one, -1) for one in used.tolist()], np.int32)
        return replaced(core, used, number)

    def of_pipe(self, core: Array, pipe: Array) -> Array:
        """The lane of each pipe, by core number and code of the pipe, -1 where it has none."""
        return _of_pairs(self.pipes, core, pipe)

    def full_names(self) -> list[str]:
        """The names of the lanes; those of pipes begin with the name of their core."""
        names = [lane.name for lane in self.lanes]
        return [
            name if lane.inside is None else f"{names[lane.inside]} {name}"
            for name, lane in zip(names, self.lanes, strict=True)
        ]

    def followed_by(self, other: Lanes) -> Lanes:
        """These lanes, then the other ones. No two of them may show the same producer."""
        first = len(self.lanes)
        moved = tuple(
            lane if lane.inside is None else replace(lane, inside=first + lane.inside)
            for lane in other.lanes
        )
        return Lanes(
            (*self.lanes, *moved),
            _both(self.controllers, other.controllers, first),
            _both(self.cores, other.cores, first),
            _both(self.pipes, other.pipes, first),
        )


def controller_lanes(trace: Trace, seen: Sequence[tuple[Array, Array]], order: LaneOrder) -> Lanes:
    """One lane per controller in `seen`: the columns `lane` and `controller` of the rows shown."""
    used: set[Pair] = set()
    for kind, number in seen:
        used |= _different_pairs(kind, number)

    def rank(controller: Pair) -> tuple[int, int, bool, int]:
        code, number = controller
        stands_behind = (number < 0) == (order.unnumbered == "last")
        return *_rank(trace, code, order.controllers), stands_behind, number

    ordered = sorted(used, key=rank)
    names = controller_names(trace)
    lanes = (
        Lane(LaneKind.CONTROLLER, names.get(one) or _controller_name(trace, *one))
        for one in ordered
    )
    return Lanes(tuple(lanes), controllers={one: number for number, one in enumerate(ordered)})


def core_lanes(
    trace: Trace,
    seen: Sequence[Array],
    order: LaneOrder,
    *,
    marked: tuple[Array, Array] | None = None,
) -> Lanes:
    """One lane per core, with a lane for each of its pipes below it.

    The declared cores come first, also those without rows; then the other core numbers in `seen`,
    the cores of the rows that are shown. A pipe has a lane where a mark lies on it: `marked` are
    the columns `core` and `pipe` of the marks that are shown.
    """
    names = core_names(trace)
    pipes = _pipes_of_cores(trace, marked, order) if marked is not None else {}
    lanes: list[Lane] = []
    of_core: dict[int, int] = {}
    of_pipe: dict[Pair, int] = {}
    for core in [*trace.cores["core"].tolist(), *_undeclared(trace, seen, order)]:
        of_core[core] = len(lanes)
        lanes.append(Lane(LaneKind.CORE, names.get(core, core_name(core)), core))
        for pipe in pipes.get(_known(core), []):
            of_pipe[_known(core), pipe] = len(lanes)
            name = trace.word(pipe) if pipe >= 0 else "mark"
            lanes.append(Lane(LaneKind.PIPE, name, core, inside=of_core[core]))
    return Lanes(tuple(lanes), cores=of_core, pipes=of_pipe)


def controller_names(trace: Trace) -> dict[Pair, str]:
    """The names of controllers that have one, by code of their kind and number."""
    table = trace.controllers
    pairs = zip(table["lane"].tolist(), table["controller"].tolist(), strict=True)
    return dict(zip(pairs, trace.text("controllers", "name"), strict=True))


def core_names(trace: Trace) -> dict[int, str]:
    """The names of the declared cores by their number."""
    named = zip(trace.cores["core"].tolist(), trace.text("cores", "name"), strict=True)
    return {core: name or core_name(core) for core, name in named}


def core_name(core: int) -> str:
    """What a core is called for which no name is declared."""
    return "no core" if core == MISSING32 else f"core {core}"


def stalls_of_cores(trace: Trace) -> Array:
    """Mask of the stalls that lie on lanes of cores; the others lie on lanes of controllers."""
    return np.asarray(trace.stalls["lane"] == trace.code("core"))


def _undeclared(trace: Trace, seen: Sequence[Array], order: LaneOrder) -> list[int]:
    """Core numbers that only rows name, in rising order; MISSING32 where rows name none."""
    used = {number for core in seen for number in different(core).tolist()}
    numbers = sorted(used.difference(trace.cores["core"].tolist()))
    if order.no_core == "last" and MISSING32 in numbers:
        numbers.remove(MISSING32)
        numbers.append(MISSING32)
    return numbers


def _pipes_of_cores(
    trace: Trace, marked: tuple[Array, Array], order: LaneOrder
) -> dict[int, list[int]]:
    """The codes of the pipes with marks, in their order, by number of the core."""
    pairs = sorted(_different_pairs(*marked), key=lambda pair: _rank(trace, pair[1], order.pipes))
    pipes: dict[int, list[int]] = {}
    for core, pipe in pairs:
        pipes.setdefault(core, []).append(pipe)
    return pipes


def _controller_name(trace: Trace, code: int, number: int) -> str:
    label = trace.word(code) if code >= 0 else "controller"
    return f"{label} {number}" if number >= 0 else label


def _rank(trace: Trace, code: int, first: tuple[str, ...]) -> Pair:
    """Sorts words: these first, then the others as the trace has them, last what has no word."""
    word = trace.word(code)
    place = first.index(word) if word in first else len(first)
    return place, code if code >= 0 else len(trace.words)


def _known(number: int) -> int:
    """The number in a pair: -1 stands for every value that means "not known"."""
    return max(number, -1)


def _different_pairs(first: Array, second: Array) -> set[Pair]:
    """The different pairs of two columns."""
    grid = _Grid.of(first, second)
    rows, columns = np.divmod(different(grid.place), max(len(grid.columns), 1))
    return set(zip(grid.rows[rows].tolist(), grid.columns[columns].tolist(), strict=True))


def _of_pairs(numbers: Mapping[Pair, int], first: Array, second: Array) -> Array:
    """The number that stands for each pair of two columns, -1 where none does."""
    grid = _Grid.of(first, second)
    pairs = itertools.product(grid.rows.tolist(), grid.columns.tolist())
    number = np.array([numbers.get(pair, -1) for pair in pairs], np.int32)
    return np.repeat(number[grid.place], grid.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """The pairs of two columns as places in a grid of their different values."""

    rows: Array
    columns: Array
    place: Array
    """Of every run of equal pairs."""
    lengths: Array
    """How long each run is: columns of a trace have few runs."""

    @classmethod
    def of(cls, first: Array, second: Array) -> _Grid:
        changed = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
        begins = np.flatnonzero(np.append(True, changed)[: len(first)])
        one, two = (np.maximum(column[begins], -1) for column in (first, second))
        rows, columns = different(one), different(two)
        place = replaced(one, rows, np.arange(len(rows)) * len(columns))
        place = place + replaced(two, columns, np.arange(len(columns)))
        return cls(rows, columns, place, np.diff(np.append(begins, len(first))))


def _both(one: Mapping[Key, int], other: Mapping[Key, int], first: int) -> dict[Key, int]:
    return {**one, **{key: first + number for key, number in other.items()}}
