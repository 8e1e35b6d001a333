"""The events of a Chrome trace as columns, and begin/end events paired into bars."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_cells import micros, span, text, word
from lanescope.formats.json_file import map_file, open_object
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_LIMIT_NS = 1 << 61
"""Times lie within ± 73 years, so differences and sums fit in 64 bits."""
_MANY = 1 << 20
_CELLS = (
    word("ph"),
    text("name", required=False, texts=_MANY),
    text("cat", required=False, texts=_MANY),
    micros("ts", required=False, low=-_LIMIT_NS),
    micros("dur", required=False),
    text("pid", required=False, texts=_MANY),
    text("tid", required=False, texts=_MANY),
    span("id", required=False),
    span("args", required=False),
    text("bp", required=False),
)


@dataclass(frozen=True, slots=True)
class Events:
    """The events of a file as columns, one row per event.

    Times and durations are nanoseconds. `name`, `lane` and `bind` are codes into `names`, `lanes`
    (the (pid, tid) pairs) and `binds`.
    """

    piece: TextSpan
    size: int
    phase: Array
    name: Array
    names: list[str]
    category: Array
    time: Array
    duration: Array
    lane: Array
    lanes: list[tuple[Any, Any]]
    id_span: Array
    args_span: Array
    bind: Array
    binds: list[Any]

    def arguments(self, row: int) -> Any:
        """Decode the `args` of one event; {} where it has none."""
        raw = self._raw(self.args_span, row)
        try:
            return msgspec.json.decode(raw) if raw else {}
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(self.piece.path, f"event {row}, 'args': {error}") from error

    def identity(self, row: int) -> tuple[int, bytes]:
        """Category and id of an event: flow and async events of one chain share them."""
        return int(self.category[row]), self._raw(self.id_span, row)

    def binds_enclosing(self, rows: Array) -> Array:
        """True per row where a flow ends at the bar around it, not at the next bar."""
        codes = [code for code, value in enumerate(self.binds) if value == "e"]
        return np.isin(self.bind[rows], codes)

    def _raw(self, spans: Array, row: int) -> bytes:
        start, length = spans[row].tolist()
        return b"" if start == MISSING else self.piece.data[start : start + length].tobytes()


@dataclass(frozen=True, slots=True)
class ChromeBars:
    """Bars with a begin and an end in nanoseconds; `name` and `lane` are codes as in Events."""

    start: Array
    end: Array
    name: Array
    lane: Array

    def rows(self, index: Array) -> ChromeBars:
        """The bars at these rows."""
        return ChromeBars(self.start[index], self.end[index], self.name[index], self.lane[index])


def read_events(path: Path) -> Events:
    """Read the events of `traceEvents`, or of a file that is just the array."""
    whole = map_file(path)
    if bytes(whole[:4096]).lstrip()[:1] == b"[":
        piece = TextSpan(path, whole, whole)
    else:
        piece = open_object(path).values["traceEvents"]
    rows = read_object_rows(piece, _CELLS, what="traceEvents")
    pairs = np.stack([rows["pid"], rows["tid"]], axis=1)
    lanes, lane = np.unique(pairs, axis=0, return_inverse=True)
    phases = np.array(_phases(path, rows.values["ph"]), "U1")
    names = [str(value) for value in rows.values["name"]]
    no_name = len(names)
    phase = phases[rows["ph"]]
    _require_times(path, phase, rows)
    return Events(
        piece=piece,
        size=len(whole),
        phase=phase,
        name=np.where(rows["name"] == MISSING, no_name, rows["name"]),
        names=[*names, "(no name)"],
        category=rows["cat"],
        time=rows["ts"],
        duration=np.where(rows["dur"] == MISSING, 0, rows["dur"]),
        lane=lane.reshape(-1),
        lanes=[(_value(rows.values["pid"], p), _value(rows.values["tid"], t)) for p, t in lanes],
        id_span=rows["id"],
        args_span=rows["args"],
        bind=rows["bp"],
        binds=rows.values["bp"],
    )


def _value(values: list[Any], code: Any) -> Any:
    value = values[code] if code >= 0 else 0
    return value if isinstance(value, int | str) else str(value)


def _phases(path: Path, values: list[str]) -> list[str]:
    for value in values:
        if len(value) != 1:
            raise InputError(path, f"an event has 'ph' {value[:40]!r}, expected one letter")
    return values


def _require_times(path: Path, phase: Array, rows: Rows) -> None:
    untimed = (rows["ts"] == MISSING) & (phase != "M")
    if untimed.any():
        row = int(np.argmax(untimed))
        raise InputError(path, f"event {row} ({str(phase[row])!r}) has no 'ts'")
    for key in ("ts", "dur"):
        late = rows[key] >= _LIMIT_NS
        if late.any():
            row = int(np.argmax(late))
            time = f"{int(rows[key][row]) // 1000} µs"
            raise InputError(path, f"event {row}, {key!r}: {time} is more than 73 years")


def pair_bars(events: Events) -> tuple[ChromeBars, int]:
    """Make bars of complete events, and of begin events paired with end events.

    Returns the bars, and how many begins and ends have no partner.
    """
    complete = np.flatnonzero(events.phase == "X")
    begin, end, unmatched = _pair(events)
    rows = np.concatenate([complete, begin])
    ends = np.concatenate([events.time[complete] + events.duration[complete], events.time[end]])
    bars = ChromeBars(events.time[rows], ends, events.name[rows], events.lane[rows])
    return bars, unmatched


def _pair(events: Events) -> tuple[Array, Array, int]:
    """Pair begins with ends in time order: rows of begins, rows of ends, number without partner.

    B and E pair within their lane, b and e within process, category and id. The last begin is
    paired first.
    """
    rows = np.flatnonzero(np.isin(events.phase, ["B", "E", "b", "e"]))
    rows = rows[np.argsort(events.time[rows], kind="stable")]
    open_rows: dict[Any, list[int]] = {}
    begins, ends, lost = [], [], 0
    phases = events.phase[rows].tolist()
    lanes = events.lane[rows].tolist()
    for row, phase, lane in zip(rows.tolist(), phases, lanes, strict=True):
        key = lane if phase in "BE" else (events.lanes[lane][0], events.identity(row))
        if phase in "Bb":
            open_rows.setdefault(key, []).append(row)
        elif open_rows.get(key):
            begins.append(open_rows[key].pop())
            ends.append(row)
        else:
            lost += 1
    lost += sum(len(rows) for rows in open_rows.values())
    return np.array(begins, np.int64), np.array(ends, np.int64), lost
