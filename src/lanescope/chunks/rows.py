"""Decoded streams as rows of the table `marks`: busy intervals, marks, and lone ends of intervals.

A busy interval is named `busy`, a mark `mark N`. The name of a mark on fixp also has its control
code, because fixp has two. A lone end has a start or an end, not both.
"""

from __future__ import annotations

import numpy as np

from lanescope.chunks.layout import CHUNK_BYTES, EVENTS_MASK, FIXP
from lanescope.chunks.result import Decoded
from lanescope.trace.meta import LedgerEntry
from lanescope.trace.pipes import BUSY, PIPES
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Words

Columns = dict[str, Array]


def stream_rows(stream: Decoded, words: Words, *, base_ticks: int, shift_ns: int = 0) -> Columns:
    """Return the rows of one core; the columns core, task and token are added elsewhere."""
    busy, marks, lone = stream.busy, stream.marks, stream.unpaired
    whole = np.ones(len(busy.pipe) + len(marks.pipe), bool)
    start = np.concatenate([busy.start, marks.time, lone.time])
    end = np.concatenate([busy.end, marks.time, lone.time])
    name = np.full(len(start), words.code(BUSY), np.int32)
    number = np.full(len(start), MISSING32, np.int32)
    of_marks = slice(len(busy.pipe), len(whole))
    name[of_marks], number[of_marks] = _names(stream, words), marks.mark
    pipe = np.concatenate([busy.pipe, marks.pipe, lone.pipe])
    columns = {"pipe": words.codes(list(PIPES))[pipe], "name": name, "mark": number}
    has_start = np.concatenate([whole, lone.starts])
    has_end = np.concatenate([whole, ~lone.starts])
    for edge, time, known in (("start", start, has_start), ("end", end, has_end)):
        ns = stream.ns(time, base_ticks) - shift_ns
        columns[f"{edge}_ns"] = np.where(known, ns, MISSING)
        columns[f"{edge}_cycles"] = np.where(known, stream.ticks(time), MISSING)
    return columns


def chunk_entry(core: int, stream: Decoded) -> LedgerEntry:
    """Return the account of a core's chunks; damaged chunks count as dropped."""
    account, ranges = stream.account, stream.damaged.ranges(most=1)
    good = account.decoded + account.filler + account.sentinel + account.stub
    return LedgerEntry(
        lane=f"core {core}",
        kind="chunk",
        total=-(-account.total // CHUNK_BYTES),
        delivered=good // CHUNK_BYTES,
        dropped=len(stream.damaged.offset),
        reason="".join(f"{one.reason.text}, first at byte {one.offset}" for one in ranges),
    )


def _names(stream: Decoded, words: Words) -> Array:
    """Return the code of each mark's name in `words`."""
    key = stream.marks.mark.astype(np.int32) << 4 | stream.marks.ctrl
    codes = np.zeros(EVENTS_MASK + 1 << 4, np.int32)
    for used in np.flatnonzero(np.bincount(key, minlength=1)).tolist():
        number, ctrl = divmod(used, 16)
        codes[used] = words.code(f"mark {number}" + (f" (code {ctrl})" if ctrl >= FIXP else ""))
    named: Array = codes[key]
    return named
