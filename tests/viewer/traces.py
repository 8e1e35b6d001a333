"""Traces to look at: a small one with everything in it, and a large one made by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.analyze.hand import entry, make_trace, phase, task

from lanescope.trace import Meta, Table, Trace, Words

HOSTILE = "<script>alert(1)</script>"


def small(name: str = "small", cores: int = 4, length: int = 400) -> Trace:
    """Tasks 8 after each other per core, edges between the cores, phases, marks, stalls, losses."""
    tasks, edges, marks, stalls = [], [], [], []
    for core in range(cores):
        for k in range(8):
            number, start = core * 8 + k, 100 * core + 1000 * k
            end = start + length + 10 * core
            times = (start - 60, start - 30, start, end, end + 80)
            ran = {"task": (1 << 60) + number, "token": k, "func": k % 3, "flags": 16 * (k == 1)}
            tasks.append(task(core, *times, **ran))
            mark = {"core": core, "pipe": "cube", "name": "matmul", "task": (1 << 60) + number}
            marks.append({**mark, "start_ns": start + 50, "end_ns": start + 90})
            if core:
                edges.append({"pred": (1 << 60) + number - 8, "succ": (1 << 60) + number})
        stall = {"lane": "core", "core": core, "cause": "no free buffer", "records": core}
        stalls.append({**stall, "start_ns": 1600 + core * 200, "end_ns": 1700 + core * 250})
    phases = [phase("complete", k * 300, k * 300 + 200, queue0_start=k % 7) for k in range(20)]
    phases += [phase("resolve", k * 300 + 50, k * 300 + 120, queue0_start=k) for k in range(20)]
    names = (HOSTILE, "GEMM & co", "softmax")
    return make_trace(
        meta={
            "name": name,
            "queues": ("aic",),
            "ledger": tuple(entry(f"core {c}", 10, 8, dropped=2) for c in range(cores)),
        },
        tasks=tasks,
        edges=edges,
        marks=marks,
        stalls=stalls,
        phases=phases,
        cores=[{"core": c, "name": f"aic {c}", "kind": "aic"} for c in range(cores)],
        functions=[{"func": k, "name": text} for k, text in enumerate(names)],
    )


def large(tasks: int, cores: int = 72, seed: int = 7) -> Trace:
    """Tasks of random length and gap on every core, one after the other."""
    rng = np.random.default_rng(seed)
    core = np.sort(np.arange(tasks) % cores)
    length, gap = rng.integers(200, 60_000, tasks), rng.integers(20, 9_000, tasks)
    end = np.cumsum(length + gap)
    first = np.searchsorted(core, np.arange(cores))
    end -= (end[first] - length[first] - gap[first])[core]
    words = Words()
    run, kind = words.code("run"), words.code("aiv")
    columns: dict[str, Any] = {
        "task": rng.permutation(tasks),
        "kind": np.full(tasks, run, np.int32),
        "core": core.astype(np.int32),
        "token": np.arange(tasks) - first[core],
        "func": rng.integers(0, 8, tasks).astype(np.int32),
        "flags": np.zeros(tasks, np.int32),
        "dispatch_ns": end - length - 300,
        "receive_ns": end - length - 100,
        "start_ns": end - length,
        "end_ns": end,
        "finish_ns": end + 500,
    }
    names = words.codes([f"kernel_{k}" for k in range(8)])
    labels = words.codes([f"aiv {k}" for k in range(cores)])
    numbers = np.arange(cores, dtype=np.int32)
    return Trace(
        meta=Meta(name="large", tool="tests", origin="simulated"),
        tasks=Table.build("tasks", columns),
        cores=Table.build(
            "cores", {"core": numbers, "name": labels, "kind": np.full(cores, kind, np.int32)}
        ),
        functions=Table.build("functions", {"func": np.arange(8, dtype=np.int32), "name": names}),
        words=words.freeze(),
    )
