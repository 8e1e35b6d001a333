"""What recorded runs have in common on every platform: how it is recorded, and the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope import __version__
from lanescope.device.flags import closed, level_features
from lanescope.device.head import Array, Core
from lanescope.device.region import RegionConfig
from lanescope.trace import Meta, Table, Trace, Words
from lanescope.trace.flags import Feature
from lanescope.trace.schema import EdgeFlag, TaskFlag
from lanescope.workloads.graph import EDGE_KINDS, NodeKind, TaskGraph


@dataclass(frozen=True, kw_only=True)
class Recording:
    """How much is recorded and how."""

    chip_swimlane: int | bool = 4
    pmu: int | str | bool | None = None
    """Which group of hardware events is counted per task, by number or name; True: the usual one.
    Simulated chips only."""
    core_swimlane: bool = False
    """What the pipes inside each core do. Simulated chips that have trace engines only."""
    core_source: str = "perfmon"
    """Where that comes from: `perfmon`, or `driver`, a model of the driver's channels."""
    protocol: str = "producer-rotated"
    on_full: str = "block"
    buffer_records: int = 1024
    buffers: int = 8
    host_lost_s: float = 30.0
    first_token: int = 0


def features_of(recording: Recording) -> Feature:
    """The feature bits of what is recorded."""
    features = level_features(recording.chip_swimlane)
    if recording.pmu is not None and recording.pmu is not False:
        features |= Feature.PMU
    if recording.core_swimlane:
        features |= Feature.CORE_SWIMLANE
    return closed(features)


def recorded_region(
    graph: TaskGraph, recording: Recording, *, cores: tuple[Core, ...], **machine: Any
) -> RegionConfig:
    """The region that a run needs; `machine` are the fields that depend on where it runs."""
    return RegionConfig(
        flags=features_of(recording),
        cores=cores,
        protocol=recording.protocol,
        on_full=recording.on_full,
        buffer_records=recording.buffer_records,
        buffers=recording.buffers,
        host_lost_s=recording.host_lost_s,
        first_token=recording.first_token,
        functions=dict(enumerate(graph.functions)),
        **machine,
    )


def plan_of(graph: TaskGraph) -> Trace:
    """The graph as a trace in which nothing ran yet."""
    words = Words()
    count, edges = len(graph.func), len(graph.pred)
    tasks: dict[str, Array] = {
        "task": np.arange(count),
        "kind": _kinds(graph, words),
        "func": graph.func,
        "blocks": _or(graph.blocks, 1, count),
        "flags": _flags(graph),
    }
    lines: dict[str, Array] = {
        "pred": graph.pred,
        "succ": graph.succ,
        "kind": words.codes(list(EDGE_KINDS))[_or(graph.edge_kind, 0, edges)],
        "arg": _or(graph.edge_arg, -1, edges),
        "flags": np.full(edges, EdgeFlag.WAIT, np.int32),
    }
    functions = {
        "func": np.arange(len(graph.functions), dtype=np.int32),
        "name": words.codes(list(graph.functions)),
    }
    meta = Meta(
        name=graph.name,
        tool=f"lanescope {__version__}",
        origin="measured",
        queues=(*graph.kinds[:2], "mix") if np.any(_or(graph.partners, 0, 0)) else graph.kinds[:3],
    )
    return Trace(
        meta=meta,
        words=words.freeze(),
        tasks=Table.build("tasks", tasks),
        edges=Table.build("edges", lines),
        functions=Table.build("functions", functions),
    )


def _or(column: Array | None, usual: int, count: int) -> Array:
    return np.full(count, usual, np.int32) if column is None else column


def _flags(graph: TaskGraph) -> Array:
    found = np.zeros(len(graph), np.int32)
    for column, flag in (
        *((graph.partners, TaskFlag.MIX), (graph.early, TaskFlag.EARLY_DISPATCH)),
        *((graph.together, TaskFlag.TOGETHER), (graph.wait_ns, TaskFlag.AWAITS_ENGINE)),
    ):
        if column is not None:
            found |= (column > 0) * np.int32(flag)
    return found


def _kinds(graph: TaskGraph, words: Words) -> Array:
    """What a node is if no record tells of it: a task that runs is `node` until then."""
    names = {NodeKind.RUN: "node"}
    codes = [words.code(names.get(kind, kind.name.lower())) for kind in NodeKind]
    return np.array(codes, np.int32)[_or(graph.nodes, 0, len(graph))]
