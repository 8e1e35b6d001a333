"""What questions over ranks need of one rank's trace: small enough to keep for thousands of ranks.

It is read once per rank, by a process of its own where there are many. Everything else stays in the
trace; `Rank.trace()` opens that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.accumulated import Accumulated
from lanescope.analyze.streams.work import COMMUNICATION, WAIT, device_work
from lanescope.trace.meta import HostClock
from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

NEEDED = ("tasks", "cores", "functions", "collectives", "steps")
"""Tables of a trace that are read for it."""
_FAR_NS = 1 << 58
"""Nine years: a time beyond is damage, and clocks cannot be found from it."""
_ALL_GROUPS = ("group", "matched", "kind", "peers")


@dataclass(frozen=True, slots=True, eq=False)
class RankArrivals:
    """A rank's collectives that have times, by start; text columns are codes of `words`."""

    words: tuple[str, ...]
    group: Array
    matched: Array
    kind: Array
    peers: Array
    """-1 where it is not known, as all text columns."""
    sequence: Array
    bytes: Array
    size: Array
    source: Array
    target: Array
    queue: Array
    """Number of the stream, MISSING where it has none."""
    task: Array
    start: Array
    end: Array

    def __len__(self) -> int:
        return len(self.start)


class StepTimes(NamedTuple):
    """The steps that a rank marks."""

    step: Array
    start: Array
    end: Array


class TimeBefore(NamedTuple):
    """Time in which the rank's devices did something, from its first moment on, up to some moments.

    The difference of two of these is the time between two moments in which they did it.
    """

    arrival_start: Array
    arrival_end: Array
    step_start: Array
    step_end: Array


@dataclass(frozen=True, slots=True, eq=False)
class RankFacts:
    """One rank, without its tasks."""

    rank: int | None
    world: int | None
    name: str
    host: str
    family: str
    """What its lanes are: `cores`, `streams` or `tracks`."""
    epoch_ns: int | None
    epoch_error_ns: int | None
    host_clock: HostClock | None
    resolution_ns: int
    """All times are multiples of it."""
    first_ns: int
    last_ns: int
    """First start and last end of anything that ran."""
    arrivals: RankArrivals
    steps: StepTimes
    work: TimeBefore
    """Time in which any device computed, copied or filled."""
    busy: TimeBefore
    """Time in which any device did anything, communication included."""
    work_ns: int
    """All of the work."""
    functions: dict[str, tuple[int, int]]
    """Function to its number of runs and their total time; communication is left out."""


def rank_facts(trace: Trace) -> RankFacts:
    """Collect what questions over ranks need of one rank."""
    meta = trace.meta
    arrivals = _arrivals(trace)
    steps = _steps(trace)
    work = device_work(trace)
    is_work = (work.work != COMMUNICATION) & (work.work != WAIT)
    if len(arrivals):
        ids = trace.tasks["task"][work.row]
        is_work &= find(arrivals.task, ids) < 0
    computing = Accumulated.of_union(work.start[is_work], work.end[is_work])
    runs = work.work != WAIT
    running = Accumulated.of_union(work.start[runs], work.end[runs])
    moments = (arrivals.start, arrivals.end, steps.start, steps.end)
    times = [work.start, work.end, *moments]
    known = np.concatenate(times) if any(map(len, times)) else np.zeros(1, np.int64)
    return RankFacts(
        rank=meta.rank,
        world=meta.world,
        name=meta.name,
        host=meta.host,
        family=vocabulary(trace).family,
        epoch_ns=meta.epoch_ns,
        epoch_error_ns=meta.epoch_error_ns,
        host_clock=meta.host_clock,
        resolution_ns=_resolution(known),
        first_ns=int(known.min()),
        last_ns=int(known.max()),
        arrivals=arrivals,
        steps=steps,
        work=TimeBefore(*(computing.until(moment) for moment in moments)),
        busy=TimeBefore(*(running.until(moment) for moment in moments)),
        work_ns=computing.total,
        functions=_functions(trace, work.func[is_work], (work.end - work.start)[is_work]),
    )


def _arrivals(trace: Trace) -> RankArrivals:
    table = trace.collectives
    timed = (table["start_ns"] != MISSING) & (table["end_ns"] != MISSING)
    sane = (np.abs(table["start_ns"]) < _FAR_NS) & (np.abs(table["end_ns"]) < _FAR_NS)
    rows = np.flatnonzero(timed & sane & (table["end_ns"] >= table["start_ns"]))
    rows = rows[np.argsort(table["start_ns"][rows], kind="stable")]
    codes = {name: np.maximum(table[name][rows], -1) for name in _ALL_GROUPS}
    used = np.unique(np.concatenate([codes[name] for name in _ALL_GROUPS]))
    used = used[used >= 0]
    own = {
        name: np.where(code < 0, -1, np.searchsorted(used, code)).astype(np.int32)
        for name, code in codes.items()
    }
    cores = find(trace.cores["core"], table["core"][rows])
    queue = np.append(trace.cores["queue"], MISSING32)[cores].astype(np.int64)
    return RankArrivals(
        words=tuple(trace.word(int(code)) for code in used),
        **own,
        sequence=table["sequence"][rows],
        bytes=table["bytes"][rows],
        size=table["size"][rows],
        source=table["source"][rows],
        target=table["target"][rows],
        queue=np.where(queue == MISSING32, MISSING, queue),
        task=table["task"][rows],
        start=table["start_ns"][rows],
        end=table["end_ns"][rows],
    )


def _steps(trace: Trace) -> StepTimes:
    """Steps with both times, by start; of two with one number the first counts."""
    table = trace.steps
    good = (table["start_ns"] != MISSING) & (table["end_ns"] != MISSING)
    rows = np.flatnonzero(good & (table["step"] != MISSING))
    rows = rows[np.argsort(table["start_ns"][rows], kind="stable")]
    _, first = np.unique(table["step"][rows], return_index=True)
    rows = rows[np.sort(first)]
    return StepTimes(table["step"][rows], table["start_ns"][rows], table["end_ns"][rows])


def _resolution(times: Array) -> int:
    """The largest power of ten, at most 1 ms, of which all times are multiples."""
    step = 1
    while step < 1_000_000 and not (times % (step * 10)).any():
        step *= 10
    return step


def _functions(trace: Trace, func: Array, length: Array) -> dict[str, tuple[int, int]]:
    ids, place = np.unique(func, return_inverse=True)
    counts = np.bincount(place, minlength=len(ids))
    total = np.zeros(len(ids), np.int64)
    np.add.at(total, place, length)
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    found: dict[str, tuple[int, int]] = {}
    for number, count, ns in zip(ids.tolist(), counts.tolist(), total.tolist(), strict=True):
        name = names.get(number) or f"function {number}"
        before = found.get(name, (0, 0))
        found[name] = before[0] + count, before[1] + ns
    return found
