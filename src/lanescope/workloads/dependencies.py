"""Which earlier tasks a task waits for because of what they read and wrote.

A write hides what was read and written there before: who waits for it waits for the earlier
tasks, too, for it waited for them itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from lanescope.errors import UsageError
from lanescope.workloads.tensors import Tensor, TensorView, covers, overlaps, views_of


class _Accesses:
    """Tasks with a view each, in submission order; finds those near a view without a walk."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, TensorView]] = []
        self._ends = np.empty((2, 16), np.int64)
        """First and last element; the last of a row that was dropped is -1."""

    def add(self, task: int, view: TensorView) -> None:
        row = len(self._rows)
        if row == self._ends.shape[1]:
            self._compact()
            row = len(self._rows)
        self._rows.append((task, view))
        self._ends[:, row] = view.offset, view.last

    def latest_first(self, view: TensorView) -> Iterator[tuple[int, TensorView]]:
        """Those with an element in common with `view`."""
        for row in reversed(self._near(view)):
            task, other = self._rows[row]
            if overlaps(other, view):
                yield task, other

    def hide(self, view: TensorView) -> None:
        """Drop those that `view` covers."""
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
        """Forget dropped rows; at least half of the room is free then."""
        kept = np.flatnonzero(self._ends[1] >= 0)
        self._rows = [self._rows[row] for row in kept.tolist()]
        ends = np.empty((2, max(16, 2 * len(kept))), np.int64)
        ends[:, : len(kept)] = self._ends[:, kept]
        self._ends = ends


@dataclass(slots=True)
class _History:
    """What was done to one tensor and is not hidden yet."""

    writes: _Accesses = field(default_factory=_Accesses)
    reads: _Accesses = field(default_factory=_Accesses)

    def writers(self, view: TensorView) -> set[int]:
        """Those since the last one that wrote all of the view, and that one."""
        return self._since_whole(view)[0]

    def users(self, view: TensorView) -> set[int]:
        """Those writers, and who read from the view since it was last written as a whole."""
        writers, whole = self._since_whole(view)
        return writers | {task for task, _ in self.reads.latest_first(view) if task > whole}

    def _since_whole(self, view: TensorView) -> tuple[set[int], int]:
        """Writers, and the one of them that wrote all of the view; -1: none did."""
        found = set()
        for task, written in self.writes.latest_first(view):
            found.add(task)
            if covers(written, view):
                return found, task
        return found, -1


class Dependencies:
    """Sees the tasks in submission order and says whom each waits for."""

    def __init__(self) -> None:
        self._histories: defaultdict[Tensor, _History] = defaultdict(_History)
        self._tensors: dict[str, Tensor] = {}

    def submit(
        self, task: int, reads: Iterable[TensorView | Tensor], writes: Iterable[TensorView | Tensor]
    ) -> list[tuple[int, int]]:
        """(earlier task, argument of this one) for each that it waits for; reads come first."""
        inputs, outputs = self._views(reads), self._views(writes)
        found: list[tuple[int, int]] = []
        for arg, view in enumerate([*inputs, *outputs]):
            if view.size:
                history = self._histories[view.tensor]
                before = history.writers(view) if arg < len(inputs) else history.users(view)
                found += [(pred, arg) for pred in sorted(before)]
        self._remember(task, inputs, outputs)
        return found

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
