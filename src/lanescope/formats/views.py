"""A trace as a timeline viewer shows it: views of named lanes with slices, arrows and counters.

Both exporters draw these. When the trace has times before its base, all times (also those in
arguments) are shifted so that the earliest is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lanescope.native import stack_slices
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.join import key
from lanescope.trace.table import Array

_CONTROLLER_LANES = ("scheduler", "orchestrator", "host")
_PHASE_ARGUMENTS = ("loop", "tasks", "pop_hit", "pop_miss", "task", "submit", "bytes")
_TASK_TIMES = ("dispatch_ns", "receive_ns", "finish_ns")
_TASK_ARGUMENTS = {"task": "task", "function": "func", "token": "token", "block": "block"}


@dataclass(frozen=True, slots=True)
class Argument:
    """One value per slice: int64 with MISSING, or float64 with NaN, where it is not known."""

    name: str
    values: Array

    @property
    def known(self) -> Array:
        whole = self.values.dtype != np.float64
        return np.asarray(self.values != MISSING if whole else np.isfinite(self.values))


@dataclass(frozen=True, slots=True)
class Slices:
    """Slices made from one table; `lane` counts the view's lanes, `name` points into `names`."""

    lane: Array
    start_ns: Array
    end_ns: Array
    name: Array
    names: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrows:
    """Arrow i goes from slice `source[i]` to slice `target[i]`; sorted by source, then target."""

    source: Array
    target: Array
    not_drawn: int


@dataclass(frozen=True, slots=True)
class View:
    """Slices laid on lanes, sorted by lane, then start, then longest first.

    Slice i is row `row[i]` of `parts[part[i]]`. On each lane any two slices are disjoint or
    nested: those that overlap otherwise are on a sub-lane, named "LANE (2)" and so on.
    """

    name: str
    lanes: tuple[str, ...]
    parts: tuple[Slices, ...]
    part: Array
    row: Array
    lane: Array
    start_ns: Array
    end_ns: Array
    order: Array
    """How begins (2i) and ends (2i+1) are written; begins come in the order of the slices."""
    arrows: Arrows


@dataclass(frozen=True, slots=True)
class Counter:
    """A level over time, sorted by time; it keeps each value until the next one."""

    name: str
    time_ns: Array
    value: Array


def views(trace: Trace) -> Iterator[View]:
    """The views that have something to show, one at a time; the cores always."""
    origin = origin_ns(trace)
    yield _cores(trace, origin)
    for make in (_scheduler, _controllers):
        view = make(trace, origin)
        if len(view.row):
            yield view


def origin_ns(trace: Trace) -> int:
    """The time that is 0 in the export: the earliest one, where that is before the base."""
    tables = (trace.tasks, trace.phases, trace.marks, trace.stalls)
    columns = [table["start_ns"] for table in tables]
    columns += [trace.tasks["dispatch_ns"], trace.phases["end_ns"], trace.counters["time_ns"]]
    return min(int(times.min(initial=0, where=times != MISSING)) for times in columns)


def counters(trace: Trace) -> Iterator[Counter]:
    """Depth of each ready queue, then every counter of the trace that has times."""
    origin = origin_ns(trace)
    for number, name in enumerate(trace.meta.queues):
        yield from _queue(trace, name, number, origin)
    known = (trace.counters["time_ns"] != MISSING) & np.isfinite(trace.counters["value"])
    timed = trace.counters.rows(known)
    group = key(timed["name"] + 1, timed["core"] - np.int64(MISSING32))
    cores = _Cores(trace)
    for code, rows in _groups(group):
        label, core = trace.word((code >> 32) - 1) or "counter", (code & 0xFFFFFFFF) + MISSING32
        rows = rows[np.argsort(timed["time_ns"][rows], kind="stable")]
        if core != MISSING32:
            label = f"{label} {cores.name(core)}"
        yield Counter(label, timed["time_ns"][rows] - origin, timed["value"][rows])


# ---- views --------------------------------------------------------------------------------------


def _cores(trace: Trace, origin: int) -> View:
    cores = _Cores(trace)
    marks = _only(trace.marks, trace.marks["start_ns"] != MISSING)
    lanes = _CoreLanes(trace, cores, marks)
    ran = np.flatnonzero(trace.ran())
    stalls = trace.stalls.rows(_stalled(trace) & _of_core(trace))
    parts = (
        _tasks(trace, ran, lanes.of_core[cores.index(trace.tasks["core"][ran])], origin),
        _marks(trace, marks, lanes.of_mark, origin),
        _stalls(trace, stalls, lanes.of_core[cores.index(stalls["core"])], origin),
    )
    return _with_arrows(_lay("cores", lanes.names, parts), trace, trace.tasks["task"][ran])


def _scheduler(trace: Trace, origin: int) -> View:
    cores = _Cores(trace)
    table = trace.tasks
    rows = np.flatnonzero((table["dispatch_ns"] != MISSING) & (table["finish_ns"] != MISSING))
    arguments = _arguments(table, rows, _TASK_ARGUMENTS)
    arguments += _times(table, rows, ("receive_ns", "start_ns", "end_ns"), origin)
    part = Slices(
        cores.index(table["core"][rows]),
        table["dispatch_ns"][rows] - origin,
        table["finish_ns"][rows] - origin,
        *_function_names(trace, rows),
        arguments,
    )
    return _lay("scheduler view", cores.names, (part,))


def _controllers(trace: Trace, origin: int) -> View:
    known = (trace.phases["start_ns"] != MISSING) & (trace.phases["end_ns"] != MISSING)
    phases = _only(trace.phases, known)
    stalls = trace.stalls.rows(_stalled(trace) & ~_of_core(trace))
    keys = [_controller_key(trace, table) for table in (phases, stalls)]
    used, lane = np.unique(np.concatenate(keys), return_inverse=True)
    names = (*trace.words, "phase")
    part = Slices(
        lane[: len(phases)],
        phases["start_ns"] - origin,
        phases["end_ns"] - origin,
        phases["kind"] % len(names),
        names,
        _arguments(phases, None, {name: name for name in _PHASE_ARGUMENTS}),
    )
    lanes = [_controller_name(trace, code) for code in used.tolist()]
    return _lay("controllers", lanes, (part, _stalls(trace, stalls, lane[len(phases) :], origin)))


def _controller_key(trace: Trace, table: Table) -> Array:
    """Sorts by kind of lane, schedulers first, then by controller."""
    kinds = (*trace.words, "")
    known = {word: position for position, word in enumerate(_CONTROLLER_LANES)}
    rank = np.array([known.get(word, len(known)) for word in kinds])
    kind = table["lane"] % len(kinds)
    controller = table["controller"].astype(np.int64) & 0xFFFFFFFF
    return np.asarray((rank[kind] * len(kinds) + kind) << 32 | controller)


def _controller_name(trace: Trace, code: int) -> str:
    kind, controller = (code >> 32) % (len(trace.words) + 1), code & 0xFFFFFFFF
    label = trace.words[kind] if kind < len(trace.words) else "controller"
    return label if controller == MISSING32 & 0xFFFFFFFF else f"{label} {controller}"


# ---- parts of views -----------------------------------------------------------------------------
# A word column taken modulo the number of names gives the last name where there is no word (-1).


class _Cores:
    """Names of the cores and their position in lane order; cores without a row come last."""

    def __init__(self, trace: Trace) -> None:
        declared = trace.cores["core"]
        timed = trace.ran() | (trace.tasks["dispatch_ns"] != MISSING)
        stalled = trace.stalls["core"][_of_core(trace)]
        seen = np.concatenate([trace.tasks["core"][timed], trace.marks["core"], stalled])
        extra = np.setdiff1d(seen, declared)
        self._ids = np.concatenate([declared, extra])
        self._order = np.argsort(self._ids, kind="stable")
        names = trace.text("cores", "name") + [""] * len(extra)
        pairs = zip(names, self._ids.tolist(), strict=True)
        self.names = [name or _core_name(core) for name, core in pairs]
        self.count = len(self.names)

    def index(self, core: Array) -> Array:
        return self._order[np.searchsorted(self._ids, core, sorter=self._order)]

    def name(self, core: int) -> str:
        found = np.flatnonzero(self._ids == core)
        return self.names[found[0]] if len(found) else _core_name(core)


class _CoreLanes:
    """Lanes of the cores view: each core, followed by the pipes that have marks on it."""

    def __init__(self, trace: Trace, cores: _Cores, marks: Table) -> None:
        pipes = (*trace.words, "mark")
        code = cores.index(marks["core"]) * len(pipes) + marks["pipe"] % len(pipes)
        used, position = np.unique(code, return_inverse=True)
        core = np.arange(cores.count)
        self.of_core = core + np.searchsorted(used, core * len(pipes))
        self.of_mark = position + code // len(pipes) + 1
        lanes = dict(zip(self.of_core.tolist(), cores.names, strict=True))
        for number, (owner, pipe) in enumerate(divmod(c, len(pipes)) for c in used.tolist()):
            lanes[number + owner + 1] = f"{cores.names[owner]} {pipes[pipe]}"
        self.names = [lanes[lane] for lane in range(len(lanes))]


def _core_name(core: int) -> str:
    return "no core" if core == MISSING32 else f"core {core}"


def _tasks(trace: Trace, rows: Array, lane: Array, origin: int) -> Slices:
    table = trace.tasks
    arguments = _arguments(table, rows, _TASK_ARGUMENTS)
    arguments += _times(table, rows, _TASK_TIMES, origin)
    receive, start = table["receive_ns"][rows], table["start_ns"][rows]
    if (receive != MISSING).any():
        setup = np.where(receive != MISSING, start - receive, MISSING)
        arguments += (Argument("setup_ns", setup),)
    arguments += _task_counters(trace, rows)
    end = table["end_ns"][rows]
    return Slices(lane, start - origin, end - origin, *_function_names(trace, rows), arguments)


def _marks(trace: Trace, marks: Table, lane: Array, origin: int) -> Slices:
    """An interval without an end is drawn as an instant."""
    start, end = marks["start_ns"], marks["end_ns"]
    names = (*trace.words, "mark")
    arguments = _arguments(marks, None, {name: name for name in ("task", "token", "mark")})
    end = np.where(end == MISSING, start, end)
    name = marks["name"] % len(names)
    return Slices(lane, start - origin, end - origin, name, names, arguments)


def _stalls(trace: Trace, stalls: Table, lane: Array, origin: int) -> Slices:
    names = (*(f"stall: {word}" for word in trace.words), "stall")
    return Slices(
        lane,
        stalls["start_ns"] - origin,
        stalls["end_ns"] - origin,
        stalls["cause"] % len(names),
        names,
        _arguments(stalls, None, {"records": "records"}),
    )


def _stalled(trace: Trace) -> Array:
    stalls = trace.stalls
    return np.asarray((stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING))


def _of_core(trace: Trace) -> Array:
    """Mask of the stalls of cores; the others are of controllers."""
    return np.asarray(trace.stalls["lane"] == trace.code("core"))


def _function_names(trace: Trace, rows: Array) -> tuple[Array, tuple[str, ...]]:
    """Per row an index into the function names; the last one is for unknown functions."""
    names = (*(name or "task" for name in trace.text("functions", "name")), "task")
    wanted = trace.tasks["func"][rows]
    return _find(trace.functions["func"], wanted) % len(names), names


def _arguments(table: Table, rows: Array | None, columns: dict[str, str]) -> tuple[Argument, ...]:
    """The columns that are known for at least one row, as int64."""
    arguments = []
    for name, column in columns.items():
        values = table[column] if rows is None else table[column][rows]
        if values.dtype == np.int32:
            values = np.where(values == MISSING32, MISSING, values.astype(np.int64))
        argument = Argument(name, values)
        if argument.known.any():
            arguments.append(argument)
    return tuple(arguments)


def _times(
    table: Table, rows: Array, columns: tuple[str, ...], origin: int
) -> tuple[Argument, ...]:
    found = _arguments(table, rows, {column: column for column in columns})
    if not origin:
        return found
    return tuple(
        Argument(time.name, np.where(time.known, time.values - origin, MISSING)) for time in found
    )


def _task_counters(trace: Trace, rows: Array) -> tuple[Argument, ...]:
    """One argument per hardware counter sampled for these task rows; the last sample counts."""
    table = trace.counters.rows(trace.counters["task"] != MISSING)
    if not len(table):
        return ()
    row = _sampled_rows(trace.tasks.rows(rows), table)
    table, row = table.rows(row >= 0), row[row >= 0]
    arguments = []
    for code, samples in _groups(table["name"].astype(np.int64)):
        values = np.full(len(rows), np.nan)
        values[row[samples]] = table["value"][samples]
        name = trace.word(code) or "counter"
        clash = name in (*_TASK_ARGUMENTS, *_TASK_TIMES, "setup_ns")
        arguments.append(Argument(f"{name} (counter)" if clash else name, _whole(values)))
    return tuple(arguments)


def _sampled_rows(tasks: Table, samples: Table) -> Array:
    """The task row each sample belongs to, by core, task and (where it is known) token; or -1."""
    ids = np.unique(tasks["task"])
    task, wanted = _find(ids, tasks["task"]), _find(ids, samples["task"])
    row = _find(key(tasks["core"], task), np.where(wanted < 0, -1, key(samples["core"], wanted)))
    tokens = samples["token"] != MISSING
    if tokens.any():
        exact = _find(key(tasks["core"], tasks["token"]), key(samples["core"], samples["token"]))
        agrees = (exact >= 0) & (tasks["task"][exact] == samples["task"])
        row = np.where(tokens, np.where(agrees, exact, -1), row)
    return row


def _whole(values: Array) -> Array:
    """As int64 when every known value is a whole number that a double holds exactly."""
    known = np.isfinite(values)
    found = values[known]
    if not ((found == np.floor(found)) & (np.abs(found) <= 2.0**53)).all():
        return values
    whole = np.full(len(values), MISSING)
    whole[known] = found.astype(np.int64)
    return whole


def _queue(trace: Trace, name: str, number: int, origin: int) -> Iterator[Counter]:
    """A sample that repeats the one before is left out: the level did not change."""
    columns = [f"queue{number}_{edge}" for edge in ("start", "end")]
    if columns[0] not in trace.phases.columns:
        return
    depth = np.concatenate([trace.phases[column] for column in columns])
    time = np.concatenate([trace.phases["start_ns"], trace.phases["end_ns"]])
    known = (depth != MISSING32) & (time != MISSING)
    if not known.any():
        return
    depth, time = depth[known], time[known] - origin
    order = np.argsort(time, kind="stable")
    depth, time = depth[order], time[order]
    changed = np.append(True, depth[1:] != depth[:-1])
    yield Counter(f"ready {name}", time[changed], depth[changed].astype(np.float64))


# ---- lanes and arrows ---------------------------------------------------------------------------


def _lay(name: str, lanes: list[str], parts: tuple[Slices, ...]) -> View:
    """Sorts the slices and puts those that overlap on sub-lanes. An end before its start is drawn
    at the start."""
    start = np.concatenate([part.start_ns for part in parts])
    end = np.maximum(np.concatenate([part.end_ns for part in parts]), start)
    lane = np.concatenate([part.lane for part in parts]).astype(np.int32)
    order = _sorted(lane, start, end)
    lane, start, end = lane[order], start[order], end[order]
    sublane, written = stack_slices(lane, start, end)
    depth = np.ones(len(lanes), np.int32)
    np.maximum.at(depth, lane, sublane + 1)
    lengths = [len(part.start_ns) for part in parts]
    return View(
        name,
        _with_sublanes(lanes, depth),
        parts,
        part=np.repeat(np.arange(len(parts), dtype=np.int8), lengths)[order],
        row=np.concatenate([np.arange(length) for length in lengths])[order],
        lane=(np.cumsum(depth) - depth)[lane] + sublane,
        start_ns=start,
        end_ns=end,
        order=written,
        arrows=Arrows(np.empty(0, np.int64), np.empty(0, np.int64), 0),
    )


def _with_sublanes(lanes: list[str], depth: Array) -> tuple[str, ...]:
    return tuple(
        name if not k else f"{name} ({k + 1})"
        for name, count in zip(lanes, depth.tolist(), strict=True)
        for k in range(count)
    )


def _sorted(lane: Array, start: Array, end: Array) -> Array:
    same = lane[1:] == lane[:-1]
    later = (start[1:] > start[:-1]) | ((start[1:] == start[:-1]) & (end[1:] <= end[:-1]))
    if ((lane[1:] > lane[:-1]) | (same & later)).all():
        return np.arange(len(lane))
    return np.lexsort((-end, start, lane))


def _with_arrows(view: View, trace: Trace, task: Array) -> View:
    """One arrow per pair of tasks, from the row that ends last to the row that starts first.

    A viewer draws arrows forward only: the source must begin before the target, or be written
    before it when they begin together.
    """
    slices = np.flatnonzero(view.part == 0)
    slices = slices[np.argsort(task[view.row[slices]], kind="stable")]
    ids = task[view.row[slices]]
    first = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    leaves = _latest(first, view.end_ns[slices], slices)
    arrives = _latest(first, -view.start_ns[slices], slices)
    pred, succ = (_find(ids[first], trace.edges[end]) for end in ("pred", "succ"))
    drawn = (pred >= 0) & (succ >= 0) & (pred != succ)
    lost = _count_pairs(trace.edges["pred"][~drawn], trace.edges["succ"][~drawn])
    pairs = np.sort(leaves[pred[drawn]] * len(view.row) + arrives[succ[drawn]])
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    source, target = np.divmod(pairs, max(len(view.row), 1))
    wait = view.start_ns[target] - view.start_ns[source]
    forward = (wait > 0) | ((wait == 0) & (source < target))
    lost += len(pairs) - int(forward.sum())
    return replace(view, arrows=Arrows(source[forward], target[forward], lost))


def _latest(first: Array, time: Array, slices: Array) -> Array:
    """Of each group the slice with the greatest time; `first` marks where groups begin."""
    if first.all():
        return slices
    group = np.cumsum(first) - 1
    latest = np.maximum.reduceat(time, np.flatnonzero(first))
    at = np.flatnonzero(time == latest[group])[::-1]
    result = np.empty(len(latest), np.int64)
    result[group[at]] = slices[at]
    return result


def _count_pairs(pred: Array, succ: Array) -> int:
    order = np.lexsort((succ, pred))
    pred, succ = pred[order], succ[order]
    return int(((pred[1:] != pred[:-1]) | (succ[1:] != succ[:-1])).sum()) + min(len(pred), 1)


# ---- rows of tables -----------------------------------------------------------------------------


def _only(table: Table, mask: Array) -> Table:
    return table if mask.all() else table.rows(mask)


def _find(values: Array, wanted: Array) -> Array:
    """Where each wanted value first occurs in `values`, or -1."""
    if not len(values):
        return np.full(len(wanted), -1)
    least, most = int(values.min()), int(values.max())
    if most - least < 4 * len(values):
        place = np.full(most - least + 1, -1)
        place[values[::-1] - least] = np.arange(len(values))[::-1]
        inside = (wanted >= least) & (wanted <= most)
        return np.where(inside, place[np.where(inside, wanted, least) - least], -1)
    order = np.argsort(values, kind="stable")
    at = np.searchsorted(values[order], wanted)
    found = order[np.minimum(at, len(values) - 1)]
    return np.where(values[found] == wanted, found, -1)


def _groups(code: Array) -> Iterator[tuple[int, Array]]:
    """Each different code with its rows, in the order of the codes."""
    if not len(code):
        return
    order = np.argsort(code, kind="stable")
    codes, starts = np.unique(code[order], return_index=True)
    yield from zip(codes.tolist(), np.split(order, starts[1:]), strict=True)
