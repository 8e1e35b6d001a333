"""Spans of time in which several intervals are open at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lanescope.trace.table import Array


class Spans(NamedTuple):
    """Intervals [start, end) in rising order; no two of them touch."""

    start: Array
    end: Array


def open_at_once(start: Array, end: Array, least: int = 1) -> Spans:
    """When at least so many of the intervals are open; 1: their union."""
    wide = end > start
    moments = np.concatenate([start[wide], end[wide]])
    change = np.repeat([1, -1], len(moments) // 2)
    order = np.argsort(moments, kind="stable")
    moments, open_now = moments[order], np.cumsum(change[order])
    # Of several changes at one moment the last one counts.
    last = np.append(moments[1:] != moments[:-1], True)[: len(moments)]
    moments, many = moments[last], open_now[last] >= least
    turned = np.flatnonzero(np.diff(many, prepend=False))
    return Spans(moments[turned[0::2]], moments[turned[1::2]])
