"""Where the time of the critical path went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.functions import FunctionNames
from lanescope.analyze.streams.host_causes import ThreadTime
from lanescope.analyze.streams.idle import NamedTime
from lanescope.analyze.streams.path import (
    LAUNCH,
    NOT_RECORDED,
    RELEASE,
    START,
    UNSEEN,
    WalkedPath,
    walk,
)
from lanescope.analyze.streams.work import COMMUNICATION, COMPUTE, MEMORY
from lanescope.render.cells import percent_text, time_text
from lanescope.results import Result

_KEPT = 20
PATH_LABELS = {
    "compute": "compute",
    "communication": "communication",
    "memory": "copies and fills",
    "host": "rows of the host",
    "host_unseen": "the host, without a row",
    "launch": "launched, on its way",
    "start": "could start, did not yet",
    "not_recorded": "not recorded",
}
"""What the path can be at, and its words in a table."""


@dataclass(frozen=True, slots=True)
class PathPart(Result):
    """What the path was at, and for how long."""

    what: str
    """A key of `PATH_LABELS`."""
    label: str
    ns: int
    share: float | None


@dataclass(frozen=True, slots=True)
class CriticalTime(Result):
    """The critical path over host, streams and events."""

    start_ns: int
    end_ns: int
    parts: tuple[PathPart, ...]
    """In the order of `PATH_LABELS`; they add up to end_ns - start_ns."""
    rows: int
    """Kernels, copies and fills on the path."""
    launches: int
    """How often the path goes from a row to the host that launched it."""
    releases: int
    """How often the path goes from the host to a row that it waited for."""
    kernels: tuple[NamedTime, ...]
    """Kernels, copies and fills on the path by name, the longest first; at most 20."""
    host_rows: tuple[NamedTime, ...]
    """Innermost rows of the host on the path by name, the longest first; at most 20."""

    @property
    def length_ns(self) -> int:
        """Length of the path."""
        return self.end_ns - self.start_ns

    def ns(self, what: str) -> int:
        """Nanoseconds of one part."""
        return next((part.ns for part in self.parts if part.what == what), 0)

    def __repr__(self) -> str:
        known = sorted((part for part in self.parts if part.ns), key=lambda part: -part.ns)
        words = ", ".join(f"{part.what} {percent_text(part.share)}" for part in known)
        return f"<CriticalTime over {time_text(self.length_ns)}: {words}>"


def critical_time(basis: StreamBasis) -> CriticalTime | None:
    """Where the time of the critical path went; None where nothing ran on a device."""
    path = walk(basis)
    if path is None:
        return None
    work, tasks = basis.work, path.is_task
    length, gap = path.end - path.start, path.start - path.before
    rows = path.node[tasks]
    classes = np.bincount(work.work[rows], weights=length[tasks], minlength=3)
    gaps = np.bincount(path.between, weights=gap, minlength=5)
    names = _host_rows(basis, path)
    with_rows = sum(names.values())
    # A call may outlive the row around it; the thread has no row then.
    without = length[~tasks].sum() + gaps[RELEASE] - with_rows
    times = {
        "compute": classes[COMPUTE],
        "communication": classes[COMMUNICATION],
        "memory": classes[MEMORY],
        "host": with_rows,
        "host_unseen": gaps[UNSEEN] + without,
        "launch": gaps[LAUNCH],
        "start": gaps[START],
        "not_recorded": gaps[NOT_RECORDED],
    }
    whole = path.window[1] - path.window[0]
    functions = FunctionNames.of(basis.trace)
    kernels: Counter[str] = Counter()
    func, place = np.unique(work.func[rows], return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=length[tasks], minlength=len(func))
    for one, ns in zip(func.tolist(), sums.tolist(), strict=True):
        kernels[functions.name(one)] += int(ns)
    return CriticalTime(
        start_ns=path.window[0],
        end_ns=path.window[1],
        parts=tuple(
            PathPart(what, label, int(times[what]), int(times[what]) / whole if whole else None)
            for what, label in PATH_LABELS.items()
        ),
        rows=int(np.count_nonzero(tasks)),
        launches=int(np.count_nonzero(path.between == LAUNCH)),
        releases=int(np.count_nonzero(path.between == RELEASE)),
        kernels=_longest(kernels),
        host_rows=_longest(names),
    )


def _host_rows(basis: StreamBasis, path: WalkedPath) -> Counter[str]:
    """Time on the path by name of the host's innermost row."""
    names: Counter[str] = Counter()
    on_host = ~path.is_task
    place = path.node[on_host] - path.tasks
    thread = path.pieces.thread[place]
    released = path.between[on_host] == RELEASE
    start = np.where(released, path.before[on_host], path.start[on_host])
    end = path.end[on_host]
    for number in np.unique(thread).tolist():
        mine = thread == number
        order = np.argsort(start[mine], kind="stable")
        found = ThreadTime(basis.host, number).asked(start[mine][order], end[mine][order])
        for code, ns in found.names.items():
            names[basis.trace.word(code)] += ns
    return names


def _longest(times: Counter[str]) -> tuple[NamedTime, ...]:
    ordered = sorted(times.items(), key=lambda pair: (-pair[1], pair[0]))[:_KEPT]
    return tuple(NamedTime(name, ns) for name, ns in ordered)
