"""Lays bars on lanes: sorted, and on sub-lanes where they overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lanescope.formats.views.shapes import Arrows, Bars, Producer, View
from lanescope.native import stack_slices
from lanescope.trace.table import Array


def lay(
    name: str,
    lanes: list[str],
    parts: tuple[Bars, ...],
    *,
    under: Array | None = None,
    producers: Sequence[Producer] = (),
) -> View:
    """A view of these parts: the bars sorted, those that overlap on sub-lanes.

    `under` is, per lane, the lane that it is a part of, or -1; None where no lane is part of
    another. `producers` says what each lane shows. A bar that ends before it starts is drawn as
    an instant at its start.
    """
    start = _joined([part.start_ns for part in parts])
    end = _joined([part.end_ns for part in parts])
    end = end if (end >= start).all() else np.maximum(end, start)
    lane = _joined([part.lane for part in parts]).astype(np.int32, copy=False)
    order, stacked = None, stack_slices(lane, start, end)
    if stacked is None:
        order = np.lexsort((-end, start, lane))
        lane, start, end = lane[order], start[order], end[order]
        stacked = stack_slices(lane, start, end)
        assert stacked is not None
    sublane, written = stacked
    depth = np.ones(len(lanes), np.int32)
    overlap = sublane.any()
    if overlap:
        np.maximum.at(depth, lane, sublane + 1)
    first = np.cumsum(depth) - depth
    lengths = [len(part.start_ns) for part in parts]
    return View(
        name,
        _with_sublanes(lanes, depth),
        _repeated(under, first, depth),
        parts,
        part=_ordered(np.repeat(np.arange(len(parts), dtype=np.int8), lengths), order),
        row=_ordered(_joined([np.arange(length) for length in lengths]), order),
        lane=first[lane] + sublane if overlap else lane,
        start_ns=start,
        end_ns=end,
        order=written,
        arrows=Arrows(np.empty(0, np.int64), np.empty(0, np.int64), 0),
        producers=tuple(
            one for one, count in zip(producers, depth.tolist(), strict=False) for _ in range(count)
        ),
    )


def _with_sublanes(lanes: list[str], depth: Array) -> tuple[str, ...]:
    return tuple(
        name if not k else f"{name} ({k + 1})"
        for name, count in zip(lanes, depth.tolist(), strict=True)
        for k in range(count)
    )


def _repeated(under: Array | None, first: Array, depth: Array) -> tuple[int, ...]:
    """`under` for every sub-lane: the first sub-lane of the lane that it is a part of."""
    if under is None:
        return (-1,) * int(depth.sum())
    owner = np.where(under < 0, -1, first[under])
    return tuple(np.repeat(owner, depth).tolist())


def _joined(arrays: list[Array]) -> Array:
    """The arrays one after another; no copy is made where only one of them holds anything."""
    full = [array for array in arrays if len(array)]
    return full[0] if len(full) == 1 else np.concatenate(arrays)


def _ordered(values: Array, order: Array | None) -> Array:
    return values if order is None else values[order]
