"""Makes the `tasks` table: rows that ran on a core, what the graph says of them, other nodes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lanescope.formats.simpler.counters import Columns
from lanescope.formats.simpler.deps import kernel_on
from lanescope.formats.simpler.nodes import KINDS, GraphNodes
from lanescope.formats.simpler.parts import Run
from lanescope.formats.simpler.records import Array, narrow
from lanescope.formats.simpler.timebase import TimeBase
from lanescope.trace import MISSING, MISSING32, Table
from lanescope.trace.numbering import places
from lanescope.trace.schema import TaskFlag
from lanescope.trace.table import constant
from lanescope.trace.task_rows import TIMES


def task_columns(run: Run, base: TimeBase, kinds: Mapping[int, str]) -> Columns:
    """The rows that ran on a core, with times in ns and cycles; nodes come later."""
    if run.tasks is None or run.records is None:
        return _from_pmu(run)
    rows, usable = run.tasks, run.tasks.usable
    count, all_usable = len(rows.task), bool(usable.all())
    columns: Columns = {
        "task": rows.task,
        "kind": constant(run.words.code("run"), count, np.int32),
        "core": rows.key.core.astype(np.int32),
        "token": rows.key.token,
        "flags": rows.flags,
        "func": rows.func,
        "block": constant(MISSING32, count, np.int32),
        "blocks": constant(MISSING32, count, np.int32),
    }
    for name in TIMES:
        raw = rows.times[name]
        columns[f"{name}_ns"] = base.device(raw if all_usable else np.where(usable, raw, MISSING))
        in_cycles = run.records.clock_hz is not None
        columns[f"{name}_cycles"] = raw if in_cycles else constant(MISSING, count, np.int64)
    _declare(run, columns, kinds)
    return columns


def _from_pmu(run: Run) -> Columns:
    """Rows from the counters alone: they too say which task ran on which core."""
    pmu = run.pmu
    count = 0 if pmu is None else len(pmu.core)
    none = constant(MISSING, count, np.int64)
    columns: Columns = {
        "task": none if pmu is None else pmu.task,
        "kind": np.full(count, run.words.code("run"), np.int32),
        "core": np.full(count, 0, np.int32) if pmu is None else pmu.core.astype(np.int32),
        "token": none,
        "func": none.astype(np.int32) if pmu is None else narrow(pmu.path, "rows", pmu.func),
        "flags": np.full(count, int(TaskFlag.NO_CORE_RECORD), np.int32),
    }
    absent = constant(MISSING32, count, np.int32)
    columns |= {"block": absent, "blocks": absent}
    return columns | {f"{name}_{unit}": none for name in TIMES for unit in ("ns", "cycles")}


def _declare(run: Run, columns: Columns, kinds: Mapping[int, str]) -> None:
    """Add what the graph declares of the tasks that ran: function, blocks, flags."""
    graph = run.graph
    task = columns["task"]
    if graph is None or not len(graph.task):
        columns["flags"] = columns["flags"] | _mixed(task, columns["core"], kinds)
        return
    cube = _are_cubes(columns["core"], kinds)
    at = places(graph.task, task)
    func, ambiguous, mix = kernel_on(graph, at, cube)
    columns["func"] = np.where(columns["func"] != MISSING32, columns["func"], func)
    declared = _at(graph.flags, at, 0)
    declared = declared + mix * np.int32(TaskFlag.MIX)
    declared = declared + ambiguous * np.int32(TaskFlag.FUNCTION_AMBIGUOUS)
    columns["flags"] = columns["flags"] | declared
    columns["blocks"] = _at(graph.blocks, at, MISSING32)
    columns["block"] = np.where(columns["blocks"] == 1, np.int32(0), np.int32(MISSING32))
    if ambiguous.any():
        run.notes.append(
            f"{int(ambiguous.sum())} task rows run one of two vector functions and the records do "
            "not say which; they are shown as the first."
        )


def _are_cubes(core: Array, kinds: Mapping[int, str]) -> Array:
    """Whether each core is a cube core; core numbers are those of `kinds`."""
    known = np.zeros(max([*kinds, int(core.max(initial=0))]) + 1, bool)
    known[[core for core, kind in kinds.items() if kind == "aic"]] = True
    cubes: Array = known[core]
    return cubes


def _at(column: Array, at: Array, absent: int) -> Array:
    """The int32 values at these places; `absent` where the place is -1."""
    values: Array = column[at]
    if at.min(initial=0) < 0:
        values[at < 0] = absent
    return values


def _mixed(task: Array, core: Array, kinds: Mapping[int, str]) -> Array:
    """MIX where there is no graph: the task id occurs on more than one kind of core."""
    if not len(task):
        return np.zeros(0, np.int32)
    codes = {kind: code for code, kind in enumerate(dict.fromkeys(kinds.values()))}
    of_core = np.array([codes[kind] for kind in kinds.values()])
    kind = of_core[np.searchsorted(np.array([*kinds]), core)]
    ids, first, index = np.unique(task, return_index=True, return_inverse=True)
    mixed = np.zeros(len(ids), bool)
    mixed[index[kind != kind[first][index]]] = True
    mixed &= ids != MISSING
    result: Array = (mixed[index] * TaskFlag.MIX).astype(np.int32)
    return result


def with_nodes(run: Run, tasks: Columns, nodes: GraphNodes) -> Columns:
    """The rows that ran, then the nodes that did not run."""
    if not len(nodes.task):
        return tasks
    codes = run.words.codes(list(KINDS))
    graph = run.graph
    extra: Columns = {"task": nodes.task, "kind": codes[nodes.kind]}
    if graph is not None and len(graph.task):
        at = places(graph.task, nodes.task)
        extra["flags"] = _at(graph.flags, at, 0)
        extra["blocks"] = _at(graph.blocks, at, MISSING32)
    else:
        extra["flags"] = np.zeros(len(nodes.task), np.int32)
    below = Table.build("tasks", extra)
    return {key: np.concatenate([column, below[key]]) for key, column in tasks.items()}
