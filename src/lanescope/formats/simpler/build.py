"""Joins the files of one run into its Trace."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

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
from lanescope.formats.simpler.deps import cycle_flags, read_deps
from lanescope.formats.simpler.generation import generation
from lanescope.formats.simpler.host import read_host_phases
from lanescope.formats.simpler.micros import read_micros
from lanescope.formats.simpler.names import read_names
from lanescope.formats.simpler.nodes import find_nodes
from lanescope.formats.simpler.parts import Run, RunFiles
from lanescope.formats.simpler.phase_columns import phase_columns
from lanescope.formats.simpler.pmu import CORE_TYPES, read_pmu
from lanescope.formats.simpler.records import QUEUES, Array, Records
from lanescope.formats.simpler.scopes import read_scopes
from lanescope.formats.simpler.task_columns import task_columns, with_nodes
from lanescope.formats.simpler.tasks import join_tasks, record_ledger
from lanescope.formats.simpler.timebase import TimeBase, find_base
from lanescope.trace import MISSING, MISSING32, NO_WORD, Meta, Table, Trace
from lanescope.trace.flags import Feature, level_flags
from lanescope.trace.meta import RecordingFacts

CHIPS = {50_000_000: "a2a3", 1_000_000_000: "a5"}
"""Which chip counts at which rate: the runtime's platform constants."""


def build_trace(files: RunFiles, *, keep_damaged: bool = False) -> Trace:
    """Read every file of the run and join them.

    Raises InputError where a file is damaged; with `keep_damaged` its records are kept, flagged.
    """
    run = Run(files, notes=list(files.notes))
    _read(run, keep_damaged)
    try:
        return _assemble(run, keep_damaged)
    except OverflowError as error:
        path = files.records.path if files.records else files.name
        raise InputError(path, f"a time is too large for 64 bits ({error})") from error


def read_records(file: JsonFile) -> Records:
    """Read a records file of any generation."""
    told = generation(file)
    return read_cycles(file, told) if told.in_cycles else read_micros(file, told)


def _read(run: Run, keep_damaged: bool) -> None:
    """Read all files; the graph in a thread of its own.

    Reading spends its time in C, without Python's lock.
    """
    files = run.files
    with ThreadPoolExecutor(1) as beside:
        graph = None
        if files.deps is not None:
            graph = beside.submit(read_deps, files.deps, keep_damaged=keep_damaged)
        _read_records(run, keep_damaged)
        if files.pmu is not None:
            run.pmu = read_pmu(files.pmu)
        if files.host_phases is not None:
            run.loose, entries = read_host_phases(files.host_phases)
            run.ledger += entries
        run.graph = graph.result() if graph else None


def _read_records(run: Run, keep_damaged: bool) -> None:
    if run.files.records is None:
        return
    run.records = read_records(run.files.records)
    run.tasks = join_tasks(run.records, keep_damaged=keep_damaged)
    run.ledger += record_ledger(run.records, run.tasks)
    run.extra |= run.records.extra | {"generation": run.records.generation}
    if run.records.host is not None:
        run.ledger += run.records.host.ledger()


def _assemble(run: Run, keep_damaged: bool) -> Trace:
    """Make the tables; the phases in a thread beside the tasks."""
    base = find_base(run.records, run.tasks, run.loose)
    with ThreadPoolExecutor(1) as beside:
        phases = beside.submit(phase_columns, run, base, keep_damaged=keep_damaged)
        kinds = _core_kinds(run)
        edges = _edges(run, keep_damaged)
        tasks = task_columns(run, base, kinds)
        nodes = find_nodes(tasks["task"], run.records, run.graph, (edges["pred"], edges["succ"]))
        counters = _counters(run, tasks)
        names = read_names(run.files.names) if run.files.names is not None else {}
        trace = Trace(
            meta=_meta(run, base),
            tasks=Table.build("tasks", with_nodes(run, tasks, nodes)),
            phases=Table.build("phases", phases.result().coded(run.words)),
            counters=Table.build("counters", counters),
            edges=Table.build("edges", edges),
            cores=Table.build("cores", _core_columns(run, kinds)),
            functions=Table.build("functions", _functions(run, tasks["func"], names)),
            words=run.words.freeze(),
        )
    return trace.with_meta(notes=tuple(run.notes), ledger=tuple(run.ledger))


def _core_kinds(run: Run) -> dict[int, str]:
    kinds = dict(run.records.core_kinds) if run.records else {}
    if run.pmu is not None:
        for core, kind in zip(run.pmu.core.tolist(), run.pmu.core_type.tolist(), strict=True):
            if not kinds.get(core):
                kinds[core] = CORE_TYPES[kind] if 0 <= kind < len(CORE_TYPES) else ""
    return dict(sorted(kinds.items()))


def _edges(run: Run, keep_damaged: bool) -> Columns:
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


def _counters(run: Run, tasks: Columns) -> Columns:
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
        arguments = read_arguments(run.files.arguments)
        parts.append(argument_columns(arguments.total, run.words))
        run.ledger += arguments.ledger
    return concatenated(parts)


def _core_columns(run: Run, kinds: Mapping[int, str]) -> Columns:
    threads = run.records.core_controller if run.records else {}
    cubes = [core for core, kind in kinds.items() if kind == "aic"]
    vectors = [core for core, kind in kinds.items() if kind == "aiv"]
    cluster = dict.fromkeys(kinds, MISSING32)
    if run.records and run.records.clock_hz and len(vectors) == 2 * len(cubes):
        # A block is one cube core and two vector cores (the runtime's platform constants); that
        # they are numbered in order is inferred: all MIX tasks of real captures lie so.
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


def _functions(run: Run, used: Array, names: dict[int, str]) -> Columns:
    ids = {int(func) for func in np.unique(used).tolist() if func != MISSING32} | names.keys()
    ordered = sorted(ids)
    return {
        "func": np.array(ordered, np.int32),
        "name": run.words.codes([names.get(func, f"func_{func}") for func in ordered]),
    }


def _meta(run: Run, base: TimeBase) -> Meta:
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
        recording=RecordingFacts(pmu_events=tuple(run.pmu.events)) if run.pmu is not None else None,
        extra=run.extra,
    )
