"""How deep the ready queues were over time: phases carry samples of the depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.native.tiling import sort_order
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_QUEUE_COLUMNS = 3
"""The phase table has columns for so many queues."""


@dataclass(frozen=True, slots=True)
class QueueDepth(Result):
    """How deep one ready queue was."""

    name: str
    samples: int
    max_depth: int | None
    """None without samples."""
    mean_depth: float | None
    """Weighted by time: a depth holds from its sample to the next one. None when the samples span
    no time."""


def queues(trace: Trace) -> tuple[QueueDepth, ...]:
    """Depth of every queue that `meta.queues` names, from the samples in the phases.

    Samples of the same moment count in recorded order.
    """
    names = trace.meta.queues[:_QUEUE_COLUMNS]
    if not names:
        return ()
    phases = _sampled(trace.phases, len(names))
    times = _interleave(phases, "start_ns", "end_ns")
    order = sort_order(times)
    order = order[times[order] != MISSING]
    times = times[order]
    return tuple(
        _depth(name, times, _interleave(phases, f"queue{i}_start", f"queue{i}_end")[order])
        for i, name in enumerate(names)
    )


def _sampled(phases: Table, queues: int) -> Table:
    """Times and depths of the phases that carry a depth."""
    depths = [f"queue{i}_{side}" for i in range(queues) for side in ("start", "end")]
    some = np.zeros(len(phases), bool)
    for name in depths:
        some |= phases[name] != MISSING32
    needed = {name: phases[name] for name in ("start_ns", "end_ns", *depths)}
    return Table(phases.schema, needed).rows(some)


def _interleave(phases: Table, first: str, second: str) -> Array:
    """Two columns as one: first and second of row 0, first and second of row 1, …"""
    return np.column_stack((phases[first], phases[second])).ravel()


def _depth(name: str, times: Array, depths: Array) -> QueueDepth:
    known = depths != MISSING32
    if not known.all():
        times, depths = times[known], depths[known]
    depths = depths.astype(np.int64)
    if not len(depths):
        return QueueDepth(name, 0, None, None)
    span = int(times[-1]) - int(times[0])
    most = int(depths.max())
    mean = _area(times, depths) / span if span else None
    return QueueDepth(name, len(depths), most, mean)


def _area(times: Array, depths: Array) -> int | float:
    """Sum over the samples of depth x ns until the next one; exact where 64 bits are enough."""
    held = np.diff(times)
    largest = int(np.abs(depths).max()) * (int(times[-1]) - int(times[0]))
    if largest.bit_length() < 63:
        return int(np.dot(depths[:-1], held))
    return float(np.dot(depths[:-1].astype(np.float64), held.astype(np.float64)))


def queue_section(queues: Sequence[QueueDepth]) -> Section:
    """A table with one row per queue."""
    return Section(
        title="Ready queues",
        columns=(
            PageColumn("queue", "text", tuple(queue.name for queue in queues), key=True),
            PageColumn("samples", "count", tuple(queue.samples for queue in queues)),
            PageColumn("max depth", "count", tuple(queue.max_depth for queue in queues)),
            PageColumn("mean depth", "number", tuple(queue.mean_depth for queue in queues)),
        ),
        notes=("The mean is weighted by time.",),
    )


def _sections(depths: tuple[QueueDepth, ...], answers: Answers) -> list[Section]:
    return [queue_section(depths)] if any(queue.samples for queue in depths) else []


def _answer(basis: Basis) -> tuple[QueueDepth, ...]:
    return queues(basis.trace)


QUEUES = Analysis(
    name="queues",
    detail=True,
    question="How deep were the ready queues?",
    answer=_answer,
    families=frozenset({"cores"}),
    sections=_sections,
    place=100,
    keys="[name, samples, max_depth, mean_depth]",
)
