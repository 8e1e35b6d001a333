"""The observed critical path as bars that follow each other: its runs, and its waits with reasons.

Together the bars tile the path: their sums by `what` are those of the report.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Basis
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.graph.critical import CAUSES
from lanescope.analyze.graph.critical_section import CAUSE_LABELS, SEGMENT_LABELS
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.paths import SEGMENTS, observed_path
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.path import LAUNCH, NOT_RECORDED, RELEASE, START, UNSEEN, walk
from lanescope.analyze.streams.path_time import PATH_LABELS
from lanescope.analyze.streams.work import COMMUNICATION, COMPUTE, MEMORY
from lanescope.trace.run_parts import longest_run
from lanescope.trace.table import Array
from lanescope.trace.vocabulary import vocabulary

_OF_CORES = {
    "run": None,
    "switch": "switch",
    "scheduler": "scheduler",
    "orchestrator": "orchestrator",
    "launch": "nothing",
    "finish": "scheduler",
    "idle": "unexplained",
}
_OF_STREAMS = {
    "compute": None,
    "communication": None,
    "memory": None,
    "host": "host_busy",
    "host_unseen": "host_unseen",
    "launch": "launch",
    "start": "start",
    "not_recorded": "not_recorded",
}
_CLASSES = {COMPUTE: "compute", COMMUNICATION: "communication", MEMORY: "memory"}
_BETWEEN = {
    LAUNCH: "launch",
    START: "start",
    RELEASE: "host",
    UNSEEN: "host_unseen",
    NOT_RECORDED: "not_recorded",
}


@dataclass(frozen=True, slots=True)
class PathWord:
    """What a bar of the path can be."""

    what: str
    """A key of the report's `critical.segments`, or of the parts of its `critical_path`."""
    label: str
    reason: str | None
    """The wait reason whose colour it has; None where a task runs."""


@dataclass(frozen=True, slots=True, eq=False)
class PathBars:
    """The path in order of time; columns have an entry per bar."""

    words: tuple[PathWord, ...]
    start_ns: Array
    end_ns: Array
    what: Array
    """Place in `words`."""
    row: Array
    """Row of the task that runs, or that the path waits for; -1: the path is at the host."""
    cause: Array
    """Place in `causes` of what the task waited for last; -1: not known."""
    causes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.what)

    @property
    def runs(self) -> Array:
        """Mask of the bars in which a task runs."""
        ran = np.array([word.reason is None for word in self.words])
        mask: Array = ran[self.what]
        return mask

    @property
    def rows(self) -> Array:
        """Task rows that run on the path, in order of time."""
        rows: Array = self.row[self.runs]
        return rows


def path_bars(basis: Basis) -> PathBars | None:
    """The path of a trace; None where nothing ran, and for lanes that have no such path.

    Of a trace of several runs it is the path of the longest one. Of streams it is the path over
    host and devices.
    """
    family = vocabulary(basis.trace).family
    if family == "streams":
        return _of_streams(basis.of_streams())
    return _of_cores(basis) if family == "cores" else None


def _of_cores(basis: Basis) -> PathBars | None:
    trace = basis.trace
    part = longest_run(trace)
    graph, window = basis.graph, basis.window
    if part is not trace:
        graph, window = nodes(part), makespan(part).window
    path = None if window is None else observed_path(part, graph, window)
    if path is None:
        return None
    rows = path.rows
    if part is not trace:
        rows = np.flatnonzero(np.isin(trace.tasks["run"], part.runs["run"]))[rows]
    return PathBars(
        words=tuple(PathWord(what, SEGMENT_LABELS[what], _OF_CORES[what]) for what in SEGMENTS),
        start_ns=path.start_ns,
        end_ns=path.end_ns,
        what=path.kind,
        row=rows[path.step],
        cause=path.causes[path.step],
        causes=tuple(CAUSE_LABELS[CAUSES[code]] for code in sorted(CAUSES)),
    )


def _of_streams(basis: StreamBasis) -> PathBars | None:
    """Before each node of the walk stands what lies between it and the one before."""
    path = walk(basis)
    if path is None:
        return None
    places = {what: place for place, what in enumerate(PATH_LABELS)}
    between = np.array([places[_BETWEEN[code]] for code in sorted(_BETWEEN)])[path.between]
    row = np.full(len(path.node), -1, np.int64)
    own = np.full(len(path.node), places["host"], np.int64)
    mine = path.node[path.is_task]
    row[path.is_task] = basis.work.row[mine]
    classes = np.array([places[_CLASSES[code]] for code in sorted(_CLASSES)])
    own[path.is_task] = classes[basis.work.work[mine]]
    start = np.stack([path.before, path.start], axis=1)[::-1].reshape(-1)
    end = np.stack([path.start, path.end], axis=1)[::-1].reshape(-1)
    what = np.stack([between, own], axis=1)[::-1].reshape(-1)
    wide = end > start
    return PathBars(
        words=tuple(
            PathWord(what, label, _OF_STREAMS[what]) for what, label in PATH_LABELS.items()
        ),
        start_ns=start[wide],
        end_ns=end[wide],
        what=what[wide],
        row=np.repeat(row[::-1], 2)[wide],
        cause=np.full(int(wide.sum()), -1, np.int64),
    )
