"""From the files of one run to its Trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lanescope import __version__
from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile
from lanescope.formats.simpler.arguments import read_arguments
from lanescope.formats.simpler.counters import (
    Columns,
    argument_columns,
    concatenated,
    pmu_columns,
    scope_columns,
)
from lanescope.formats.simpler.cycles import read_cycles
from lanescope.formats.simpler.deps import Graph, cycle_flags, kernel_on, read_deps
from lanescope.formats.simpler.generation import generation
from lanescope.formats.simpler.host import read_host_phases
from lanescope.formats.simpler.micros import read_micros
from lanescope.formats.simpler.names import read_names
from lanescope.formats.simpler.nodes import KINDS, Nodes, find_nodes
from lanescope.formats.simpler.pmu import CORE_TYPES, PmuRows, read_pmu
from lanescope.formats.simpler.records import QUEUES, Array, PhaseList, Records, narrow
from lanescope.formats.simpler.scopes import read_scopes
from lanescope.formats.simpler.tasks import TIMES, TaskRows, join_tasks
from lanescope.formats.simpler.timebase import TimeBase, captured_phase, find_base
from lanescope.trace import (
    MISSING,
    MISSING32,
    NO_WORD,
    LedgerEntry,
    Meta,
    Source,
    Table,
    Trace,
    Words,
)
from lanescope.trace.flags import Feature, level_flags
from lanescope.trace.schema import TaskFlag

CHIPS = {50_000_000: "a2a3", 1_000_000_000: "a5"}
"""Which chip counts at which rate: the runtime's platform constants."""


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of one run by what they hold."""

    name: str
    records: JsonFile | None = None
    deps: JsonFile | None = None
    names: JsonFile | None = None
    pmu: Path | None = None
    scopes: Path | None = None
    host_phases: Path | None = None
    arguments: JsonFile | None = None
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Run:
    """The parts of a run on their way to a Trace."""

    files: RunFiles
    words: Words = field(default_factory=Words)
    records: Records | None = None
    tasks: TaskRows | None = None
    graph: Graph | None = None
    pmu: PmuRows | None = None
    loose: list[PhaseList] = field(default_factory=list)
    ledger: list[LedgerEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


def build_trace(files: RunFiles, *, keep_damaged: bool = False) -> Trace:
    """Read every file of the run and join them."""
    run = _Run(files, notes=list(files.notes))
    _read(run, keep_damaged)
    try:
        return _assemble(run, keep_damaged)
    except OverflowError as error:
        path = files.records.path if files.records else files.name
        raise InputError(path, f"a time is too large for 64 bits ({error})") from error


def read_records(file: JsonFile) -> Records:
    """A records file of any generation."""
    found = generation(file)
    return read_cycles(file, found) if found.in_cycles else read_micros(file, found)


def _read(run: _Run, keep_damaged: bool) -> None:
    files = run.files
    if files.records is not None:
        run.records = read_records(files.records)
        run.tasks = join_tasks(run.records, keep_damaged=keep_damaged)
        run.ledger += run.tasks.ledger
        run.extra |= run.records.extra | {"generation": run.records.generation}
        if run.records.host is not None:
            run.ledger += run.records.host.ledger()
    if files.deps is not None:
        run.graph = read_deps(files.deps, keep_damaged=keep_damaged)
    if files.pmu is not None:
        run.pmu = read_pmu(files.pmu)
        run.extra["pmu_events"] = run.pmu.events
    if files.host_phases is not None:
        run.loose, entries = read_host_phases(files.host_phases)
        run.ledger += entries


def _assemble(run: _Run, keep_damaged: bool) -> Trace:
    base = find_base(run.records, run.tasks, run.loose)
    kinds = _core_kinds(run)
    edges = _edges(run, keep_damaged)
    tasks = _task_columns(run, base, kinds)
    nodes = find_nodes(tasks["task"], run.records, run.graph, (edges["pred"], edges["succ"]))
    counters = _counters(run, tasks)
    names = read_names(run.files.names) if run.files.names is not None else {}
    trace = Trace(
        meta=_meta(run, base),
        tasks=Table.build("tasks", _with_nodes(run, tasks, nodes)),
        phases=Table.build("phases", _phase_columns(run, base)),
        counters=Table.build("counters", counters),
        edges=Table.build("edges", edges),
        cores=Table.build("cores", _core_columns(run, kinds)),
        functions=Table.build("functions", _functions(run, tasks["func"], names)),
        words=run.words.freeze(),
    )
    return trace.with_meta(notes=tuple(run.notes), ledger=tuple(run.ledger))


def _core_kinds(run: _Run) -> dict[int, str]:
    kinds = dict(run.records.core_kinds) if run.records else {}
    if run.pmu is not None:
        for core, kind in zip(run.pmu.core.tolist(), run.pmu.core_type.tolist(), strict=True):
            if not kinds.get(core) and 0 <= kind < len(CORE_TYPES):
                kinds[core] = CORE_TYPES[kind]
    return dict(sorted(kinds.items()))


def _task_columns(run: _Run, base: TimeBase, kinds: Mapping[int, str]) -> Columns:
    """Rows that ran on a core, complete but for the nodes."""
    if run.tasks is None or run.records is None:
        return _from_pmu(run)
    rows = run.tasks
    count = len(rows.core)
    columns: Columns = {
        "task": rows.task,
        "kind": np.full(count, run.words.code("run"), np.int32),
        "core": rows.core.astype(np.int32),
        "token": rows.token,
        "flags": rows.flags,
        "func": np.full(count, MISSING32, np.int32),
        "block": np.full(count, MISSING32, np.int32),
        "blocks": np.full(count, MISSING32, np.int32),
    }
    if rows.func is not None:
        func = np.where(rows.func < 0, MISSING, rows.func)
        columns["func"] = narrow(run.records.path, "tasks", func)
    for name in TIMES:
        raw = rows.times[name]
        columns[f"{name}_ns"] = base.device(np.where(rows.usable, raw, MISSING))
        in_cycles = run.records.clock_hz is not None
        columns[f"{name}_cycles"] = raw if in_cycles else np.full(count, MISSING)
    _declare(run, columns, kinds)
    return columns


def _from_pmu(run: _Run) -> Columns:
    """Without a records file the counters still say which task ran on which core."""
    pmu = run.pmu
    count = 0 if pmu is None else len(pmu.core)
    none = np.full(count, MISSING)
    columns: Columns = {
        "task": none if pmu is None else pmu.task,
        "kind": np.full(count, run.words.code("run"), np.int32),
        "core": np.full(count, 0, np.int32) if pmu is None else pmu.core.astype(np.int32),
        "token": none,
        "func": none.astype(np.int32) if pmu is None else narrow(pmu.path, "rows", pmu.func),
        "flags": np.full(count, int(TaskFlag.NO_CORE_RECORD), np.int32),
    }
    absent = np.full(count, MISSING32, np.int32)
    columns |= {"block": absent, "blocks": absent}
    return columns | {f"{name}_{unit}": none for name in TIMES for unit in ("ns", "cycles")}


def _declare(run: _Run, columns: Columns, kinds: Mapping[int, str]) -> None:
    """What the graph declares of the tasks that ran: function, blocks, flags."""
    graph = run.graph
    task = columns["task"]
    if graph is None or not len(graph.task):
        columns["flags"] = columns["flags"] | _mixed(task, columns["core"], kinds)
        return
    func, ambiguous, found = kernel_on(graph, task, _kind_of(columns["core"], kinds))
    columns["func"] = np.where(columns["func"] != MISSING32, columns["func"], func)
    at = np.minimum(np.searchsorted(graph.task, task), len(graph.task) - 1)
    kernels = graph.kernels[at]
    mix = found & (kernels[:, 0] >= 0) & (kernels[:, 1:] >= 0).any(axis=1)
    declared = np.where(found, graph.flags[at], 0)
    declared = declared + mix * TaskFlag.MIX + ambiguous * TaskFlag.FUNCTION_AMBIGUOUS
    columns["flags"] = columns["flags"] | declared.astype(np.int32)
    columns["blocks"] = np.where(found, graph.blocks[at], MISSING32).astype(np.int32)
    columns["block"] = np.where(columns["blocks"] == 1, 0, MISSING32).astype(np.int32)
    if ambiguous.any():
        run.notes.append(
            f"{int(ambiguous.sum())} task rows run one of two vector functions and the records do "
            "not say which; they are shown as the first."
        )


def _kind_of(core: Array, kinds: Mapping[int, str]) -> Array:
    """The kind of each row's core; every core of a row is in `kinds`."""
    names: Array = np.array([*kinds.values()])
    return names[np.searchsorted(np.array([*kinds]), core)] if len(core) else names[:0]


def _mixed(task: Array, core: Array, kinds: Mapping[int, str]) -> Array:
    """MIX without a graph: the task id occurs on more than one kind of core."""
    if not len(task):
        return np.zeros(0, np.int32)
    names, kind = np.unique(_kind_of(core, kinds), return_inverse=True)
    ids, index = np.unique(task, return_inverse=True)
    seen = np.zeros((len(ids), len(names)), bool)
    seen[index, kind] = True
    mixed = (seen.sum(axis=1) > 1) & (ids != MISSING)
    result: Array = (mixed[index] * TaskFlag.MIX).astype(np.int32)
    return result


def _with_nodes(run: _Run, tasks: Columns, nodes: Nodes) -> Columns:
    """The rows that ran, then the nodes that did not."""
    if not len(nodes.task):
        return tasks
    codes = run.words.codes(list(KINDS))
    graph = run.graph
    extra: Columns = {"task": nodes.task, "kind": codes[nodes.kind]}
    if graph is not None and len(graph.task):
        at = np.minimum(np.searchsorted(graph.task, nodes.task), len(graph.task) - 1)
        found = graph.task[at] == nodes.task
        extra["flags"] = np.where(found, graph.flags[at], 0).astype(np.int32)
        extra["blocks"] = np.where(found, graph.blocks[at], MISSING32).astype(np.int32)
    else:
        extra["flags"] = np.zeros(len(nodes.task), np.int32)
    below = Table.build("tasks", extra)
    return {key: np.concatenate([column, below[key]]) for key, column in tasks.items()}


def _phase_columns(run: _Run, base: TimeBase) -> Columns:
    device = run.records.phases if run.records else []
    host = run.records.host.phases if run.records and run.records.host else []
    known = {(a, b) for p in host for a, b in zip(p.start.tolist(), p.end.tolist(), strict=True)}
    parts = [_one_list(run, phases, base, on_host=False) for phases in device]
    parts += [_one_list(run, phases, base, on_host=True) for phases in host]
    parts += [_one_list(run, _without(p, known), base, on_host=True) for p in run.loose]
    if not parts:
        return {}
    tables = [Table.build("phases", part) for part in parts]
    return {key: np.concatenate([t[key] for t in tables]) for key in tables[0].columns}


def _without(phases: PhaseList, known: set[tuple[int, int]]) -> PhaseList:
    """Less the intervals that the records file already holds."""
    pairs = zip(phases.start.tolist(), phases.end.tolist(), strict=True)
    keep = np.array([pair not in known for pair in pairs], bool)
    return PhaseList(
        phases.lane,
        phases.controller,
        phases.kinds[keep],
        phases.kind_names,
        phases.start[keep],
        phases.end[keep],
        {name: column[keep] for name, column in phases.columns.items()},
    )


def _one_list(run: _Run, phases: PhaseList, base: TimeBase, *, on_host: bool) -> Columns:
    count = len(phases.start)
    codes = run.words.codes(phases.kind_names or ["submit"])
    columns: Columns = {
        "lane": np.full(count, run.words.code(phases.lane), np.int32),
        "controller": np.full(count, phases.controller, np.int32),
        "kind": codes[phases.kinds],
        **phases.columns,
    }
    in_cycles = run.records is not None and run.records.clock_hz is not None
    for side, raw in (("start", phases.start), ("end", phases.end)):
        if on_host:
            columns[f"{side}_ns"] = base.host(raw)
        else:
            times = captured_phase(raw) if in_cycles else raw
            columns[f"{side}_ns"] = base.device(times)
            if in_cycles:
                columns[f"{side}_cycles"] = times
    return columns


def _edges(run: _Run, keep_damaged: bool) -> Columns:
    graph = run.graph
    if graph is not None:
        codes = np.append(run.words.codes(graph.edge_kinds), np.int32(NO_WORD))
        at = np.where(graph.edge_kind == MISSING, len(codes) - 1, graph.edge_kind)
        return {
            "pred": graph.pred,
            "succ": graph.succ,
            "kind": codes[at],
            "arg": graph.arg,
            "flags": graph.edge_flags,
        }
    none = np.empty(0, np.int64)
    pred, succ = none, none
    flags = np.zeros(0, np.int32)
    if run.records is not None and run.records.fanout is not None:
        pred, succ = run.records.fanout
        flags = cycle_flags(run.records.path, pred, succ, keep=keep_damaged)
    kind = np.full(len(pred), run.words.code("fanout"), np.int32)
    return {"pred": pred, "succ": succ, "kind": kind, "flags": flags}


def _counters(run: _Run, tasks: Columns) -> Columns:
    parts = []
    if run.pmu is not None:
        columns, entry = pmu_columns(run.pmu, tasks, run.words)
        parts.append(columns)
        run.ledger.append(entry)
    if run.files.scopes is not None:
        scopes = read_scopes(run.files.scopes)
        parts.append(scope_columns(scopes, run.words))
        run.ledger.append(scopes.ledger())
        run.extra["scope_limits"] = scopes.limits()
    if run.files.arguments is not None:
        parts.append(argument_columns(read_arguments(run.files.arguments), run.words))
    return concatenated(parts)


def _core_columns(run: _Run, kinds: Mapping[int, str]) -> Columns:
    threads = run.records.core_controller if run.records else {}
    cubes = [core for core, kind in kinds.items() if kind == "aic"]
    vectors = [core for core, kind in kinds.items() if kind == "aiv"]
    cluster = dict.fromkeys(kinds, MISSING32)
    if run.records and run.records.clock_hz and len(vectors) == 2 * len(cubes):
        # One cube core and two vector cores share a block, in order of their numbers.
        cluster |= {core: n for n, core in enumerate(cubes)}
        cluster |= {core: n // 2 for n, core in enumerate(vectors)}
    controller = [threads.get(core, -1) for core in kinds]
    return {
        "core": np.array(list(kinds), np.int32),
        "name": run.words.codes([f"{kind or 'core'} {core}" for core, kind in kinds.items()]),
        "kind": np.array([run.words.code(k) if k else NO_WORD for k in kinds.values()], np.int32),
        "cluster": np.array(list(cluster.values()), np.int32),
        "controller": np.array([t if t >= 0 else MISSING32 for t in controller], np.int32),
    }


def _functions(run: _Run, used: Array, names: dict[int, str]) -> Columns:
    ids = {int(func) for func in np.unique(used).tolist() if func != MISSING32} | names.keys()
    ordered = sorted(ids)
    return {
        "func": np.array(ordered, np.int32),
        "name": run.words.codes([names.get(func, f"func_{func}") for func in ordered]),
    }


def _meta(run: _Run, base: TimeBase) -> Meta:
    records = run.records
    level = records.level if records else 0
    flags = level_flags(level)
    flags |= Feature.PMU if run.pmu is not None else Feature(0)
    flags |= Feature.DUMP_TENSOR if run.files.arguments is not None else Feature(0)
    clock = base.clock()
    if clock is not None and clock.status == "unaligned":
        run.notes.append(
            "The host's and the device's clocks could not be aligned (no usable anchors): host "
            "phases are kept without times."
        )
    return Meta(
        name=run.files.name,
        tool=f"lanescope {__version__}",
        origin="imported",
        sources=run.files.sources,
        chip=CHIPS.get(records.clock_hz or 0, "") if records else "",
        clock_hz=records.clock_hz if records else None,
        base_cycles=base.base_cycles,
        base_shift_ns=base.shift_ns,
        level=level,
        flags=int(flags),
        queues=QUEUES if records else (),
        host_clock=clock,
        extra=run.extra,
    )
