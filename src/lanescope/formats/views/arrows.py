"""Turns dependencies into arrows between slices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.formats.views.shapes import Arrows, View
from lanescope.trace import Trace
from lanescope.trace.numbering import find
from lanescope.trace.table import Array


def with_arrows(view: View, trace: Trace, task: Array) -> View:
    """The view with one arrow per pair of tasks that depend on each other.

    An arrow goes from the row that ends last to the row that starts first. A viewer draws arrows
    forward only: the source must begin before the target, or be written before it when they begin
    together.
    """
    slices = np.flatnonzero(view.part == 0)
    slices = slices[np.argsort(task[view.row[slices]], kind="stable")]
    ids = task[view.row[slices]]
    first = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    leaves = _latest(first, view.end_ns[slices], slices)
    arrives = _latest(first, -view.start_ns[slices], slices)
    pred, succ = (find(ids[first], trace.edges[end]) for end in ("pred", "succ"))
    drawn = (pred >= 0) & (succ >= 0) & (pred != succ)
    lost = _count_pairs(trace.edges["pred"][~drawn], trace.edges["succ"][~drawn])
    pairs = np.sort(leaves[pred[drawn]] * len(view.row) + arrives[succ[drawn]])
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    source, target = np.divmod(pairs, max(len(view.row), 1))
    wait = view.start_ns[target] - view.start_ns[source]
    forward = (wait > 0) | ((wait == 0) & (source < target))
    lost += len(pairs) - int(forward.sum())
    return replace(view, arrows=Arrows(source[forward], target[forward], lost))


def _latest(first: Array, time: Array, slices: Array) -> Array:
    """Of each group the slice with the greatest time; `first` marks where groups begin."""
    if first.all():
        return slices
    group = np.cumsum(first) - 1
    latest = np.maximum.reduceat(time, np.flatnonzero(first))
    at = np.flatnonzero(time == latest[group])[::-1]
    result = np.empty(len(latest), np.int64)
    result[group[at]] = slices[at]
    return result


def _count_pairs(pred: Array, succ: Array) -> int:
    order = np.lexsort((succ, pred))
    pred, succ = pred[order], succ[order]
    return int(((pred[1:] != pred[:-1]) | (succ[1:] != succ[:-1])).sum()) + min(len(pred), 1)
