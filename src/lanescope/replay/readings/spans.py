"""Spans of time: sorted intervals that do not touch, and how they are joined and cut."""

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


def both(left: Spans, right: Spans) -> Spans:
    """When both are."""
    return open_at_once(
        np.concatenate([left.start, right.start]), np.concatenate([left.end, right.end]), least=2
    )


def either(several: list[Spans]) -> Spans:
    """When any of them is."""
    none = np.zeros(0, np.int64)
    return open_at_once(
        np.concatenate([none, *(one.start for one in several)]),
        np.concatenate([none, *(one.end for one in several)]),
    )


def outside(spans: Spans, start: int, end: int) -> Spans:
    """The time from `start` to `end` in which none of the spans is."""
    low, high = np.clip(spans.start, start, end), np.clip(spans.end, start, end)
    starts, ends = np.append(start, high), np.append(low, end)
    wide = ends > starts
    return Spans(starts[wide], ends[wide])


def cut_at(spans: Spans, moments: Array) -> Spans:
    """The same time in pieces: every span is cut at the moments inside it. Pieces touch."""
    inside = np.searchsorted(spans.start, moments, side="right") - 1
    known = inside >= 0
    moments, inside = moments[known], inside[known]
    moments = moments[(moments > spans.start[inside]) & (moments < spans.end[inside])]
    starts = np.unique(np.concatenate([spans.start, moments]))
    ends = np.unique(np.concatenate([spans.end, moments]))
    return Spans(starts, ends)
