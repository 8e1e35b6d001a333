"""The timeline, `trace_view.json`, as columns: a bare array of Chrome events whose `ts` is a text.

Lengths may be finer than a nanosecond; start and end are each rounded once, halves to even. Which
process an event is of is told by the metadata alone: the numbers of processes are made up.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.event_letters import event_letters
from lanescope.formats.exact_times import round_ends, round_times
from lanescope.formats.json_cells import exact_micros, integer, nested, text, word
from lanescope.formats.json_file import map_file
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows
from lanescope.trace import MISSING
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array

_LIMIT_NS = 1 << 61
_MANY = 1 << 20
_LONGEST_NAME = 1024
_CELLS = (
    word("ph"),
    text("name", required=False, texts=_MANY),
    text("cat", required=False),
    exact_micros("ts", required=False, low=-_LIMIT_NS),
    exact_micros("dur", required=False, low=-_LIMIT_NS),
    text("pid", required=False, texts=_MANY),
    text("tid", required=False, texts=_MANY),
    integer("id", low=-_LIMIT_NS, lenient=True),
    nested(
        "args",
        (
            text("name", texts=_MANY),
            text("labels"),
            text("Task Type"),
            integer("connection_id", low=-1, lenient=True),
            integer("size(Byte)", lenient=True),
            integer("Task Id", lenient=True),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class TimelineEvents:
    """The events as columns, one row per event; texts are codes into `texts`, -1: none."""

    path: Path
    phase: Array
    """One letter per event."""
    start: Array
    """In ns; MISSING where the event has no time."""
    end: Array
    lane: Array
    """Index into `lanes`."""
    lanes: list[tuple[Any, Any]]
    """(pid, tid) as the file writes them."""
    id: Array
    columns: dict[str, Array]
    texts: dict[str, list[Any]]

    def words(self, key: str) -> list[str]:
        """The different texts of a column."""
        return [str(value)[:_LONGEST_NAME] for value in self.texts[key]]

    def rows(self, letter: str) -> Array:
        """The rows of one phase."""
        return np.flatnonzero(self.phase == letter)


def read_timeline(path: Path) -> TimelineEvents:
    """Read the events.

    Raises:
        InputError: The file is damaged, or a slice has no time.
    """
    whole = map_file(path)
    piece = TextSpan(path, whole, whole)
    rows = read_object_rows(piece, _CELLS, what="event")
    width = len(rows.values["tid"]) + 1
    pid, tid = (np.where(rows[key] == MISSING, -1, rows[key]) for key in ("pid", "tid"))
    lanes, lane = numbered(pid * width + tid + 1)
    phase = event_letters(path, rows)
    starts = rows["ts"].reshape(-1, 2)
    durations = rows["dur"].reshape(-1, 2)
    for key, column in (("ts", starts), ("dur", durations)):
        absent = (column[:, 0] == MISSING) & (phase == "X")
        if absent.any():
            row = int(np.argmax(absent))
            raise InputError(path, f"event {row}, {key!r}: a slice needs this time, found none")
    texts = ("name", "cat", "args.name", "args.labels", "args.Task Type")
    return TimelineEvents(
        path=path,
        phase=phase,
        start=round_times(starts),
        end=round_ends(starts, durations),
        lane=lane,
        lanes=[
            (_value(rows, "pid", p // width), _value(rows, "tid", p % width - 1)) for p in lanes
        ],
        id=rows["id"],
        columns={
            **{key: np.where(rows[key] == MISSING, -1, rows[key]) for key in texts},
            **{key: rows[f"args.{key}"] for key in ("connection_id", "size(Byte)", "Task Id")},
        },
        texts={key: rows.values[key] for key in texts},
    )


def _value(rows: Rows, key: str, code: Any) -> Any:
    value = rows.values[key][int(code)] if code >= 0 else 0
    return value if isinstance(value, int | str) else str(value)
