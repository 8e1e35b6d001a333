"""The rows of a Kineto file as columns: the keys that mean something, read by the C library.

Keys of `args`: kineto `libkineto/src/output_json.cpp` and `MetadataFieldCatalog.h`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.columns import whole_id
from lanescope.formats.json_cells import (
    Cell,
    integer,
    integers,
    micros,
    nested,
    number,
    text,
    word,
)
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_LIMIT_NS = 1 << 61
"""Times lie within ± 73 years, so differences and sums fit in 64 bits."""
_MANY, _SOME = 1 << 20, 1 << 16
"""How many different names, and how many threads, groups and labels a file may have."""


def _whole(key: str) -> Cell:
    return integer(key, low=-_LIMIT_NS, lenient=True)


_ARGS = (
    _whole("External id"),
    _whole("external id"),
    _whole("correlation"),
    _whole("device"),
    _whole("stream"),
    _whole("bytes"),
    number("registers per thread", lenient=True),
    number("shared memory", lenient=True),
    integers("grid", 3, lenient=True),
    integers("block", 3, lenient=True),
    number("est. achieved occupancy %", lenient=True),
    number("graph node id", lenient=True),
    text("cuda_sync_kind"),
    _whole("wait_on_stream"),
    _whole("wait_on_cuda_event_record_corr_id"),
    text("Collective name"),
    _whole("In msg nelems"),
    _whole("Out msg nelems"),
    _whole("Group size"),
    text("dtype"),
    text("Process Group Name", texts=_SOME),
    text("Process Group Ranks", texts=_SOME),
    _whole("Src Rank"),
    _whole("Dst Rank"),
    _whole("Seq"),
    text("name", texts=_SOME),
    number("Total Allocated", lenient=True),
    number("Total Reserved", lenient=True),
    _whole("Device Id"),
    _whole("Device Type"),
)
_CELLS = (
    word("ph"),
    text("cat", required=False),
    text("name", required=False, texts=_MANY),
    text("pid", required=False, texts=_SOME),
    text("tid", required=False, texts=_SOME),
    micros("ts", required=False, low=-_LIMIT_NS),
    micros("dur", required=False, low=-_LIMIT_NS),
    nested("args", _ARGS),
    integer("id", low=-_LIMIT_NS, lenient=True),
)


@dataclass(frozen=True, slots=True)
class KinetoEvents:
    """The rows of a file, and what their codes stand for."""

    rows: Rows
    phase: Array
    """One letter per row."""
    start: Array
    """ns on the file's clock."""
    end: Array

    def texts(self, key: str) -> list[str]:
        """The texts of a column by code; what is no text is written as one."""
        return [value if isinstance(value, str) else str(value) for value in self.rows.values[key]]

    def text(self, key: str, row: int) -> str:
        """One text; empty where the row has none."""
        code = int(self.rows[key][row])
        return "" if code == MISSING else str(self.rows.values[key][code])

    def is_one_of(self, key: str, words: frozenset[str] | set[str]) -> Array:
        """Mask of the rows whose text is, in small letters, one of these words."""
        codes = [code for code, value in enumerate(self.texts(key)) if value.lower() in words]
        return np.isin(self.rows[key], codes)

    def arg(self, key: str) -> Array:
        """A column of `args`."""
        return self.rows[f"args.{key}"]

    def external_id(self) -> Array:
        """The number of the operator; files of 2021 write its key in small letters."""
        today, old = self.arg("External id"), self.arg("external id")
        return np.where(today != MISSING, today, old)


def read_kineto_events(path: Path, piece: TextSpan) -> KinetoEvents:
    """Read `traceEvents`, or a file that is just the array.

    Raises:
        InputError: a row has no time, or a time that is no number or that no clock shows.
    """
    rows = read_object_rows(piece, _CELLS, what="traceEvents")
    letters = [value[:1] for value in rows.values["ph"]]
    phase = np.array(letters or [""], "U1")[rows["ph"]]
    timed = phase == "X"
    absent = rows["ts"] == MISSING
    untimed = timed & absent
    if untimed.any():
        raise InputError(path, f"event {int(np.argmax(untimed))} ('X') has no 'ts'")
    start = np.where(absent, 0, rows["ts"])
    duration = np.where(timed & (rows["dur"] != MISSING), rows["dur"], 0)
    for key, values in (("ts", start), ("dur", duration)):
        late = abs(values) >= _LIMIT_NS
        if late.any():
            row = int(np.argmax(late))
            time = f"{int(values[row]) // 1000} µs"
            raise InputError(path, f"event {row}, {key!r}: {time} is more than 73 years")
    return KinetoEvents(rows, phase, start, start + duration)


def as_number(value: Any) -> int | None:
    """A process or thread as a number, also of a text; None where it is none, as in "Spans"."""
    try:
        return whole_id(int(value))
    except (TypeError, ValueError, OverflowError):
        return None
