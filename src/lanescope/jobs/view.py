"""What a page shows of a job: the traces of some ranks on one axis, and a panel about all ranks."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.errors import UsageError
from lanescope.jobs.heat import COLOURS, LIMITS, hundredths, peer_ratios
from lanescope.jobs.lateness import LateRanks
from lanescope.jobs.placed import CommonAxis
from lanescope.jobs.report import JobReport
from lanescope.jobs.report_sections import why_line
from lanescope.render.cells import many_text, time_text
from lanescope.render.names import clean
from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING
from lanescope.trace.selection import select
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_MOST_RANKS = 8
"""So many ranks have lanes where nobody says which."""
_LISTED = 8
"""So many of the longest waits are listed."""

_MET, _STEP = "since the last common collective", "since its step began"


@dataclass(frozen=True, slots=True, eq=False)
class JobView:
    """The traces of a page, and what it tells about the whole job."""

    traces: tuple[Trace, ...]
    """One per rank that is shown, all on the common axis."""
    about: dict[str, Any]
    """Plain numbers, text, lists and dicts."""
    meets: tuple[Array, ...]
    """By trace, over its task rows: number of the collective at which the task is the rank's
    arrival; MISSING for other tasks."""


def job_view(report: JobReport, *, rank: Sequence[int] | None = None, **part: Any) -> JobView:
    """Put the traces of some ranks on one axis, and say what the panel shows.

    Args:
        report: the answers about the job.
        rank: numbers of the ranks that have lanes; those that hold up the job first, where nothing
            is said.
        **part: the part of each trace that is shown, as for `select`; times are the job's.

    Raises:
        UsageError: the job has no such rank.
    """
    places = shown_places(report, rank)
    axis = CommonAxis(report.job)
    traces = tuple(select(axis.trace(place), **part) for place in places)
    meets = tuple(
        _meetings(report, place, trace) for place, trace in zip(places, traces, strict=True)
    )
    waits = _Waits(report, axis, places, traces, meets)
    return JobView(traces, _about(report, axis, places, waits), meets)


def shown_places(report: JobReport, rank: Sequence[int] | None = None) -> list[int]:
    """Places of the ranks that have lanes, by number.

    Where no ranks are named: those that hold up the job, then those that wait most for them.
    """
    job = report.job
    place_of = {number: place for place, number in enumerate(job.numbers)}
    if rank is None:
        found = list(dict.fromkeys(_suspects(report)))[:_MOST_RANKS]
    else:
        unknown = [number for number in rank if number not in place_of]
        if unknown:
            raise UsageError(
                f"job {job.name} has no rank {unknown[0]}; it has {job.present}, "
                f"from {job.numbers[0]} to {job.numbers[-1]}"
            )
        found = list(rank)
    return sorted({place_of[number] for number in found})


def _suspects(report: JobReport) -> Iterable[int]:
    """Numbers of all ranks, those that hold up the job first; some are named more than once."""
    if report.stragglers.straggler is not None:
        yield report.stragglers.straggler
    for one in report.blame:
        yield one.rank
    for one in report.blame:
        if one.held_up_by is not None:
            yield one.held_up_by
    yield from _waiting(report)


def _waiting(report: JobReport) -> list[int]:
    """Numbers of all ranks, those first that wait most for a rank that is known."""
    detail, count = report.waits.detail, len(report.job.ranks)
    known = detail.decided[detail.arrivals.collective]
    waited = np.bincount(detail.arrivals.rank[known], detail.wait[known], minlength=count)
    every = np.array([one.wait_ns for one in report.waits.ranks])
    order = np.lexsort((-every, -waited))
    return [report.job.numbers[place] for place in order.tolist()]


def _meetings(report: JobReport, place: int, trace: Trace) -> Array:
    """Over the task rows of a rank: the collective that each one is an arrival at."""
    arrivals = report.waits.detail.arrivals
    mine = np.flatnonzero(arrivals.rank == place)
    task = report.job.ranks[place].facts.arrivals.task[arrivals.row[mine]]
    row = np.where(task != MISSING, find(trace.tasks["task"], task), -1)
    meets = np.full(len(trace.tasks), MISSING)
    meets[row[row >= 0]] = arrivals.collective[mine[row >= 0]]
    return meets


def _about(report: JobReport, axis: CommonAxis, places: list[int], waits: _Waits) -> dict[str, Any]:
    job, detail = report.job, report.waits.detail
    axes, axis_of = np.unique(job.clock.axes, return_inverse=True)
    longest = np.argsort(-detail.waited, kind="stable")[:_LISTED].tolist()
    notes = [*report.notes, *(f"Left out: {clean(one.why, 300)}." for one in job.unread)]
    if len(axes) > 1:
        notes.append("Each group of ranks that is on a clock of its own begins at 0 here.")
    return {
        "name": job.name,
        "shown": [job.ranks[place].number for place in places],
        "told": [_told(report, place) for place in places],
        "errors": _errors(report, places),
        "ranks": list(job.numbers),
        "world": job.world,
        "axes": axis_of.tolist(),
        "sentence": report.stragglers.sentence,
        "clock": _clock_line(report),
        "notes": notes,
        "limits": [round(100 * limit) for limit in LIMITS],
        "colours": {theme: list(colours) for theme, colours in COLOURS.items()},
        "steps": report.matrix.step.tolist(),
        "windows": [
            _windows(report, axis, axis_of == one) if one in axis_of[places] else None
            for one in range(len(axes))
        ],
        "heat": base64.b64encode(hundredths(peer_ratios(report)).tobytes()).decode(),
        "blame": [
            {"line": why_line(one), "waited_ns": one.waited_ns, "wait": waits.worst_of(one.rank)}
            for one in report.blame
            if one.collectives
        ],
        "longest": [waits.at(one) for one in longest],
    }


def _told(report: JobReport, place: int) -> str:
    """What stands beside the name of a rank: its machine, its waiting, how often it was last."""
    host, own = report.job.ranks[place].facts.host, report.waits.ranks[place]
    waited = f"waits {time_text(own.wait_ns)}, last {many_text(own.times_last, 'time')}"
    return f"{clean(host)}  ·  {waited}" if host else waited


def _errors(report: JobReport, places: list[int]) -> list[list[float | None]]:
    """How wrong the order of times of two ranks that are shown may be; None on two axes."""
    of = np.array(places, np.int64)
    error = report.clock.error(of[:, None], of[None, :])
    return [[float(one) if np.isfinite(one) else None for one in row] for row in error]


def _clock_line(report: JobReport) -> str:
    known = [one.error_ns for one in report.clock.ranks if one.error_ns is not None]
    if not known:
        return "The clocks of the ranks could not be compared."
    return f"Times of a rank may be wrong by {time_text(max(known))} beside those of others."


def _windows(report: JobReport, axis: CommonAxis, on_axis: Array) -> list[list[int] | None]:
    """By step: from its first start on a rank to its last end, on one axis."""
    ranks = np.flatnonzero(on_axis)
    zero = int(axis.zero[ranks[0]])
    start, end = report.matrix.start[ranks], report.matrix.end[ranks]
    found: list[list[int] | None] = []
    for column in range(start.shape[1]):
        here = ~np.isnan(start[:, column])
        edges = (start[here, column], end[here, column])
        found.append(
            [int(edges[0].min()) - zero, int(edges[1].max()) - zero] if here.any() else None
        )
    return found


class _Waits:
    """Collectives at which ranks waited, as the panel lists them."""

    def __init__(
        self,
        report: JobReport,
        axis: CommonAxis,
        places: list[int],
        traces: Sequence[Trace],
        meets: Sequence[Array],
    ) -> None:
        self._report, self._axis = report, axis
        self._places, self._traces, self._meets = places, traces, meets
        self._late = LateRanks(report.job, report.waits)

    def worst_of(self, rank: int) -> dict[str, Any]:
        """The collective at which a rank was last beyond doubt and was waited for longest."""
        detail = self._report.waits.detail
        place = self._report.job.numbers.index(rank)
        mine = np.flatnonzero(detail.decided & (detail.last == place))
        return self.at(int(mine[detail.waited[mine].argmax()]))

    def at(self, one: int) -> dict[str, Any]:
        """What happened at a collective, and what its last rank did before."""
        report, detail = self._report, self._report.waits.detail
        arrivals, place = detail.arrivals, int(detail.last[one])
        rows = slice(int(arrivals.first[one]), int(arrivals.first[one + 1]))
        zero = int(self._axis.zero[place])
        late = self._late.at(np.array([one]), place)
        is_compared = bool(late.end[0] > late.start[0])
        window = self._axis.moments(place, np.array([late.start[0], late.end[0]]))
        return {
            "name": clean(arrivals.title(one)),
            "last": report.job.ranks[place].number,
            "decided": bool(detail.decided[one]),
            "ranks": int(arrivals.present[one]),
            "margin_ns": int(detail.margin[one]),
            "waited_ns": int(detail.waited[one]),
            "start_ns": int(detail.start[rows].min()) - zero,
            "end_ns": int(detail.end[rows].max()) - zero,
            "window_ns": window.tolist() if is_compared else None,
            "since": _MET if self._late.met_before(one) else _STEP,
            "late_ns": float(late.late[0]),
            "causes": [[cause, float(ns[0])] for cause, ns in late.by.items() if ns[0]],
            "arrival": self._arrival(one, place),
        }

    def _arrival(self, one: int, place: int) -> dict[str, int] | None:
        """The task of the last rank's arrival: its core and its start; None without lanes."""
        if place not in self._places:
            return None
        number = self._places.index(place)
        tasks = self._traces[number].tasks
        rows = np.flatnonzero(self._meets[number] == one)
        if not len(rows):
            return None
        return {"core": int(tasks["core"][rows[0]]), "start_ns": int(tasks["start_ns"][rows[0]])}
