"""Replays a task graph on cores, schedulers and an orchestrator (native/src/replay.c)."""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import Structure, byref, c_int32, c_int64, c_void_p
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from lanescope.errors import LanescopeError
from lanescope.native import Array, library
from lanescope.native.tables import constant, record_kinds

SILENT, ALLOC = -1, -2
"""Kinds of nodes that no core runs (ls_replay_kind)."""
LANES = tuple(kind.name for kind in record_kinds()[: constant("LS_REPLAY_LANES")])
"""Kinds of record that a replay records, each in buffers of its own."""
EARLY, TOGETHER = 1, 2
"""How a node is dispatched, as bits (ls_replay_manner)."""
LONGEST, LOWEST, LATEST = range(3)
"""Which of several cores is given the next task (ls_replay_choice)."""
FIRST_READY, LAST_READY = range(2)
"""Which of several tasks is dispatched next (ls_replay_pop)."""
BY_END, BY_CORE = range(2)
"""Which of several ends is seen first (ls_replay_collect)."""
MOST_PARTNERS = 15
"""Most cores that a block can need beside its own."""
OWN = ("pick_up", "seen", "give", "wait")
"""Times that a unit may have of its own, in place of constant costs (ls_replay_unit)."""
UNIT = np.dtype(
    [
        (name, "<i8")
        for name in (
            *("length", "setup", *OWN),
            *("core", "dispatch", "receive", "start", "end", "finish"),
        )
    ]
)
"""One run of a task on a core, with times in picoseconds (ls_replay_unit)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What controllers and cores take for everything but the tasks, in picoseconds; only
    `release_tasks` is a number of tasks. ls_replay_costs in replay.h says what each cost is for."""

    loop: int = 0
    poll: int = 0
    complete_base: int = 0
    complete: int = 0
    record: int = 0
    resolve: int = 0
    pop: int = 0
    dispatch: int = 0
    phase: int = 0
    release: int = 0
    release_tasks: int = 1
    publish: int = 0
    poll_engine: int = 0
    engine_seen: int = 0
    rotate: int = 0
    host: int = 0
    link: int = 0
    seen: int = 0
    free: int = 0


class SchedulerPolicy(NamedTuple):
    """How schedulers choose."""

    choice: int = LONGEST
    """Of a core: LONGEST, LOWEST or LATEST."""
    pop: int = FIRST_READY
    """Of a task: FIRST_READY or LAST_READY."""
    collect: int = BY_END
    """Of several ends: BY_END or BY_CORE."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReplayInput:
    """A graph and a machine; ls_replay in replay.h says what each array is.

    The successors of node n are target[first[n]:first[n + 1]]. Times are in picoseconds.
    """

    first: Array
    target: Array
    kind: Array
    blocks: Array
    partners: Array
    partner_kind: Array
    manner: Array
    wait: Array
    unit_first: Array
    lengths: Array
    setups: Array
    submit_order: Array
    submit_cost: Array
    submit_records: Array
    core_kind: Array
    core_scheduler: Array
    cluster_first: Array
    cluster_cores: Array
    buffer_records: Array
    buffer_count: Array
    kinds: int
    schedulers: int
    pre_dispatch: int
    costs: Costs
    policy: SchedulerPolicy = field(default_factory=lambda: SchedulerPolicy())
    own: Mapping[str, Array] = field(default_factory=dict)
    """By name in OWN: a time of each unit, or -1 where it is as the costs say."""


class _Costs(Structure):
    """The struct ls_replay_costs."""

    _fields_ = tuple((one.name, c_int64) for one in fields(Costs))


_ARRAYS = (
    *(("first", np.int64), ("target", np.int64), ("kind", np.int32), ("blocks", np.int32)),
    *(("partners", np.int32), ("partner_kind", np.int32), ("manner", np.int32)),
    *(("wait", np.int64), ("unit_first", np.int64)),
    *(("submit_order", np.int64), ("submit_cost", np.int64)),
    *(("submit_records", np.int32),),
    *(("core_kind", np.int32), ("core_scheduler", np.int32)),
    *(("cluster_first", np.int32), ("cluster_cores", np.int32)),
    *(("buffer_records", np.int32), ("buffer_count", np.int32)),
)
_NUMBERS = ("cores", "kinds", "schedulers", "clusters", "pre_dispatch", "choice", "pop", "collect")


class _Replay(Structure):
    """The struct ls_replay."""

    _fields_ = (
        ("nodes", c_int64),
        *((name, c_void_p) for name, _ in _ARRAYS),
        ("units", c_void_p),
        ("found", c_void_p),
        *((name, c_int32) for name in _NUMBERS),
        ("costs", _Costs),
    )


class ReplayOutput(NamedTuple):
    """What a replay gives. Times are picoseconds from the moment when the orchestrator begins."""

    last_ps: int
    """The last finish."""
    units: Array
    """By unit: its core and its times, of the type UNIT."""
    stalled_ps: int
    """How long all producers together waited for buffers."""


def run_replay(given: ReplayInput) -> ReplayOutput:
    """Replay a graph on a machine once.

    Raises:
        LanescopeError: some tasks can never run.
    """
    _check(given)
    arrays = {name: np.ascontiguousarray(getattr(given, name), dtype) for name, dtype in _ARRAYS}
    units, stalled_ps = np.empty(len(given.lengths), UNIT), np.zeros(1, np.int64)
    units["length"], units["setup"] = given.lengths, given.setups
    for name in OWN:
        units[name] = given.own.get(name, -1)
    wanted = _Replay(
        units=units.ctypes.data,
        found=stalled_ps.ctypes.data,
        nodes=len(given.kind),
        **{name: array.ctypes.data for name, array in arrays.items()},
        cores=len(given.core_kind),
        kinds=given.kinds,
        schedulers=given.schedulers,
        clusters=len(given.cluster_first) - 1,
        pre_dispatch=given.pre_dispatch,
        **given.policy._asdict(),
        costs=_Costs(*(getattr(given.costs, one.name) for one in fields(Costs))),
    )
    last = library().ls_replay_run(byref(wanted))
    if last == -2:
        raise MemoryError
    if last < 0:
        raise LanescopeError("some tasks can never run: no core is of their kind, or none is left")
    return ReplayOutput(int(last), units, int(stalled_ps[0]))


def _check(given: ReplayInput) -> None:
    """Refuse an input whose numbers do not fit each other, or that points outside its tables."""
    nodes, cores, units = len(given.kind), len(given.core_kind), len(given.lengths)
    for values, size in (
        *((given.first, nodes + 1), (given.unit_first, nodes + 1), (given.blocks, nodes)),
        *((given.partners, nodes), (given.partner_kind, nodes), (given.submit_order, nodes)),
        *((given.submit_cost, nodes), (given.core_scheduler, cores)),
        *((given.submit_records, nodes), (given.manner, nodes), (given.wait, nodes)),
        (given.setups, units),
        *((values, units) for values in given.own.values()),
        *((given.buffer_records, len(LANES)), (given.buffer_count, len(LANES))),
    ):
        if len(values) != size:
            raise ValueError(f"expected {size} values, found {len(values)}")
    for values, low, limit in (
        (given.target, 0, nodes),
        (given.kind, ALLOC, given.kinds),
        (given.submit_order, 0, nodes),
        (given.partners, 0, MOST_PARTNERS + 1),
        (given.partner_kind, -1, given.kinds),
        (given.core_kind, 0, given.kinds),
        (given.core_scheduler, 0, given.schedulers),
        (given.cluster_cores, 0, cores),
        (given.first, 0, len(given.target) + 1),
        (given.unit_first, 0, units + 1),
    ):
        if len(values) and not (low <= int(values.min()) and int(values.max()) < limit):
            raise IndexError("a replay points outside of its own tables")
    alone = (given.kind >= 0) & (given.partners == 0)
    early, together = given.manner & EARLY != 0, given.manner & TOGETHER != 0
    if (early & ~(alone & (given.blocks == 1))).any() or (together & ~alone).any():
        raise ValueError("only a task on one core can be early, or start together without partners")
    if (given.buffer_records < 0).any() or (given.buffer_count < 1)[given.buffer_records > 0].any():
        raise ValueError("expected buffers of at least 1 record, at least one of them")
    expected = np.where(given.kind >= 0, given.blocks * (given.partners + 1), 0)
    if (np.diff(given.unit_first) != expected).any():
        raise ValueError("blocks and partners do not add up to the units")
