"""The task graph against the tasks that ran: edges that can be drawn, tasks and blocks that are
missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.checks.finding import CheckFinding
from lanescope.checks.naming import have, listed, tasks_text
from lanescope.render.cells import count_text, many_text
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.table import Array
from lanescope.trace.task_ids import TaskIds
from lanescope.trace.task_names import task_text


def graph_findings(trace: Trace, *, has_graph: bool) -> Iterator[CheckFinding]:
    """What graph and rows say of each other; `has_graph` where a file states the graph."""
    rows = (trace.tasks["core"] != MISSING32) & (trace.tasks["task"] != MISSING)
    ran = np.unique(trace.tasks["task"][rows])
    if not has_graph or not len(ran):
        return
    yield from _edges(trace, ran)
    yield from _undeclared(trace, rows)
    if trace.meta.level >= 3:
        yield from _never_ran(trace)
    yield from _blocks(trace)


def _edges(trace: Trace, ran: Array) -> Iterator[CheckFinding]:
    pred, succ = (np.isin(trace.edges[end], ran) for end in ("pred", "succ"))
    total, drawn, touching = len(trace.edges), int((pred & succ).sum()), int((pred | succ).sum())
    tasks = many_text(len(ran), "task")
    if drawn or len(ran) < 2:
        return
    if not total:
        yield CheckFinding(
            producer="graph",
            kind="harmless",
            count=0,
            sentence=f"The dependency file states no edge; {tasks} ran.",
            cause="The tasks are independent, or the graph was recorded without its edges.",
        )
    elif touching:
        yield CheckFinding(
            producer="graph",
            kind="harmless",
            count=0,
            sentence=f"Of {many_text(total, 'edge')} none is between two tasks that ran on a core.",
            cause=f"{count_text(touching)} of them lead from or to such a task: they go through "
            "tasks that need no core.",
        )
    else:
        yield CheckFinding(
            producer="graph",
            kind="contradiction",
            count=total,
            sentence=f"{many_text(total, 'edge')} found, 0 drawn: no edge names any of the {tasks} "
            f"that ran. The graph speaks of {tasks_text(trace, _ends(trace))}, the records of "
            f"{tasks_text(trace, ran.tolist())}.",
            cause="The dependency file is another run's or another program's.",
        )


def _ends(trace: Trace) -> list[int]:
    ends: list[int] = np.unique(np.concatenate([trace.edges["pred"], trace.edges["succ"]])).tolist()
    return ends


def _undeclared(trace: Trace, rows: Array) -> Iterator[CheckFinding]:
    """Tasks that ran, or that an edge names, and that a graph with declared tasks lacks."""
    declared = trace.tasks["blocks"] != MISSING32
    if not (declared & rows).any():
        return  # Graphs of old have edges only, or nothing here is of this graph.
    outside = np.array(trace.tasks.text("kind"), object) == "outside"
    said = ((rows & ~declared, "ran"), (outside, "stands in an edge", "stand in an edge"))
    for mask, *what in said:
        tasks = np.unique(trace.tasks["task"][mask]).tolist()
        if tasks:
            yield CheckFinding(
                producer="graph",
                kind="contradiction",
                count=len(tasks),
                sentence=f"{many_text(len(tasks), 'task')} {what[0 if len(tasks) == 1 else -1]} "
                f"and the graph does not declare {'it' if len(tasks) == 1 else 'them'}: "
                f"{tasks_text(trace, tasks)}.",
                cause="Records of the graph are lost or damaged, or it is another run's.",
            )


def submit_findings(trace: Trace) -> Iterator[CheckFinding]:
    """Tasks that ran and that no submit names, at the level that records submits."""
    if trace.meta.level < 4 or trace.meta.task_ids == TaskIds.SPACE:
        return  # A graph that is replayed submits its tasks together.
    own = np.array(trace.phases.text("lane"), object) == "orchestrator"
    submitted = np.unique(trace.phases["task"][own & (trace.phases["task"] != MISSING)])
    rows = (trace.tasks["core"] != MISSING32) & (trace.tasks["task"] != MISSING)
    ran = np.unique(trace.tasks["task"][rows])
    absent = ran[~np.isin(ran, submitted)].tolist()
    if len(submitted) and absent:
        yield CheckFinding(
            producer="orchestrator",
            kind="missing",
            count=len(absent),
            sentence=f"{many_text(len(absent), 'task')} ran and no submit names them, of "
            f"{count_text(len(ran))}: {tasks_text(trace, absent)}.",
            cause="A task runs only when it was submitted, so the orchestrator's record of it is "
            "lost.",
        )


def _never_ran(trace: Trace) -> Iterator[CheckFinding]:
    kinds = np.array(trace.tasks.text("kind"), object)
    nodes = trace.tasks["task"][kinds == "node"].tolist()
    if nodes:
        yield CheckFinding(
            producer="cores",
            kind="missing",
            count=len(nodes),
            sentence=f"The graph declares {many_text(len(nodes), 'task')} with a function that no "
            f"record names: {tasks_text(trace, nodes)}.",
            cause="Tasks that need no core are told apart at this level, so these should have run: "
            "their records are lost, or the run ended before them.",
        )


def _blocks(trace: Trace) -> Iterator[CheckFinding]:
    """Tasks with fewer rows than blocks; a task of several functions has more rows."""
    tasks = trace.tasks
    rows = np.flatnonzero((tasks["core"] != MISSING32) & (tasks["blocks"] != MISSING32))
    ids, first, counts = np.unique(tasks["task"][rows], return_index=True, return_counts=True)
    blocks = tasks["blocks"][rows[first]]
    short = np.flatnonzero(counts < blocks)
    if not len(short):
        return
    missing = int((blocks - counts)[short].sum())
    names = [
        f"task {task_text(trace, int(ids[k]))} has {counts[k]} of {blocks[k]}"
        for k in short[:4].tolist()
    ]
    yield CheckFinding(
        producer="cores",
        kind="missing",
        count=missing,
        sentence=f"{have(len(short), 'task')} fewer rows than the graph declares blocks: "
        f"{listed(names, len(short))}.",
        cause="Neither core nor scheduler has these rows: both were lost, or the blocks never ran.",
    )
