"""Dependencies as arrows between bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.formats.views.shapes import Arrows, View
from lanescope.native.tiling import sort_order, sorted_values
from lanescope.trace import Trace
from lanescope.trace.numbering import places
from lanescope.trace.rows import as_slice
from lanescope.trace.table import Array


def with_arrows(view: View, trace: Trace, task: Array) -> View:
    """The view with one arrow per pair of tasks; `task` is the task of each row of its first part.

    An arrow goes from the bar of the first task that ends last to the bar of the second task that
    starts first. Viewers draw arrows forward only: a dependency has no arrow where the first bar
    neither begins before the second one nor, where both begin together, is written before it.
    """
    bars = np.flatnonzero(view.part == 0)
    ids = task[as_slice(view.row[as_slice(bars)])]
    order = sort_order(ids)
    bars, ids = bars[order], ids[order]
    first = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    leaves = arrives = bars
    if not first.all():
        leaves = _latest(first, view.end_ns[bars], bars)
        arrives = _latest(first, -view.start_ns[bars], bars)
        ids = ids[first]
    pred, succ = (places(ids, trace.edges[end]) for end in ("pred", "succ"))
    drawn = (pred >= 0) & (succ >= 0) & (pred != succ)
    lost = 0
    if not drawn.all():
        lost = _count_pairs(trace.edges["pred"][~drawn], trace.edges["succ"][~drawn])
        pred, succ = pred[drawn], succ[drawn]
    bits = len(view.row).bit_length()
    pairs = sorted_values(leaves[pred] << bits | arrives[succ])
    new = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
    pairs = pairs if new.all() else pairs[new]
    source, target = pairs >> bits, pairs & ((1 << bits) - 1)
    wait = view.start_ns[target] - view.start_ns[source]
    forward = (wait > 0) | ((wait == 0) & (source < target))
    if not forward.all():
        lost += len(pairs) - int(forward.sum())
        source, target = source[forward], target[forward]
    return replace(view, arrows=Arrows(source, target, lost))


def _latest(first: Array, time: Array, bars: Array) -> Array:
    """Of each group the bar with the greatest time; `first` marks where groups begin."""
    group = np.cumsum(first) - 1
    latest = np.maximum.reduceat(time, np.flatnonzero(first))
    at = np.flatnonzero(time == latest[group])[::-1]
    result = np.empty(len(latest), np.int64)
    result[group[at]] = bars[at]
    return result


def _count_pairs(pred: Array, succ: Array) -> int:
    """How many different pairs there are."""
    order = np.lexsort((succ, pred))
    pred, succ = pred[order], succ[order]
    return int(((pred[1:] != pred[:-1]) | (succ[1:] != succ[:-1])).sum()) + min(len(pred), 1)
