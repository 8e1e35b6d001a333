"""What the page knows of a trace before any bar: lanes, functions, losses, utilisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.over_time import busy_over_time
from lanescope.analyze.recording.losses import losses
from lanescope.analyze.streams.kernel_names import short_name
from lanescope.analyze.tasks.durations import durations
from lanescope.analyze.tasks.functions import run_spreads
from lanescope.analyze.tasks.spread import Spread
from lanescope.trace import MISSING, Trace
from lanescope.trace.lane_summary import lane_numbers, ran_text
from lanescope.trace.lanes import Lanes
from lanescope.trace.run_parts import run_name
from lanescope.trace.schema import TaskFlag
from lanescope.trace.vocabulary import vocabulary
from lanescope.viewer.bars import PageBars
from lanescope.viewer.lanes import lane_facts
from lanescope.viewer.series import ShownSeries

_BINS = 1024
UNKNOWN = "(unknown)"


def header_of(
    trace: Trace, lanes: Lanes, bars: Mapping[str, PageBars], series: ShownSeries
) -> dict[str, Any]:
    """All facts but the tables and the wait reasons; only plain numbers, text, lists and dicts."""
    span = span_of(trace, bars, series)
    used = makespan(trace)
    return {
        "name": trace.meta.name,
        "chip": trace.meta.chip,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "makespan_ns": used.window.length_ns if used.window else None,
        "utilisation": [[kind.kind, kind.utilisation] for kind in used.kinds],
        "lanes": lane_facts(trace, lanes),
        **_words(trace),
        "task_ids": trace.meta.task_ids,
        "runs": _runs(trace),
        "words": list(trace.words),
        "functions": _functions(trace),
        "flags": {flag.value: flag.name for flag in TaskFlag},
        "busy": [
            {"kind": row.kind, "cores": row.cores, "share": np.round(row.share, 3).tolist()}
            for row in busy_over_time(trace, span, _BINS)
        ],
        "levels": [
            {"name": one.name, "scale": one.scale, "bin_ns": one.bin_ns} for one in series.shown
        ],
        "counts": {kind: len(table) for kind, table in bars.items()},
        "losses": _losses(trace),
        "notes": [*trace.meta.notes, *_left_out(series)],
    }


def _words(trace: Trace) -> dict[str, Any]:
    """What lanes and functions are called and what ran, where the lanes are no cores."""
    words = vocabulary(trace)
    if words.family == "cores":
        return {}
    named = {"lane": words.lane, "task": words.task, "function": words.function}
    return {"vocabulary": named, "ran": ran_text(lane_numbers(trace))}


def _runs(trace: Trace) -> list[dict[str, Any]]:
    """Every run, where there are several; a slack that is not known is null."""
    if len(trace.runs) < 2:
        return []
    slack, told = trace.runs["slack_ns"].tolist(), trace.text("runs", "completeness")
    return [
        {
            "name": run_name(trace, row),
            "completeness": told[row],
            "slack_ns": None if slack[row] == MISSING else slack[row],
        }
        for row in range(len(trace.runs))
    ]


def span_of(trace: Trace, bars: Mapping[str, PageBars], series: ShownSeries) -> Span:
    """From the earliest to the latest moment of anything that is shown."""
    starts = [table.start_ns.min() for table in bars.values() if len(table)]
    ends = [table.end_ns.max() for table in bars.values() if len(table)]
    dispatch, finish = trace.tasks["dispatch_ns"], trace.tasks["finish_ns"]
    if (dispatch != MISSING).any():
        starts.append(dispatch[dispatch != MISSING].min())
    ends.append(finish.max(initial=MISSING))
    times = [one.time_ns for one in series.shown if len(one.time_ns)]
    starts += [time[0] for time in times]
    ends += [time[-1] for time in times]
    start = int(min(starts, default=0))
    return Span(start, max(int(max(ends)), start + 1))


def _left_out(series: ShownSeries) -> list[str]:
    """A note where the trace has more series than are shown."""
    if not series.left_out:
        return []
    shown = len(series.shown)
    return [f"{shown} of {shown + series.left_out} counters are shown; --core shows others."]


def _functions(trace: Trace) -> list[dict[str, Any]]:
    """Cost and histogram of each function, in the order of the functions table.

    The last entry is for the rows whose function is not known.
    """
    cost = run_spreads(trace)
    shape = durations(trace)
    ids = trace.functions["func"].tolist()
    words = trace.text("functions", "name")
    works: dict[str, str] = {}
    if vocabulary(trace).family == "streams":
        words = [short_name(name) for name in words]
        works = dict(zip(words, trace.text("functions", "work"), strict=True))
    names = [name or f"func_{func}" for func, name in zip(ids, words, strict=True)]
    unknown = set(cost) - set(ids)
    rows = [*zip(ids, names, strict=True), (next(iter(unknown), None), UNKNOWN)]
    functions = []
    for func, name in rows:
        function = {"name": name, **_cost(cost.get(func))}
        if works.get(name):
            function["work"] = works[name]
        if func in shape:
            function["histogram"] = {"first": shape[func].first, "counts": shape[func].counts}
        functions.append(function)
    return functions


def _cost(spread: Spread | None) -> dict[str, Any]:
    if spread is None:
        return {"count": 0, "total_ns": 0}
    return {
        "count": spread.count,
        "total_ns": spread.total_ns,
        "min_ns": spread.min_ns,
        "p50_ns": spread.p50_ns,
        "p99_ns": spread.p99_ns,
        "max_ns": spread.max_ns,
    }


def _losses(trace: Trace) -> dict[str, Any]:
    lost = losses(trace)
    return {
        "lost": sum(kind.dropped + kind.unmatched for kind in lost.kinds),
        "broken": len(lost.broken),
        "unknown": len(lost.unknown),
        "stall_ns": lost.stall_ns,
    }
