"""A recorded run as something that can run again: its graph, its tasks' lengths, its machine.

Lengths and set-up are each run's own; everything else is calibrated (`calibrate`). Submits come as
far apart as they were recorded. Tasks that were put on cores early, started together or waited for
an engine are replayed as ordinary ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.calibrate import Calibration, calibrate, scheduler_phases
from lanescope.analyze.cores import core_kinds
from lanescope.analyze.engine_waits import engine_waits
from lanescope.analyze.makespan import Span, makespan
from lanescope.analyze.nodes import Nodes, distinct_codes, nodes, places
from lanescope.analyze.served import PS, in_ps, served_runs
from lanescope.errors import LanescopeError
from lanescope.native.paths import order_graph
from lanescope.native.replay import (
    ALLOC,
    EARLY,
    MOST_PARTNERS,
    SILENT,
    TOGETHER,
    UNIT,
    Costs,
    ReplayInput,
    run_replay,
)
from lanescope.trace.schema import MISSING, MISSING32, EdgeFlag, TaskFlag
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """Cores by position: kind (a place in `kinds`), cluster, scheduler."""

    kinds: tuple[str, ...]
    core_kind: Array
    cluster: Array
    scheduler: Array
    schedulers: int
    pre_dispatch: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """What a replay needs; changes give another model."""

    trace: Trace
    nodes: Nodes
    machine: Machine
    costs: Costs
    calibration: Calibration
    pred: Array
    succ: Array
    kind: Array
    """By node: kind of core, SILENT or ALLOC."""
    blocks: Array
    partners: Array
    partner_kind: Array
    manner: Array
    """By node, as bits: EARLY, TOGETHER."""
    wait_ps: Array
    """By node: how long an engine goes on where it ends; 0: none does."""
    unit_rows: Array
    """By unit: the task row it was; units of a node follow each other."""
    unit_first: Array
    lengths_ps: Array
    setups_ps: Array
    submit_order: Array
    submit_cost_ps: Array
    window: Span


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """One replay; times in ps from the moment that the orchestrator begins."""

    makespan_ps: int
    """First dispatch to last finish."""
    units: Array


def model(trace: Trace) -> Model:
    """Refuses a trace that lacks what a replay needs."""
    window = makespan(trace).makespan
    if window is None or not window.length_ns:
        raise LanescopeError(
            "a replay needs dispatch and finish of tasks, which are recorded from level 2 on; "
            f"this trace is of level {trace.meta.level}"
        )
    found = nodes(trace)
    if not found.graph_known:
        raise LanescopeError("a replay needs the task graph, and this trace has no edges")
    machine = _machine(trace)
    shapes = _shapes(trace, found, machine)
    calibration = calibrate(trace)
    waits = engine_waits(
        trace, found, scheduler_phases(trace), runs=served_runs(trace), costs=calibration.costs
    )
    calibration = replace(
        calibration, costs=replace(calibration.costs, poll_engine=waits.poll_engine)
    )
    order, cost = _submits(found, calibration.costs)
    return Model(
        trace=trace,
        nodes=found,
        machine=machine,
        costs=calibration.costs,
        calibration=calibration,
        **_edges(trace, found),
        **shapes,
        manner=_manners(trace, found, shapes),
        wait_ps=waits.wait_ps,
        submit_order=order,
        submit_cost_ps=cost,
        window=window,
    )


def replay(model: Model) -> Replayed:
    """Run it once."""
    machine, graph = model.machine, order_graph(len(model.kind), model.pred, model.succ)
    if graph is None:
        raise LanescopeError("a replay needs a graph without cycles")
    units = np.zeros(len(model.unit_rows), UNIT)
    units["length"], units["setup"] = model.lengths_ps, model.setups_ps
    cluster = np.argsort(model.machine.cluster, kind="stable")
    sizes = np.bincount(machine.cluster[cluster]) if len(cluster) else np.zeros(0, np.int64)
    last, units = run_replay(
        ReplayInput(
            first=graph.first,
            target=graph.target,
            kind=model.kind,
            blocks=model.blocks,
            partners=model.partners,
            partner_kind=model.partner_kind,
            manner=model.manner,
            wait=model.wait_ps,
            unit_first=model.unit_first,
            units=units,
            submit_order=model.submit_order,
            submit_cost=model.submit_cost_ps,
            core_kind=machine.core_kind,
            core_scheduler=machine.scheduler,
            cluster_first=np.concatenate([[0], np.cumsum(sizes)]),
            cluster_cores=cluster,
            kinds=len(machine.kinds),
            schedulers=machine.schedulers,
            pre_dispatch=machine.pre_dispatch,
            costs=model.costs,
        )
    )
    return Replayed(last - int(units["dispatch"].min(initial=last)), units)


def _edges(trace: Trace, found: Nodes) -> dict[str, Array]:
    """Every pair once, or as often as it is recorded where schedulers told successors so often."""
    pred, succ = places(found.ids, trace.edges["pred"]), places(found.ids, trace.edges["succ"])
    known = (pred >= 0) & (succ >= 0) & (pred != succ)
    told = trace.phases["tasks"][trace.phases["kind"] == trace.code("resolve")]
    repeated = int(np.count_nonzero(known))
    if repeated > len(found.pred) and int(told[told > 0].sum()) > (repeated + len(found.pred)) // 2:
        cyclic = trace.edges["flags"]
        known &= (cyclic == MISSING32) | (cyclic & EdgeFlag.CYCLIC == 0)
        return {"pred": pred[known], "succ": succ[known]}
    return {"pred": found.pred, "succ": found.succ}


def _machine(trace: Trace) -> Machine:
    known = used_kinds(trace)
    kinds = _kinds_in_order(trace, known)
    cores = np.array(list(known), np.int64)
    table = {
        core: (cluster, controller)
        for core, cluster, controller in zip(
            *(trace.cores[name].tolist() for name in ("core", "cluster", "controller")), strict=True
        )
    }
    pairs = [table.get(core, (MISSING32, MISSING32)) for core in cores.tolist()]
    cluster = np.array([pair[0] for pair in pairs], np.int64)
    cluster = np.where(cluster < 0, np.arange(len(cores)) + max(int(cluster.max(initial=0)) + 1, 0),
                       cluster)  # fmt: skip
    scheduler = np.maximum(np.array([pair[1] for pair in pairs], np.int64), 0)
    return Machine(
        kinds,
        np.array([kinds.index(kind) for kind in known.values()], np.int32),
        cluster,
        scheduler,
        int(scheduler.max(initial=0)) + 1,
        _pre_dispatch(trace),
    )


def used_kinds(trace: Trace) -> dict[int, str]:
    """Cores of the kinds that tasks ran on, or that have a ready queue: schedulers look into no
    other queues."""
    known = core_kinds(trace)
    ran = np.unique(trace.tasks["core"][trace.ran()]).tolist()
    used = {known[core] for core in ran if core in known} | set(trace.meta.queues)
    return {core: kind for core, kind in known.items() if kind in used}


def _kinds_in_order(trace: Trace, known: dict[int, str]) -> tuple[str, ...]:
    """Queues are looked into in the order in which the trace names them; where it names none, as
    the kinds were first needed."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["core"] >= 0))
    rows = rows[np.argsort(tasks["task"][rows], kind="stable")]
    _, first = np.unique(tasks["core"][rows], return_index=True)
    cores = tasks["core"][rows[np.sort(first)]].tolist()
    named = [kind for kind in trace.meta.queues if kind in known.values()]
    return tuple(dict.fromkeys([*named, *(known[core] for core in cores)]))


def _pre_dispatch(trace: Trace) -> int:
    """The most tasks that a core held beside the one it ran: dispatched before an earlier one was
    seen to have ended."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["dispatch_ns"] != MISSING))
    rows = rows[np.lexsort((tasks["start_ns"][rows], tasks["core"][rows]))]
    core, dispatch, finish = (tasks[n][rows] for n in ("core", "dispatch_ns", "finish_ns"))
    for depth in (2, 1):
        held = (core[depth:] == core[:-depth]) & (dispatch[depth:] < finish[:-depth])
        if held.any():
            return depth
    return 0


def _shapes(trace: Trace, found: Nodes, machine: Machine) -> dict[str, Array]:
    """Units, blocks and partners of every node; a task on two kinds of core needs cores of one
    cluster."""
    tasks, count = trace.tasks, len(found)
    rows = np.flatnonzero(trace.ran() & (tasks["core"] >= 0))
    position = {core: place for place, core in enumerate(used_kinds(trace))}
    used_cores, place = distinct_codes(tasks["core"][rows])
    at = np.array([position[core] for core in used_cores.tolist()], np.int64)
    kind = machine.core_kind[at][place]
    node = found.of_row[rows]
    runs = np.bincount(node * len(machine.kinds) + kind, minlength=count * len(machine.kinds))
    runs = runs.reshape(count, len(machine.kinds))
    used = (runs > 0).sum(axis=1)
    # A block's leading core is of the kind with fewer runs or, where they are as many, fewer cores.
    cores = np.bincount(machine.core_kind, minlength=len(machine.kinds))
    rank = np.where(
        runs > 0, runs * (int(cores.max(initial=0)) + 1) + cores, np.iinfo(np.int64).max
    )
    by_rank = np.argsort(rank, axis=1, kind="stable")
    first = by_rank[:, 0]
    blocks = runs[np.arange(count), first]
    second = np.where(used == 2, by_rank[:, min(1, len(machine.kinds) - 1)], -1)
    partners = np.where(used == 2, runs[np.arange(count), second] // np.maximum(blocks, 1), 0)
    odd = (used > 2) | (partners > MOST_PARTNERS) | (runs.sum(axis=1) != blocks * (partners + 1))
    if odd.any():
        task = int(found.ids[np.flatnonzero(odd)[0]])
        raise LanescopeError(f"task {task} runs on its kinds of core in a way that is not replayed")
    silent = np.isin(tasks["kind"], [trace.code("dummy"), trace.code("skipped")])
    other = np.full(count, ALLOC)
    other[found.of_row[silent]] = SILENT
    order = _unit_order(node, kind != first[node], tasks["start_ns"][rows], partners)
    rows = rows[order]
    return {
        "kind": np.where(used > 0, first, other).astype(np.int32),
        "blocks": np.where(used > 0, blocks, 1).astype(np.int32),
        "partners": partners.astype(np.int32),
        "partner_kind": second.astype(np.int32),
        "unit_rows": rows,
        "unit_first": np.concatenate([[0], np.cumsum(runs.sum(axis=1))]),
        "lengths_ps": (tasks["end_ns"] - tasks["start_ns"])[rows] * PS,
        "setups_ps": np.full(len(rows), _setup_ps(tasks, rows)),
    }


def _setup_ps(tasks: Table, rows: Array) -> int:
    """Receive to start; an early task's has the wait for its inputs in it."""
    flags, receive = tasks["flags"][rows], tasks["receive_ns"][rows]
    usual = (flags == MISSING32) | (flags & TaskFlag.EARLY_DISPATCH == 0)
    rows = rows[usual & (receive != MISSING)]
    setup = tasks["start_ns"][rows] - tasks["receive_ns"][rows]
    return in_ps(float(setup.mean())) if len(rows) else 0


def _manners(trace: Trace, found: Nodes, shapes: dict[str, Array]) -> Array:
    """Only a task on one core can be early, and only one without partners starts together."""
    flags = np.zeros(len(found), np.int32)
    known = trace.tasks["flags"] != MISSING32
    np.bitwise_or.at(flags, found.of_row[known], trace.tasks["flags"][known])
    alone = (shapes["kind"] >= 0) & (shapes["partners"] == 0)
    early = alone & (shapes["blocks"] == 1) & (flags & TaskFlag.EARLY_DISPATCH != 0)
    together = alone & (flags & TaskFlag.TOGETHER != 0)
    return early * np.int32(EARLY) | (together & ~early) * np.int32(TOGETHER)


def _unit_order(node: Array, is_partner: Array, start: Array, partners: Array) -> Array:
    """By node, then block: the block's core first, then its partners, in order of their starts."""
    order = np.lexsort((start, is_partner, node))
    node, is_partner = node[order], is_partner[order]
    group = np.flatnonzero(
        np.append(True, (node[1:] != node[:-1]) | (is_partner[1:] != is_partner[:-1]))[: len(node)]
    )
    within = np.arange(len(node)) - np.repeat(group, np.diff(np.append(group, len(node))))
    each = partners[node]
    block = np.where(is_partner, within // np.maximum(each, 1), within)
    place = np.where(is_partner, 1 + within % np.maximum(each, 1), 0)
    return order[np.lexsort((place, block, node))]


def _submits(found: Nodes, costs: Costs) -> tuple[Array, Array]:
    """Order, and time since the submit before. A node whose submit is not known is taken to be
    submitted just before its first dispatch if nothing leads to it, else with the one before."""
    lead = (costs.pop + costs.dispatch) // PS
    at = found.submit.copy()
    guess = np.where(found.dispatch != MISSING, found.dispatch - lead, MISSING)
    at = np.where((at == MISSING) & found.roots, guess, at)
    known = np.concatenate([at[at != MISSING], found.submit_start[found.submit_start != MISSING]])
    begin = int(known.min(initial=int(found.dispatch.max(initial=0))))
    at = np.where(at == MISSING, begin, at)
    order = np.lexsort((np.arange(len(at)), at))
    return order, np.diff(at[order], prepend=begin) * PS
