"""The trace of a rank with its times on the common axis of its job."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from lanescope.render.cells import time_text
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, LazyColumns, Table
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

MOMENTS = frozenset(
    {"dispatch_ns", "receive_ns", "start_ns", "end_ns", "finish_ns", "time_ns", "base_ns"}
)
"""Columns of times; others in ns are lengths."""


def on_common_axis(job: Job, place: int, zero_ns: int) -> Trace:
    """The trace of the rank at this place of the job, moved by offset and drift of its clock.

    Columns are read and moved when they are needed.

    Args:
        job: the job.
        place: place of the rank in `job.ranks`.
        zero_ns: the moment of the common axis that is 0 ns of the trace.
    """
    trace = job.ranks[place].trace()

    def column(table: Table, name: str) -> Array:
        values = table[name]
        table.forget(name)
        return moved_times(job, place, values, zero_ns) if name in MOMENTS else values

    def moved(table: Table) -> Table:
        readers = {one.name: partial(column, table, one.name) for one in table.present()}
        return Table(table.schema, LazyColumns(len(table), readers, {}), table.words)

    meta = msgspec.structs.replace(
        trace.meta,
        base_cycles=None,
        base_shift_ns=0,
        epoch_ns=None,
        epoch_clock="",
        epoch_error_ns=None,
        host_clock=None,
        notes=(*trace.meta.notes, _note(job, place)),
    )
    tables = {name: moved(trace.table(name)) for name in SCHEMA}
    return Trace(meta=meta, words=trace.words, **tables)


def moved_times(job: Job, place: int, times: Array, zero_ns: int) -> Array:
    """Times of the rank at this place on the common axis; what is MISSING stays so."""
    known = times != MISSING
    placed = job.clock.common(place, np.where(known, times, 0)) - zero_ns
    return np.where(known, placed, MISSING)


def _note(job: Job, place: int) -> str:
    one = job.clock.ranks[place]
    sure = "nobody knows how well" if one.error_ns is None else f"to {time_text(one.error_ns)}"
    return f"Times are on the common clock of the job {job.name}, by {one.basis}; known: {sure}."
