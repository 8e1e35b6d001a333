"""Which earlier tasks a task waits for, from what they read and write.

A task that writes elements waits for all earlier readers and writers of them. A later task that
waits for this writer need not wait for those, so the write hides them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from lanescope.errors import UsageError
from lanescope.workloads.tensors import Tensor, TensorView, covers, overlaps, views_of


class _Accesses:
    """Tasks in submission order, each with one view; numpy finds those near a given view."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, TensorView]] = []
        self._ends = np.empty((2, 16), np.int64)
        """First and last element of each row's view; the last is -1 where the row was dropped."""

    def add(self, task: int, view: TensorView) -> None:
        """Note that the task uses the view."""
        row = len(self._rows)
        if row == self._ends.shape[1]:
            self._compact()
            row = len(self._rows)
        self._rows.append((task, view))
        self._ends[:, row] = view.offset, view.last

    def latest_first(self, view: TensorView) -> Iterator[tuple[int, TensorView]]:
        """Yield the tasks that use an element of `view`, the latest first."""
        for row in reversed(self._near(view)):
            task, other = self._rows[row]
            if overlaps(other, view):
                yield task, other

    def hide(self, view: TensorView) -> None:
        """Drop the rows whose elements are all in `view`."""
        for row in self._near(view):
            if covers(view, self._rows[row][1]):
                self._ends[1, row] = -1

    def _near(self, view: TensorView) -> list[int]:
        if not self._rows:
            return []
        first, last = self._ends[:, : len(self._rows)]
        rows: list[int] = np.flatnonzero((first <= view.last) & (last >= view.offset)).tolist()
        return rows

    def _compact(self) -> None:
        """Remove dropped rows and make room: at least half of it is free afterwards."""
        kept = np.flatnonzero(self._ends[1] >= 0)
        self._rows = [self._rows[row] for row in kept.tolist()]
        ends = np.empty((2, max(16, 2 * len(kept))), np.int64)
        ends[:, : len(kept)] = self._ends[:, kept]
        self._ends = ends


@dataclass(slots=True)
class _History:
    """Reads and writes of one tensor that no later write hides."""

    writes: _Accesses = field(default_factory=_Accesses)
    reads: _Accesses = field(default_factory=_Accesses)

    def writers(self, view: TensorView) -> set[int]:
        """Return the last task that wrote the whole view, and those that wrote in it since."""
        return self._since_whole(view)[0]

    def users(self, view: TensorView) -> set[int]:
        """Return these writers, and the tasks that read in the view since it was all written."""
        writers, whole = self._since_whole(view)
        return writers | {task for task, _ in self.reads.latest_first(view) if task > whole}

    def _since_whole(self, view: TensorView) -> tuple[set[int], int]:
        """Return the writers, and the one that wrote the whole view; -1 if none did."""
        writers = set()
        for task, written in self.writes.latest_first(view):
            writers.add(task)
            if covers(written, view):
                return writers, task
        return writers, -1


class Dependencies:
    """Is told of the tasks in submission order, and says which earlier tasks each waits for."""

    def __init__(self) -> None:
        self._histories: defaultdict[Tensor, _History] = defaultdict(_History)
        self._tensors: dict[str, Tensor] = {}

    def submit(
        self, task: int, reads: Iterable[TensorView | Tensor], writes: Iterable[TensorView | Tensor]
    ) -> list[tuple[int, int]]:
        """Return (earlier task, number of this task's argument) for each task that it waits for."""
        inputs, outputs = self._views(reads), self._views(writes)
        waits: list[tuple[int, int]] = []
        for arg, view in enumerate([*inputs, *outputs]):
            if view.size:
                history = self._histories[view.tensor]
                before = history.writers(view) if arg < len(inputs) else history.users(view)
                waits += [(pred, arg) for pred in sorted(before)]
        self._remember(task, inputs, outputs)
        return waits

    def _remember(
        self, task: int, inputs: Sequence[TensorView], outputs: Sequence[TensorView]
    ) -> None:
        for view in inputs:
            if view.size:
                self._histories[view.tensor].reads.add(task, view)
        for view in outputs:
            if view.size:
                history = self._histories[view.tensor]
                history.reads.hide(view)
                history.writes.hide(view)
                history.writes.add(task, view)

    def _views(self, given: Iterable[TensorView | Tensor]) -> list[TensorView]:
        views = views_of(given)
        for view in views:
            known = self._tensors.setdefault(view.tensor.name, view.tensor)
            if known != view.tensor:
                raise UsageError(
                    f"there are two tensors {known.name}: of shape {known.shape} and "
                    f"{known.element_bytes} bytes per element, then of shape {view.tensor.shape} "
                    f"and {view.tensor.element_bytes}"
                )
        return views
