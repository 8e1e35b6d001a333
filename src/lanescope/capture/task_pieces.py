"""The task rows of a capture, piece by piece in the order of their keys."""

from __future__ import annotations

from lanescope.capture.pieces import EVERYTHING, NEVER, Side, TokenPiece, TokenRecords
from lanescope.capture.stamps import StampWindow
from lanescope.capture.tasks import join_tasks
from lanescope.device.head import Head
from lanescope.trace.schema import MISSING
from lanescope.trace.task_rows import CONTROLLER_TASK, CORE_TASK, TaskRows


class TaskPieces:
    """Joins the records of cores and controllers; it keeps the rows of the last piece."""

    def __init__(
        self,
        records: TokenRecords,
        head: Head,
        *,
        window: StampWindow,
        lifecycle: bool,
        cores: Side | None = None,
        whole: bool = False,
    ) -> None:
        """`cores` replaces the records of cores, and `whole` makes one piece of everything."""
        self._records, self._head = records, head
        self._window, self._lifecycle = window, lifecycle
        self._cores = cores
        self._kept: tuple[TokenPiece, TaskRows] | None = None
        self.pieces = (EVERYTHING,) if whole or cores is not None else records.pieces
        """The pieces in the order of their keys."""

    def rows(self, piece: TokenPiece) -> TaskRows:
        """Return the rows of one piece."""
        if self._kept is not None and self._kept[0] is piece:
            return self._kept[1]
        self._kept = None
        cores = self._cores or self._records.read(CORE_TASK, piece)
        controllers = self._records.read(CONTROLLER_TASK, piece)
        rows = join_tasks(
            cores, controllers, self._head, window=self._window, lifecycle=self._lifecycle
        )
        self._kept = piece, rows
        return rows

    def earliest(self) -> int:
        """Return the earliest time of a row without flags, in cycles; NEVER without one.

        Pieces whose records are all later than what was found are not joined for it.
        """
        found = NEVER
        for piece in sorted(self.pieces, key=lambda piece: piece.earliest):
            if piece.earliest >= found:
                break
            found = min(found, _earliest(self.rows(piece)))
        return found


def _earliest(rows: TaskRows) -> int:
    good = rows.flags == 0
    times = [rows.times[name][good] for name in ("dispatch", "start")]
    known = [column[column != MISSING] for column in times]
    return min(int(column.min(initial=NEVER)) for column in known)
