"""The report as a JSON-ready dict: whole nanoseconds, fractions of 1, null for not known.

Keys stay; new ones may be added. Means are floats, and their `count` and `total_ns` are exact.

    report_version   1
    verdict          window, graph_known, has_dispatch, has_submits, doubtful,
                     kinds [kind, cores, total_ns,
                     shares [what, label, ns, high_ns, share, high_share]]; the chip is the first
    suspects         slow_cores [core, name, runs, ratio],
                     crowded [func, name, runs, ratio, correlation]
    critical         window, static_ns, static_tasks, static_share, edges, implied, path_runs,
                     segments (ns by what; they add up to the window), without_slack,
                     functions and static_functions [func, name, runs, run_ns, wait_ns, share],
                     causes [cause, kind, steps, wait_ns]
    capture          name, origin, tool, chip, clock_hz, base_cycles, level, level_doc, features,
                     sources [path, format, bytes], cores [kind, cores, used], runs, tasks,
                     nodes [kind, count], mix_tasks, spmd_tasks, phases [kind, count], edges,
                     edge_pairs, marks, counters, notes
    losses           has_ledger, nothing_lost, kinds [kind, total, delivered, dropped, unmatched],
                     lossy and broken [lane, kind, total, delivered, dropped, unmatched, reason],
                     stalls, stall_ns, stall_dropped
    makespan         time_range, makespan, observed, window: each [start_ns, end_ns, length_ns]
                     or null; kinds [kind, cores, used, tasks, busy_ns, utilisation]
    functions        rows and total: func, name, count, exec_share,
                     exec and latency: count, total_ns, mean_ns, min_ns, p50_ns, p99_ns, max_ns;
                     head, tail, propagation, setup: count, total_ns, mean_ns;
                     and without_exec, without_latency, never_ran
    inside           rows [func, name, kind, tasks, total_ns, pipes [pipe, busy_ns, share], bound,
                     load_ns, overlap_ns, overlap_share, bubble_ns, bubble_share],
                     tasks_without, marks_without_task, one_ended
    slowest          func, name, kind, tasks, pipe, slowest and median: [task, core, start_ns,
                     length_ns, pipe_ns, bubble_ns]
    controllers      lane, controller, phases, untimed, start_ns, end_ns, span_ns, busy_ns,
                     idle_ns, overlap_ns, busy_share, idle_share, loops, ns_per_loop, dispatched,
                     completed, pop_hits, pop_misses, pop_hit_rate, submits, ns_per_submit,
                     kinds [kind, role, count, total_ns, share]
    queues           name, samples, max_depth, mean_depth
    counters         rows [func, function, counter, runs, total, cycle_share, mean], silent [name]
    peer             null, or window_ns, all_overhead_ns, has_overhead_ns,
                     kinds [kind, cores, overhead_ns, switches, switch_ns, least_switch_ns,
                     most_switch_ns, switch_in_overhead_ns],
                     head and tail [count, at, max_ns, total_ns]

Square brackets: a list of objects, or one object for spans and instances, with these keys.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import msgspec

from lanescope.analyze.controllers.threads import Controller
from lanescope.analyze.cores.makespan import Makespan, Span
from lanescope.analyze.recording.losses import Losses
from lanescope.analyze.tasks.functions import FunctionCost, Functions, Mean
from lanescope.report.build import Report

REPORT_VERSION = 1


def report_dict(report: Report) -> dict[str, Any]:
    """Everything the report knows, in plain dicts, lists, strings and numbers."""
    return {
        "report_version": REPORT_VERSION,
        "verdict": {**_plain(report.verdict), "window": _span(report.verdict.window)},
        "suspects": _plain(report.suspects),
        "critical": {**_plain(report.critical), "window": _span(report.critical.window)},
        "capture": _plain(report.capture),
        "losses": _losses(report.losses),
        "makespan": _makespan(report.makespan),
        "functions": _functions(report.functions),
        "inside": _plain(report.inside),
        "slowest": _plain(report.slowest),
        "controllers": [_controller(controller) for controller in report.controllers],
        "queues": _plain(report.queues),
        "counters": {
            "rows": [{**_plain(row), "mean": row.mean} for row in report.counters.rows],
            "silent": list(report.counters.silent),
        },
        "peer": _plain(report.peer),
    }


def _plain(value: Any) -> Any:
    """A result as dicts and lists all the way down; derived figures are not in it."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _losses(losses: Losses) -> dict[str, Any]:
    return {**_plain(losses), "nothing_lost": losses.nothing_lost}


def _makespan(makespan: Makespan) -> dict[str, Any]:
    return {
        "time_range": _span(makespan.time_range),
        "makespan": _span(makespan.makespan),
        "observed": _span(makespan.observed),
        "window": _span(makespan.window),
        "kinds": _plain(makespan.kinds),
    }


def _span(span: Span | None) -> dict[str, int] | None:
    return None if span is None else {**_plain(span), "length_ns": span.length_ns}


def _functions(functions: Functions) -> dict[str, Any]:
    return {
        "rows": [_function(row) for row in functions.rows],
        "total": None if functions.total is None else _function(functions.total),
        "without_exec": functions.without_exec,
        "without_latency": functions.without_latency,
        "never_ran": functions.never_ran,
    }


def _function(row: FunctionCost) -> dict[str, Any]:
    return {
        "func": row.func,
        "name": row.name,
        "count": row.count,
        "exec": _mean(row.exec),
        "latency": _mean(row.latency),
        "exec_share": row.exec_share,
        "head": _mean(row.head),
        "tail": _mean(row.tail),
        "propagation": _mean(row.propagation),
        "setup": _mean(row.setup),
    }


def _mean(mean: Mean | None) -> dict[str, Any] | None:
    return None if mean is None else {**_plain(mean), "mean_ns": mean.mean_ns}


def _controller(controller: Controller) -> dict[str, Any]:
    return {
        **_plain(controller),
        "span_ns": controller.span_ns,
        "idle_ns": controller.idle_ns,
        "busy_share": controller.busy_share,
        "idle_share": controller.idle_share,
        "ns_per_loop": controller.ns_per_loop,
        "ns_per_submit": controller.ns_per_submit,
        "pop_hit_rate": controller.pop_hit_rate,
    }
