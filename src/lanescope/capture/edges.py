"""Edges of the task graph that the program recorded, and the tasks that only they name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constants
from lanescope.trace import NO_WORD
from lanescope.trace.trace import Words

Columns = dict[str, Array]
_PREFIX = "LS_EDGE_"
"""How the constants begin that name the kinds of edges."""


class RecordedEdges:
    """The edges of a capture. Of all edges together only the numbers of their tasks are kept."""

    def __init__(self, gathered: Gathered, head: Head) -> None:
        self._gathered = gathered
        self._lanes = np.flatnonzero(head.lanes["kind"] == KINDS.index("edge")).tolist()
        self._tasks = np.empty(0, np.int64)
        for records in self._read():
            ends = np.concatenate([records["pred"], records["succ"]]).astype(np.int64)
            self._tasks = np.union1d(self._tasks, ends)
        self._unseen = np.ones(len(self._tasks), bool)

    def saw(self, tasks: Array) -> None:
        """Note that the trace has rows of these tasks."""
        if len(self._tasks):
            self._unseen &= ~np.isin(self._tasks, tasks)

    def nodes(self, words: Words) -> Columns:
        """Return a row for each task that edges name and nothing else does."""
        tasks = self._tasks[self._unseen]
        kind = words.code("outside") if len(tasks) else NO_WORD
        return {"task": tasks, "kind": np.full(len(tasks), kind, np.int32)}

    def columns(self, words: Words) -> Iterator[Columns]:
        """Yield the rows of the edges table in recorded order, some at a time."""
        names = {
            value: name.removeprefix(_PREFIX).lower()
            for name, value in constants().items()
            if name.startswith(_PREFIX)
        }
        for records in self._read():
            kinds, place = np.unique(records["kind"], return_inverse=True)
            known = [words.code(names.get(kind, f"kind_{kind}")) for kind in kinds.tolist()]
            yield {
                "pred": records["pred"].astype(np.int64),
                "succ": records["succ"].astype(np.int64),
                "kind": np.array(known, np.int32)[place],
                "arg": records["arg"].astype(np.int32),
                "flags": records["flags"].astype(np.int32),
            }

    def _read(self) -> Iterator[Array]:
        for lane in self._lanes:
            for places in self._gathered.chunks(lane):
                records = self._gathered.read(places)
                if len(records):
                    yield records
