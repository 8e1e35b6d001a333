"""A small trace that the tests of this room share."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.trace import MISSING, Meta, Table, Trace, Words


@pytest.fixture
def trace() -> Trace:
    """Two cores, three tasks and a node, one phase, one edge; counters above 2^53."""
    words = Words()
    big = 2**53 + 1
    tasks = Table.build(
        "tasks",
        {
            "task": [10, 11, 12, 13],
            "kind": words.codes(["run", "run", "run", "dummy"]),
            "core": np.array([0, 0, 1, -(2**31)], np.int32),
            "token": [1, 2, 1, MISSING],
            "func": np.array([0, 1, 0, -(2**31)], np.int32),
            "flags": np.zeros(4, np.int32),
            "dispatch_ns": [0, 90, 50, MISSING],
            "start_ns": [10, 100, 60, MISSING],
            "end_ns": [80, 180, 300, MISSING],
            "finish_ns": [90, 190, 310, MISSING],
            "start_cycles": [big, big + 9, big + 5, MISSING],
        },
    )
    phases = Table.build(
        "phases",
        {
            "lane": words.codes(["scheduler", "scheduler"]),
            "controller": np.zeros(2, np.int32),
            "kind": words.codes(["dispatch", "complete"]),
            "start_ns": [0, 200],
            "end_ns": [5, 210],
        },
    )
    edges = Table.build(
        "edges",
        {"pred": [10, 10, 12], "succ": [11, 13, 13], "kind": words.codes(["creator"] * 3)},
    )
    counters = Table.build(
        "counters",
        {"name": words.codes(["busy", "busy"]), "value": [1.5, np.nan], "task": [10, 12]},
    )
    marks = Table.build(
        "marks",
        {
            "core": np.array([0, 1], np.int32),
            "task": [10, MISSING],
            "start_ns": [20, 250],
            "end_ns": [30, 260],
        },
    )
    cores = Table.build(
        "cores", {"core": np.array([0, 1], np.int32), "name": words.codes(["aic 0", "aiv 1"])}
    )
    functions = Table.build(
        "functions", {"func": np.array([0, 1], np.int32), "name": words.codes(["QK", "PV"])}
    )
    return Trace(
        meta=Meta(name="tiny", tool="test", origin="imported", level=2, base_cycles=2**63 - 1),
        words=words.freeze(),
        tasks=tasks,
        phases=phases,
        edges=edges,
        counters=counters,
        marks=marks,
        cores=cores,
        functions=functions,
    )
