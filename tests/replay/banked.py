"""Runs of a machine whose schedulers serve 32 cores in one step, as traces of level 4 or less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.analyze.hand import Row, make_trace

from lanescope.native import Array
from lanescope.native.machine import Hooks, MachineCosts, run_machine
from lanescope.native.tables import constant, record_kinds
from lanescope.trace import Trace
from lanescope.trace.meta import RecordingFacts
from lanescope.workloads.graph import TaskGraph, WorkKind

_KINDS = {constant(f"LS_PHASE_{n.upper()}"): n for n in ("complete", "resolve", "dispatch")}
_SCHEDULER_PHASE = [kind.name for kind in record_kinds()].index("scheduler_phase")
COSTS = MachineCosts(
    loop=2_200_000,
    complete_base=1_400_000,
    complete=420_000,
    resolve_bank=600_000,
    resolve_edge=800_000,
    pop=1_500_000,
    dispatch=1_200_000,
    dispatch_base=2_000_000,
    dispatch_end=2_100_000,
    rotate=3_000_000,
    dispatch_latency=700_000,
    core_record=1_200_000,
    setup=200_000,
)
"""About what a warp takes on an H200."""


@dataclass(frozen=True, kw_only=True)
class BankedRun:
    """What runs, and on what."""

    tasks: int = 1500
    seed: int = 1
    cores: int = 100
    schedulers: int = 1
    submit_ps: int = 60_000
    """From submit to submit."""
    costs: MachineCosts = COSTS


WIDTH = 150
"""Tasks of a stage."""


def graph_of(run: BankedRun) -> TaskGraph:
    """Stages of tasks of 3 to 30 µs; each task waits for one to three of the stage before."""
    draws = np.random.default_rng(run.seed)
    later = np.arange(WIDTH, run.tasks)
    before = later // WIDTH * WIDTH - WIDTH
    pred = [later - WIDTH, *(before + draws.integers(0, WIDTH, len(later)) for _ in range(2))]
    kept = [np.ones(len(later), bool), *(draws.random(len(later)) < 0.3 for _ in range(2))]
    pairs = np.unique(
        np.concatenate([np.stack([p[k], later[k]], 1) for p, k in zip(pred, kept, strict=True)]),
        axis=0,
    )
    func = draws.integers(0, 2, run.tasks).astype(np.int32)
    return TaskGraph(
        name="stages",
        functions=("MATRIX", "VECTOR"),
        kinds=("sm",),
        func=func,
        kind=np.zeros(run.tasks, np.int32),
        work=np.full(run.tasks, WorkKind.SPIN, np.int32),
        amount=draws.integers(3000, 30000, run.tasks),
        pred=pairs[:, 0],
        succ=pairs[:, 1],
    )


def ran(
    run: BankedRun, *, scale: dict[int, float] | None = None, phases: list[Row] | None = None
) -> Array:
    """The machine's runs; the tasks of a function take so many times as long.

    The phases of schedulers are added to `phases`.
    """
    graph = graph_of(run)
    length = graph.amount * 1000
    for func, factor in (scale or {}).items():
        length = np.where(graph.func == func, np.round(length * factor), length)
    first, target = graph.successors()
    given = {
        "tasks": run.tasks,
        "first": first,
        "target": target,
        "func": graph.func,
        "kind": np.zeros(run.tasks),
        "unit_first": np.arange(run.tasks + 1),
        "unit_length": length,
        "orchestrators": 1,
        "submit_order": np.arange(run.tasks),
        "submit_cost": np.full(run.tasks, run.submit_ps),
        "submit_records": np.zeros(run.tasks),
        "cores": run.cores,
        "kinds": 1,
        "schedulers": run.schedulers,
        "bank_cores": 32,
        "pre_dispatch": 1,
        "release_tasks": 1,
        "cluster_first": np.zeros(1),
        "core_kind": np.zeros(run.cores),
        "core_scheduler": np.arange(run.cores) % run.schedulers,
        "core_rotates": 1,
        "tells_first": 1,
        "records_phases": 1,
    }

    def happened(pointer: Any) -> None:
        row = pointer.contents
        if phases is not None and row.code in _KINDS and row.kind == _SCHEDULER_PHASE:
            times = {"start_ns": row.start // 1000, "end_ns": row.end // 1000}
            more = {"controller": row.owner, "loop": row.dispatch, "tasks": row.receive}
            phases.append({"lane": "scheduler", "kind": _KINDS[row.code], **times, **more})

    output = run_machine(given, run.costs, Hooks(happened=happened))
    assert output.answer == 0
    assert output.runs is not None
    return output.runs


def makespan_ns(runs: Array) -> float:
    """First dispatch to last finish."""
    return float(runs["finish"].max() - runs["dispatch"].min()) / 1000


def facts_of(run: BankedRun, runs: Array) -> RecordingFacts:
    """What a recording says of the machine."""
    return RecordingFacts(
        pre_dispatch=1,
        bank_cores=32,
        submit_lead_ns=int(runs["dispatch"].min()) // 1000,
        submitting_ns=run.tasks * run.submit_ps // 1000,
    )


def traced(run: BankedRun, *, level: int = 4, told: bool = False) -> Trace:
    """The run as a trace: scheduler phases from level 3 on, submits at level 4.

    Where it is told, the recording says how wide banks are, and how long all submits took.
    """
    graph = graph_of(run)
    phases: list[Row] = []
    runs = ran(run, phases=phases)
    times = ("dispatch", "receive", "start", "end", "finish")
    tasks: list[Row] = [
        {f"{name}_ns": int(one[name]) // 1000 for name in times}
        | {"core": int(one["core"]), "kind": "run", "task": number, "func": int(graph.func[number])}
        for number, one in enumerate(runs)
    ]
    submits: list[Row] = [
        {"lane": "orchestrator", "controller": 0, "kind": "submit", "task": number}
        | {
            f"{name}_ns": (number + k) * run.submit_ps // 1000
            for k, name in enumerate(("start", "end"))
        }
        for number in range(run.tasks)
    ]
    return make_trace(
        {
            "level": level,
            "origin": "measured",
            "queues": ("sm",),
            "recording": facts_of(run, runs) if told else RecordingFacts(pre_dispatch=1),
        },
        tasks=tasks,
        phases=[*(phases if level > 2 else ()), *(submits if level > 3 else ())],
        edges=[
            {"pred": pred, "succ": succ, "kind": "explicit"}
            for pred, succ in zip(graph.pred.tolist(), graph.succ.tolist(), strict=True)
        ],
        functions=[{"func": 0, "name": "MATRIX"}, {"func": 1, "name": "VECTOR"}],
        cores=[
            {"core": core, "name": f"sm {core}", "kind": "sm", "controller": core % run.schedulers}
            for core in range(run.cores)
        ],
    )
