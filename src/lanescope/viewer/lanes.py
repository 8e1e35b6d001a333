"""The lanes of a trace in the order they are shown: controllers, then cores with their pipes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.numbering import different, replaced
from lanescope.trace.table import Array

_CONTROLLERS = {"orchestrator": 0, "scheduler": 1, "host": 2}
_MOST_GROUPS = 4


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane; `kind` is controller, core or pipe, `lost` how many of its records were lost."""

    name: str
    kind: str
    group: str
    core: int | None = None
    lost: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {field: getattr(self, field) for field in self.__slots__}


@dataclass(frozen=True, slots=True)
class Lanes:
    """All lanes, and which one a row belongs to: number of the lane, or -1."""

    lanes: tuple[Lane, ...]
    of_controller: Callable[[Table], Array]
    of_core: Callable[[Table], Array]
    of_pipe: Callable[[Table], Array]


def lanes_of(trace: Trace) -> Lanes:
    """Every core of the chip has a lane, also one that ran nothing."""
    lost = _lost(trace)
    controllers = _controllers(trace)
    controller_key = _controller_keys(trace)
    found = [
        Lane(name, "controller", "Controllers", lost=lost.get(name, 0)) for _, name in controllers
    ]
    cores = _cores(trace)
    pipes = _pipes(trace)
    core_lane: dict[int, int] = {}
    pipe_lane: dict[int, int] = {}
    for core, name, group in cores:
        core_lane[core] = len(found)
        found.append(Lane(name, "core", group, core, _core_lost(lost, core, name)))
        for key, pipe in pipes.get(core, []):
            pipe_lane[key] = len(found)
            found.append(Lane(pipe, "pipe", group, core))
    keys = {key: number for number, (key, _) in enumerate(controllers)}
    return Lanes(
        tuple(found),
        of_controller=lambda table: _of_blocks(table, lambda t: _look_up(keys, controller_key(t))),
        of_core=lambda table: _look_up(core_lane, table["core"]),
        of_pipe=lambda table: _look_up(pipe_lane, _pipe_key(trace, table)),
    )


def _look_up(places: dict[int, int], keys: Array) -> Array:
    used = different(keys)
    number = np.array([places.get(key, -1) for key in used.tolist()], np.int32)
    return replaced(keys, used, number)


def _first_rows(table: Table) -> tuple[Table, Array]:
    """The first row of every block of one lane and controller, and the lengths of the blocks."""
    lane, controller = table["lane"], table["controller"]
    changed = (lane[1:] != lane[:-1]) | (controller[1:] != controller[:-1])
    first = np.flatnonzero(np.append(True, changed)[: len(table)])
    columns = {"lane": lane[first], "controller": controller[first]}
    return Table(table.schema, columns), np.diff(np.append(first, len(table)))


def _of_blocks(table: Table, look_up: Callable[[Table], Array]) -> Array:
    """What is found for the first row of each block, for all its rows."""
    firsts, lengths = _first_rows(table)
    return np.repeat(look_up(firsts), lengths)


def _controller_keys(trace: Trace) -> Callable[[Table], Array]:
    """Sorts by kind of lane, then by controller."""
    kinds = (*trace.words, "")
    rank = np.array([_CONTROLLERS.get(word, len(_CONTROLLERS)) for word in kinds])

    place = (rank * len(kinds) + np.arange(len(kinds))) << _controller_bits(trace)

    def key(table: Table) -> Array:
        controller = np.maximum(table["controller"], -1) + np.int64(1)
        return np.asarray(place[table["lane"] % len(kinds)] | controller)

    return key


def _controller_bits(trace: Trace) -> int:
    """Bits that hold every controller's number plus one."""
    tables = (trace.phases, trace.stalls)
    most = max(int(table["controller"].max(initial=0)) for table in tables)
    return (most + 1).bit_length()


def _controllers(trace: Trace) -> list[tuple[int, str]]:
    kinds = len(trace.words) + 1
    of_core = trace.stalls["lane"] == trace.code("core")
    keys = _controller_keys(trace)
    phases = different(keys(_first_rows(trace.phases)[0]))
    stalls = different(keys(trace.stalls.rows(~of_core)))
    found = []
    bits = _controller_bits(trace)
    for key in np.union1d(phases, stalls).tolist():
        kind, number = (key >> bits) % kinds, key & ((1 << bits) - 1)
        label = trace.word(kind) if kind < kinds - 1 else "controller"
        found.append((key, f"{label} {number - 1}" if number else label))
    return found


def _cores(trace: Trace) -> list[tuple[int, str, str]]:
    """Number, name and group of every core; cores that only rows name come last."""
    declared = trace.cores["core"].tolist()
    names = trace.text("cores", "name")
    kinds = trace.text("cores", "kind")
    seen = [table["core"] for table in (trace.tasks, trace.marks, trace.stalls)]
    used = np.unique(np.concatenate([different(core[core != MISSING32]) for core in seen]))
    extra = np.setdiff1d(used, declared).tolist()
    cores = [
        (core, name or f"core {core}", f"{kind} cores" if kind else "Cores")
        for core, name, kind in zip(declared, names, kinds, strict=True)
    ]
    cores += [(core, f"core {core}", "Cores") for core in extra]
    if ((trace.tasks["core"] == MISSING32) & trace.ran()).any():
        cores.append((MISSING32, "no core", "Cores"))
    changes = sum(one[2] != other[2] for one, other in itertools.pairwise(cores))
    if changes >= _MOST_GROUPS:
        cores = [(core, name, "Cores") for core, name, _ in cores]
    return cores


def _pipe_key(trace: Trace, table: Table) -> Array:
    pipes = len(trace.words) + 1
    return np.asarray(table["core"].astype(np.int64) * pipes + table["pipe"] % pipes)


def _pipes(trace: Trace) -> dict[int, list[tuple[int, str]]]:
    """The pipes that have marks, per core."""
    pipes = (*trace.words, "mark")
    timed = trace.marks["start_ns"] != MISSING
    found: dict[int, list[tuple[int, str]]] = {}
    for key in np.unique(_pipe_key(trace, trace.marks)[timed]).tolist():
        found.setdefault(key // len(pipes), []).append((key, pipes[key % len(pipes)]))
    return found


def _lost(trace: Trace) -> dict[str, int]:
    """Records lost per name in the ledger."""
    lost: dict[str, int] = {}
    for entry in trace.meta.ledger:
        lost[entry.lane] = lost.get(entry.lane, 0) + entry.dropped + entry.unmatched
    return lost


def _core_lost(lost: dict[str, int], core: int, name: str) -> int:
    names = {name, f"core {core}"}
    return sum(lost.get(one, 0) for one in names)
