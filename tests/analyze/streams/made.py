"""Traces of streams written by hand: rows of streams, rows of the host, and what joins them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.analyze.hand import Row, make_trace

from lanescope.analyze.streams.basis import StreamBasis, stream_basis
from lanescope.trace import Trace

WORK = {
    "gemm": "compute",
    "reduce": "communication",
    "copy": "copy",
    "fill": "fill",
    "stand": "wait",
    "odd": None,
}
"""Functions by name, with their work; the id of a function is its place."""
NAMES = list(WORK)


def ran(stream: int, name: str, start: int, end: int, launch: int | None = None) -> Row:
    """A row of a stream; its task id is given by its place in the list."""
    row = {
        "core": stream,
        "kind": "run",
        "func": NAMES.index(name),
        "start_ns": start,
        "end_ns": end,
    }
    return row if launch is None else {**row, "launch": launch}


def did(name: str, start: int, end: int, launch: int | None = None, **more: Any) -> Row:
    """A row of host thread 0; a call where it launches, else an operator."""
    category = "operator" if launch is None else "call"
    row = {
        "lane": "host",
        "controller": 0,
        "kind": name,
        "start_ns": start,
        "end_ns": end,
        "category": category,
    }
    return {**row, **({} if launch is None else {"launch": launch}), **more}


def of_streams(
    tasks: Sequence[Row], phases: Sequence[Row] = (), lane: str = "stream", **more: Any
) -> Trace:
    """A trace with streams 0 and 1 on device 0, and stream 2 on device 1."""
    numbers = sorted({row["core"] for row in tasks})
    threads = sorted({row["controller"] for row in phases})
    return make_trace(
        tasks=[{"task": k, "token": k, **row} for k, row in enumerate(tasks)],
        phases=phases,
        cores=[
            {"core": k, "name": f"s{k}", "kind": lane, "lane": lane, "device": k // 2}
            for k in numbers
        ],
        controllers=[{"lane": "host", "controller": k, "name": f"t{k}"} for k in threads],
        functions=[
            {"func": k, "name": name, **({"work": work} if work else {})}
            for k, (name, work) in enumerate(WORK.items())
        ],
        **more,
    )


def basis_of(tasks: Sequence[Row], phases: Sequence[Row] = (), **more: Any) -> StreamBasis:
    """What questions about such a trace share."""
    return stream_basis(of_streams(tasks, phases, **more))


def full() -> Trace:
    """A trace that has something of everything."""
    return of_streams(
        [
            ran(0, "gemm", 100, 200, 0),
            ran(0, "copy", 250, 300, 1),
            ran(1, "reduce", 320, 400, 2),
            ran(0, "fill", 420, 430, 3),
        ],
        [
            did("step", 0, 460, category="annotation"),
            did("mm", 0, 60),
            did("cudaLaunchKernel", 40, 60, 0),
            did("cudaMemcpyAsync", 210, 240, 1),
            did("cudaLaunchKernel", 245, 250, 2),
            did("cudaMemsetAsync", 400, 410, 3),
            did("cudaDeviceSynchronize", 412, 450, 4),
        ],
        steps=[{"step": 1, "name": "step 1", "controller": 0, "start_ns": 0, "end_ns": 460}],
        waits=[
            {"kind": "stream waits event", "core": 1, "on_core": 0, "task": 2, "on_task": 1},
            {"kind": "host waits device", "launch": 4, "on_task": 3, "controller": 0},
        ],
        edges=[{"pred": 1, "succ": 2, "kind": "event", "flags": 0}],
        collectives=[
            {
                "group": "dp",
                "sequence": 0,
                "matched": "group",
                "kind": "all_reduce",
                "bytes": 64,
                "size": 2,
                "task": 2,
                "core": 1,
                "start_ns": 320,
                "end_ns": 400,
            }
        ],
        counters=[
            {"name": "bytes", "value": 1000.0, "task": 1, "core": 0, "token": 1},
            {"name": "blocks", "value": 8.0, "task": 0, "core": 0, "token": 0},
        ],
    )
