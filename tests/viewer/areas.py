"""Figures of an area counted bar by bar, in plain Python: what page and server must tell."""

from __future__ import annotations

from typing import Any

from lanescope.analyze.cores.waiting import core_activity
from lanescope.trace import MISSING, Trace


def plain_tasks(trace: Trace, area: tuple[int, int], cores: set[int]) -> dict[str, dict[str, Any]]:
    """By function: the figures of the tasks of these cores that touch the area."""
    t0, t1 = area
    tasks = trace.tasks
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    lengths: dict[str, list[int]] = {}
    found: dict[str, dict[str, Any]] = {}
    for row in range(len(tasks)):
        start, end = int(tasks["start_ns"][row]), int(tasks["end_ns"][row])
        if start == MISSING or int(tasks["core"][row]) not in cores:
            continue
        if not (start < t1 and (end > t0 or start >= t0)):
            continue
        name = names[int(tasks["func"][row])]
        one = found.setdefault(name, {"count": 0, "over": 0, "inside_ns": 0, "whole_ns": 0})
        one["count"] += 1
        one["over"] += start < t0 or end > t1
        one["inside_ns"] += min(end, t1) - max(start, t0)
        one["whole_ns"] += end - start
        lengths.setdefault(name, []).append(end - start)
    for name, one in found.items():
        ordered = sorted(lengths[name])
        for percent in (50, 99):
            place = -(-len(ordered) * percent // 100) - 1
            one[f"p{percent}_ns"] = ordered[place]
        one["max_ns"] = ordered[-1]
    return found


def plain_waits(trace: Trace, area: tuple[int, int], cores: set[int]) -> dict[str, float]:
    """By reason: how long these cores waited inside the area, by the waits before each task."""
    activity = core_activity(trace)
    assert activity is not None
    before = activity.waits().before
    sums: dict[str, float] = {}
    for k, row in enumerate(activity.rows.tolist()):
        if int(trace.tasks["core"][row]) not in cores:
            continue
        start = int(trace.tasks["start_ns"][row])
        waited = {what: round(float(ns[k])) for what, ns in before.items()}
        total = sum(waited.values())
        inside = min(start, area[1]) - max(start - total, area[0])
        for what, ns in waited.items():
            if inside > 0 and ns:
                sums[what] = sums.get(what, 0.0) + ns * inside / total
    return sums
