"""Runs a task graph on the machine (native/src/machine): orchestrators, schedulers, cores, records.

The simulator gives it a chip, a replay what was read from a trace. Times are picoseconds.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from ctypes import CFUNCTYPE, POINTER, Structure, c_int32, c_int64, c_uint64, c_void_p
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lanescope.errors import LanescopeError
from lanescope.native import Array, library
from lanescope.native.machine_input import LengthCheck, check_input
from lanescope.native.tables import constant, layout, layout_fields, record_kinds

DUMMY, ALLOC, SKIPPED = 1, 2, 3
"""Nodes that no core runs (enum ls_machine_node)."""
EARLY, TOGETHER = 1, 2
"""How a task is dispatched, as bits (enum ls_machine_manner)."""
MOST_PARTNERS = 15
"""Most cores that a block can need beside its own."""
COUNTED = tuple(kind.name for kind in record_kinds()[: constant("LS_COUNTED_KINDS")])
"""Kinds of record whose buffers can be counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineCosts:
    """What everything takes besides the tasks, in picoseconds; `cost_meanings` says what each is.

    The fields are those of LS_MACHINE_COSTS in native/src/machine/costs.h, in its order.
    """

    submit: int = 0
    submit_edge: int = 0
    scope_end: int = 0
    loop: int = 0
    poll_core: int = 0
    complete_base: int = 0
    complete: int = 0
    resolve_edge: int = 0
    pop: int = 0
    dispatch: int = 0
    publish: int = 0
    poll_engine: int = 0
    release: int = 0
    resolve_bank: int = 0
    dispatch_base: int = 0
    dispatch_end: int = 0
    dispatch_latency: int = 0
    finish_latency: int = 0
    engine_latency: int = 0
    setup: int = 0
    core_record: int = 0
    task_record: int = 0
    staging_shared: int = 0
    scheduler_phase: int = 0
    orchestrator_phase: int = 0
    resolve_least: int = 0
    rotate: int = 0
    host_latency: int = 0
    counters_read: int = 0
    counters_record: int = 0
    drain: int = 0
    burst: int = 0


class CostMeaning(NamedTuple):
    """One line of the table of costs."""

    section: str
    """The section of a chip's file that has it."""
    meaning: str


@cache
def cost_meanings() -> Mapping[str, CostMeaning]:
    """Return what each cost is for, by its name, in the order of the table."""
    count = c_int32()
    table = library().ls_cost_table(ctypes.byref(count))
    rows = table[: count.value]
    return {
        row.name.decode(): CostMeaning(row.section.decode(), row.meaning.decode()) for row in rows
    }


class TruthRow(Structure):
    """What really happened: a task on a core, or a phase of a controller (ls_machine_truth)."""

    _fields_ = tuple(
        (name, c_int64)
        for name in (
            *("kind", "owner", "task", "code", "dispatch", "receive", "start", "end", "finish"),
        )
    )


class EnginePiece(Structure):
    """What a controller takes of a trace engine at once (ls_machine_piece)."""

    _fields_ = (
        ("bursts", c_void_p),
        ("count", c_int64),
        ("made", c_uint64),
        ("taken", c_uint64),
    )


class OpSpan(Structure):
    """One operation of a kernel; times since the task began (ls_machine_span)."""

    _fields_ = (("op", c_int64), ("start", c_int64), ("end", c_int64))


_HOOKS = {
    "host": CFUNCTYPE(c_int32),
    "sent": CFUNCTYPE(c_int32, c_int64, c_int64, c_int64),
    "ended": CFUNCTYPE(c_int64, *[c_int64] * 5, POINTER(OpSpan), c_int64),
    "sample": CFUNCTYPE(c_int32, c_int64, c_int64, c_int64, c_void_p),
    "drain": CFUNCTYPE(c_int32, c_int64, c_int32, POINTER(EnginePiece)),
    "computes": CFUNCTYPE(c_int32, c_int32, c_int64, c_int64),
    "happened": CFUNCTYPE(c_int32, POINTER(TruthRow)),
}
"""Python's part in a run, in the order of ls_machine_hooks, which says what each is for."""


@dataclass(slots=True, kw_only=True)
class Hooks:
    """Functions that a run calls; None: not wanted.

    `host` is called when published buffers wait. `ended` returns how long the core reads its
    counters, in ps. The others return nothing. What one raises stops the run and is raised by it.
    """

    host: Callable[[], Any] | None = None
    sent: Callable[[int, int, int], None] | None = None
    ended: Callable[..., int] | None = None
    sample: Callable[..., None] | None = None
    drain: Callable[..., None] | None = None
    computes: Callable[[int, int, int], None] | None = None
    happened: Callable[..., None] | None = None


MachineInput = Mapping[str, Array | int | None]
"""The fields of ls_machine (native/src/machine/machine.h), which says what each is; those that are
left out are 0 or not given."""


class MachineOutput(NamedTuple):
    """What a run gives."""

    answer: int
    """0: all tasks are done; 1: some can never run."""
    now_ps: int
    done: int
    """How many tasks are done."""
    last_finish_ps: int
    stalled_ps: int
    """How long all producers together waited for buffers."""
    engine_stop_ps: int
    runs: Array | None
    """By unit: its core and its times (ls_machine_run); None without `unit_first`."""
    scheduler_ps: tuple[int, ...]
    """Time until each scheduler had nothing left to do."""
    orchestrator_ps: tuple[int, ...]
    sent: tuple[int, ...]
    """How many tasks were sent to each core."""


def run_machine(
    given: MachineInput, costs: MachineCosts, hooks: Hooks | None = None
) -> MachineOutput:
    """Run a graph to its end.

    Raises:
        ValueError: the input's numbers do not fit each other, or point outside of its tables.
        UsageError: the run would be too long for its clock.
    """
    return Machine(given).run(costs, hooks)


class Machine:
    """A graph on a machine, checked once; it may run often, each time with other costs."""

    def __init__(self, given: MachineInput) -> None:
        """Check the input and lay it out as C wants it.

        Raises:
            ValueError: the numbers do not fit each other, or point outside of the tables.
        """
        check_input(given)
        self._length = LengthCheck(given)
        self._wanted, self._kept = _filled(given)
        units = given.get("unit_first")
        self._units = None if units is None else int(np.asarray(units)[-1])

    def run(self, costs: MachineCosts, hooks: Hooks | None = None, **numbers: int) -> MachineOutput:
        """Run it to its end; `numbers` are fields of ls_machine that are different this time.

        Raises:
            UsageError: the run would be too long for its clock.
        """
        wanted, cost_ps = self._wanted.copy(), [getattr(costs, name) for name in _cost_names()]
        self._length.require_fits(cost_ps, costs.poll_core)
        wanted["costs"] = tuple(cost_ps)
        for name, value in numbers.items():
            wanted[name] = value
        raised: list[BaseException] = []
        closures = [] if hooks is None else list(_closures(hooks, raised))
        if closures:
            wanted["hooks"] = [ctypes.cast(closure, c_void_p).value or 0 for closure in closures]
        found = np.zeros(1, layout("ls_machine_found"))
        schedulers, orchestrators = int(wanted["schedulers"][0]), int(wanted["orchestrators"][0])
        ended = np.zeros(schedulers + orchestrators + 1, np.int64)
        sent = np.zeros(int(wanted["cores"][0]) + 1, np.int64)
        runs = None if self._units is None else np.zeros(self._units, layout("ls_machine_run"))
        answer = library().ls_machine_go(
            wanted.ctypes.data,
            found.ctypes.data,
            None if runs is None else runs.ctypes.data,
            ended.ctypes.data,
            sent.ctypes.data,
        )
        if raised:
            raise raised[0]
        if answer == 2:
            raise MemoryError
        now, done, last, stalled, stop = found[0].tolist()
        return MachineOutput(
            answer,
            *(now, done, last, stalled, stop),
            runs,
            tuple(ended[:schedulers].tolist()),
            tuple(ended[schedulers:-1].tolist()),
            tuple(sent[:-1].tolist()),
        )


def require_done(output: MachineOutput) -> MachineOutput:
    """Return the output of a run in which all tasks were done.

    Raises:
        LanescopeError: some can never run.
    """
    if output.answer:
        raise LanescopeError("some tasks can never run: no core is of their kind, or none is left")
    return output


_ARRAYS = {b"A": np.int64, b"a": np.int32}


def _filled(given: MachineInput) -> tuple[Array, list[Array]]:
    """Return the struct, and the arrays that it points to."""
    wanted, kept = np.zeros(1, layout("ls_machine")), []
    elements = _elements()
    for name, value in given.items():
        element = elements[name]
        if value is None:
            continue
        if element == b"I":
            wanted[name] = value
            continue
        array = np.ascontiguousarray(value, _ARRAYS[element])
        kept.append(array)
        wanted[name] = array.ctypes.data
    return wanted, kept


@cache
def _elements() -> dict[str, bytes]:
    """Name of a field of ls_machine to its type; a search for costs runs hundreds of machines."""
    return {field.field.decode(): field.element for field in layout_fields("ls_machine")}


@cache
def _cost_names() -> tuple[str, ...]:
    return tuple(cost.name for cost in fields(MachineCosts))


def _closures(hooks: Hooks, raised: list[BaseException]) -> Iterator[Any]:
    """Yield each hook as a C function; what one raises is kept, and its answer stops the run."""
    for field in fields(hooks):
        kind, function = _HOOKS[field.name], getattr(hooks, field.name)
        yield kind(_guarded(function, raised)) if function is not None else kind()


def _guarded(function: Callable[..., Any], raised: list[BaseException]) -> Callable[..., int]:
    def call(*arguments: Any) -> int:
        try:
            answer = function(*arguments)
        except BaseException as error:  # noqa: BLE001  (nothing may pass through C)
            raised.append(error)
            return -1
        return answer if answer.__class__ is int and answer >= 0 else 0

    return call
