"""The events of a Chrome trace as columns, and begin/end events paired into slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.event_letters import event_letters
from lanescope.formats.exact_times import round_ends, round_times
from lanescope.formats.json_cells import Cell, exact_micros, span, text, word
from lanescope.formats.json_file import map_file, open_object
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows, read_open_rows
from lanescope.formats.tracks.pairing import pair_ends
from lanescope.native.proto import proto_codes
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_LIMIT_NS = 1 << 61
"""Times lie within ± 73 years, so differences and sums fit in 64 bits."""
_MANY = 1 << 20
_CELLS = (
    word("ph"),
    text("name", required=False, texts=_MANY),
    text("cat", required=False, texts=_MANY),
    exact_micros("ts", required=False, low=-_LIMIT_NS),
    exact_micros("dur", required=False),
    text("pid", required=False, texts=_MANY),
    text("tid", required=False, texts=_MANY),
    span("id", required=False),
    text("bp", required=False),
    span("bind_id", required=False),
    text("flow_in", required=False),
    text("flow_out", required=False),
)
_ARGUMENTS = (span("args", required=False),)


@dataclass(frozen=True, slots=True)
class ChromeEvents:
    """The events of a file as columns, one row per event.

    Times are nanoseconds. `name` and `lane` are codes into `names` and `lanes`, the (pid, tid)
    pairs; `id` and `bind` are the same number for the same text, -1 for none.
    """

    piece: TextSpan
    size: int
    phase: Array
    name: Array
    names: list[str]
    category: Array
    time: Array
    end: Array
    """Time plus duration, rounded once."""
    lane: Array
    lanes: list[tuple[Any, Any]]
    id: Array
    encloses: Array
    """Whether a flow ends at the slice around it, not at the next one."""
    bind: Array
    """Number of the arrow that begins or ends at the slice itself."""
    binds_in: Array
    binds_out: Array
    ended: bool
    """Whether the array has its ]; without it, events may be missing behind the last one."""
    rows: Rows
    """Further columns that were asked for."""

    def arguments(self, row: int) -> Any:
        """Decode the `args` of one event; {} where it has none."""
        start, length = self.rows["args"][row].tolist()
        raw = b"" if start == MISSING else self.piece.data[start : start + length].tobytes()
        try:
            return msgspec.json.decode(raw) if raw else {}
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(self.piece.path, f"event {row}, 'args': {error}") from error


def read_events(path: Path, arguments: Sequence[Cell] = _ARGUMENTS) -> ChromeEvents:
    """Read the events of `traceEvents`, or of a file that is just the array.

    `arguments` says how `args` are read: as spans, or as columns.
    """
    whole = map_file(path)
    if bytes(whole[:4096]).lstrip()[:1] == b"[":
        piece = TextSpan(path, whole, whole)
        # The ] is optional there (Trace Event Format, JSON Array Format): a tool may be killed.
        rows = read_open_rows(piece, (*_CELLS, *arguments), what="traceEvents")
    else:
        piece = open_object(path).values["traceEvents"]
        rows = read_object_rows(piece, (*_CELLS, *arguments), what="traceEvents")
    phase = event_letters(path, rows)
    _require_times(path, phase, rows)
    time = round_times(rows["ts"])
    end = np.where(rows["dur"][:, 0] == MISSING, time, round_ends(rows["ts"], rows["dur"]))
    names = [str(value) for value in rows.values["name"]]
    lane, lanes = _lanes(rows)
    return ChromeEvents(
        piece=piece,
        size=len(whole),
        phase=phase,
        name=np.where(rows["name"] == MISSING, len(names), rows["name"]),
        names=[*names, "(no name)"],
        category=rows["cat"],
        time=time,
        end=end,
        lane=lane,
        lanes=lanes,
        id=_codes(piece, rows["id"]),
        encloses=_says(rows, "bp", ("e",)),
        bind=_codes(piece, rows["bind_id"]),
        binds_in=_says(rows, "flow_in", (True, "true", 1)),
        binds_out=_says(rows, "flow_out", (True, "true", 1)),
        ended=bytes(piece.data[-4096:]).rstrip().endswith(b"]"),
        rows=rows,
    )


def _lanes(rows: Rows) -> tuple[Array, list[tuple[Any, Any]]]:
    """Number the pairs of pid and tid; "3" and 3 are the same."""
    codes, values = [], []
    for key in ("pid", "tid"):
        plain = [_plain(value) for value in (*rows.values[key], 0)]
        number = {value: place for place, value in enumerate(dict.fromkeys(plain))}
        table = np.array([number[value] for value in plain])
        codes.append(table[np.where(rows[key] == MISSING, len(plain) - 1, rows[key])])
        values.append(list(number))
    width = len(values[1])
    pairs, lane = np.unique(codes[0] * width + codes[1], return_inverse=True)
    return lane.reshape(-1), [(values[0][p // width], values[1][p % width]) for p in pairs.tolist()]


def _plain(value: Any) -> int | str:
    """A pid or tid as a number where it is one, also as text; else as text."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return 0 if value is None else str(value)
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) < 19:
        return int(value)
    return value


def _codes(piece: TextSpan, spans: Array) -> Array:
    """The same number for the same text, -1 where there is none."""
    codes = np.full(len(spans), -1, np.int64)
    known = np.flatnonzero(spans[:, 0] != MISSING)
    codes[known] = proto_codes(np.ascontiguousarray(piece.data), spans[known])[0]
    return codes


def _says(rows: Rows, key: str, words: tuple[Any, ...]) -> Array:
    codes = [code for code, value in enumerate(rows.values[key]) if value in words]
    return np.isin(rows[key], codes)


def _require_times(path: Path, phase: Array, rows: Rows) -> None:
    untimed = (rows["ts"][:, 0] == MISSING) & (phase != "M")
    if untimed.any():
        row = int(np.argmax(untimed))
        raise InputError(path, f"event {row} ({str(phase[row])!r}) has no 'ts'")
    for key in ("ts", "dur"):
        late = rows[key][:, 0] >= _LIMIT_NS
        if late.any():
            row = int(np.argmax(late))
            time = f"{int(rows[key][row, 0]) // 1000} µs"
            raise InputError(path, f"event {row}, {key!r}: {time} is more than 73 years")


@dataclass(frozen=True, slots=True)
class PairedEvents:
    """Slices: the rows of the events that begin them, and their ends in nanoseconds."""

    row: Array
    end: Array
    unmatched: int
    """How many begins and ends have no partner."""


def pair_events(events: ChromeEvents) -> PairedEvents:
    """Make slices of complete events, and of begin events paired with end events.

    B and E pair within their thread, b and e within process, category and id.
    """
    complete = np.flatnonzero(events.phase == "X")
    rows, ends, unmatched = [complete], [events.end[complete]], 0
    for letters in ("BE", "be"):
        some = np.flatnonzero(np.isin(events.phase, list(letters)))
        some = some[np.argsort(events.time[some], kind="stable")]
        track = events.lane[some] if letters == "BE" else _async_tracks(events, some)
        begin, end = pair_ends(track, events.phase[some] == letters[0])
        rows.append(some[begin])
        ends.append(events.time[some[end]])
        unmatched += len(some) - 2 * len(begin)
    return PairedEvents(np.concatenate(rows), np.concatenate(ends), unmatched)


def _async_tracks(events: ChromeEvents, rows: Array) -> Array:
    processes = {pid: place for place, (pid, _) in enumerate(events.lanes)}
    process = np.array([processes[pid] for pid, _ in events.lanes], np.int64)
    key = np.stack([process[events.lane[rows]], events.category[rows], events.id[rows]], axis=1)
    _, track = np.unique(key, axis=0, return_inverse=True)
    return track.reshape(-1)
