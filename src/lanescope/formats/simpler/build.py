"""Joins the files of a capture into its Trace."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

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
from lanescope.formats.simpler.host_lanes import host_lanes
from lanescope.formats.simpler.host_spans import with_host_spans
from lanescope.formats.simpler.hosting import (
    HostLogs,
    place_runs,
    run_stamps,
    saved_clock,
)
from lanescope.formats.simpler.log_alone import of_logs
from lanescope.formats.simpler.micros import read_micros
from lanescope.formats.simpler.names import read_names
from lanescope.formats.simpler.nodes import find_nodes
from lanescope.formats.simpler.parts import Run, RunFiles
from lanescope.formats.simpler.phase_columns import phase_columns
from lanescope.formats.simpler.pmu import CORE_TYPES, read_pmu
from lanescope.formats.simpler.records import QUEUES, Array, Records
from lanescope.formats.simpler.runs import (
    controller_columns,
    missing_sections,
    share_companions,
    split_runs,
    with_epoch,
)
from lanescope.formats.simpler.scopes import read_scopes
from lanescope.formats.simpler.task_columns import task_columns, with_nodes
from lanescope.formats.simpler.tasks import join_tasks, record_ledger
from lanescope.formats.simpler.timebase import TimeBase, find_base
from lanescope.render.cells import time_text
from lanescope.trace import MISSING, MISSING32, NO_WORD, Meta, Table, Trace
from lanescope.trace.flags import Feature, level_flags
from lanescope.trace.merge import Part, merge
from lanescope.trace.meta import RecordingFacts
from lanescope.trace.numbering import different
from lanescope.trace.summed import summed

CHIPS = {50_000_000: "a2a3", 1_000_000_000: "a5"}
"""Which chip counts at which rate: the runtime's platform constants."""


_CLOCK_NOTES = {
    "unaligned": "The host's and the device's clocks could not be aligned (no usable anchors): "
    "host phases are kept without times.",
    "ordered": "Of the host's and the device's clocks only the order is known: the device is drawn "
    "right after the host's last record, and how long it really took to begin is not known.",
    "contained": "The device's times were placed inside the host's spans and may lie up to {slack} "
    "later than drawn: an order of host and device within that is undecided.",
}
"""What a reader must know of each way in which the two clocks were put together."""


def build_trace(files: RunFiles, *, keep_damaged: bool = False, clock: str = "") -> Trace:
    """Read every file of the run and join them; several runs in a file make one trace.

    `clock` says how host and device are put together: see `hosting.place_runs`.

    Raises InputError where a file is damaged; with `keep_damaged` its records are kept, flagged.
    """
    capture = ReadCapture.read(files, keep_damaged=keep_damaged)
    logs = HostLogs.read(files.host_logs)
    if logs.logs and files.records is None:
        [trace] = capture.traces(keep_damaged=keep_damaged)
        return of_logs(trace, logs)
    share_companions(capture.runs)
    placed = place_runs(capture.runs, logs, clock) if logs.logs else []
    traces = capture.traces(keep_damaged=keep_damaged)
    trace = traces[0]
    if len(traces) > 1:
        trace = merge(files.name, [Part(trace=one) for one in traces])
    if not logs.logs:
        return trace
    zero = [one.meta.host_clock.host_ns if one.meta.host_clock else 0 for one in traces]
    if any(placed):
        trace = with_host_spans(trace, host_lanes(logs, placed, [None] * len(placed)), zero)
    ledger, extra = (*trace.meta.ledger, *logs.ledger()), trace.meta.extra | logs.facts()
    return trace.with_meta(ledger=ledger, extra=extra)


@dataclass(frozen=True, slots=True)
class ReadCapture:
    """The runs of one capture, read and joined, not yet on any axis."""

    files: RunFiles
    runs: list[Run]

    @classmethod
    def read(cls, files: RunFiles, *, keep_damaged: bool) -> ReadCapture:
        """Read the files; tell the runs apart and join each."""
        whole = Run(files, notes=list(files.notes))
        _read(whole, keep_damaged)
        runs = split_runs(whole, keep_damaged=keep_damaged)
        for run in runs:
            _join(run, keep_damaged)
        return cls(files, runs)

    def traces(self, *, keep_damaged: bool, base: TimeBase | None = None) -> list[Trace]:
        """A trace per run; all count from the same 0 ns, that of `base` where it is given."""
        try:
            base = common_base(self.runs) if base is None else base
            return [_assemble(run, _on(base, run), keep_damaged) for run in self.runs]
        except OverflowError as error:
            path = self.files.records.path if self.files.records else self.files.name
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
        if files.records is not None:
            run.records = read_records(files.records)
            run.placed = saved_clock(files.records, run.records)
        if files.pmu is not None:
            run.pmu = read_pmu(files.pmu)
        if files.host_phases is not None:
            run.loose, entries = read_host_phases(files.host_phases)
            run.ledger += entries
        run.graph = graph.result() if graph else None


def _join(run: Run, keep_damaged: bool) -> None:
    """Join the records of one run, and keep its accounts."""
    records = run.records
    if records is None:
        return
    run.tasks = join_tasks(records, keep_damaged=keep_damaged)
    own = [*record_ledger(records, run.tasks), *records.ledger]
    if records.host is not None:
        own += records.host.ledger()
    run.ledger[:0] = own
    run.notes += [*records.notes, *missing_sections(records)]
    run.extra |= records.extra | {"generation": records.generation}
    if records.host is not None:
        run.extra |= records.host.facts()


def _on(base: TimeBase, run: Run) -> TimeBase:
    """The common axis with the run's own records and place on the host's clock."""
    return replace(base, records=run.records, fit=run.placed or base.fit)


def common_base(runs: list[Run]) -> TimeBase:
    """Where 0 ns is for all runs of one device's counter: the earliest moment of all."""
    timed = runs
    if len(runs) > 1:
        timed = [run for run in runs if run_stamps(run) is not None] or runs[:1]
    bases = [find_base(run.records, run.tasks, run.loose, run.placed) for run in timed]
    return min(bases, key=lambda base: (base.base_cycles or 0, base.shift_ns))


def _assemble(run: Run, base: TimeBase, keep_damaged: bool) -> Trace:
    """Make the tables; the phases in a thread beside the tasks."""
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
            phases=phases.result().table(run.words),
            counters=Table.build("counters", counters),
            edges=Table.build("edges", edges),
            cores=Table.build("cores", _core_columns(run, kinds)),
            functions=Table.build("functions", _functions(run, tasks["func"], names)),
            controllers=Table.build("controllers", controller_columns(run)),
            words=run.words.freeze(),
        )
    trace = trace.with_meta(notes=tuple(run.notes), ledger=summed(run.ledger))
    return with_epoch(run, trace)


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
        at = graph.edge_kind
        if at.min(initial=0) < 0:
            at = np.where(at == MISSING, len(codes) - 1, at)
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
    ids = {int(func) for func in different(used).tolist() if func != MISSING32} | names.keys()
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
    if clock is not None and clock.status in _CLOCK_NOTES:
        run.notes.append(_CLOCK_NOTES[clock.status].format(slack=time_text(clock.slack_ns)))
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
        task_ids=records.task_ids if records else "",
        queues=QUEUES if records else (),
        host_clock=clock,
        recording=RecordingFacts(pmu_events=tuple(run.pmu.events)) if run.pmu is not None else None,
        extra=run.extra,
    )
