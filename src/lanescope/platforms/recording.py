"""What recorded runs have in common on every platform: the recording, its region, the plan."""

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
    """How much is recorded, and how."""

    chip_swimlane: int | bool = 4
    """The level, 0 to 4. True is 4."""
    pmu: int | str | bool | None = None
    """Group of hardware events that is counted per task, by number or name. True is group 2.
    Simulated chips only."""
    core_swimlane: bool = False
    """Whether to record what the pipes inside each core do: chips with trace engines, and cuda."""
    core_source: str = "perfmon"
    """Where that comes from: `perfmon`, or `driver`, a model of the driver's channels."""
    protocol: str = "producer-rotated"
    """Who moves a core's records."""
    on_full: str = "block"
    """What a producer does without a free buffer: `block` or `drop`."""
    buffer_records: int = 1024
    """Records in one buffer."""
    buffers: int = 8
    """Buffers of each lane."""
    host_lost_s: float = 30.0
    """A producer that waits gives up and drops when the host shows no sign of life for so long."""
    first_token: int = 0
    """Token of the first dispatch on every core."""


def features_of(recording: Recording) -> Feature:
    """Return the feature bits of what is recorded, with those that they imply."""
    features = level_features(recording.chip_swimlane)
    if recording.pmu is not None and recording.pmu is not False:
        features |= Feature.PMU
    if recording.core_swimlane:
        features |= Feature.CORE_SWIMLANE
    return closed(features)


def recorded_region(
    graph: TaskGraph, recording: Recording, *, cores: tuple[Core, ...], **machine: Any
) -> RegionConfig:
    """Return the region that a run needs; `machine` holds the fields that its platform decides."""
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
    """Return the graph as a trace in which nothing has run yet."""
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
        "kind": words.codes(list(EDGE_KINDS)).take(_or(graph.edge_kind, 0, edges)),
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
    """Return the column, or one of the usual value where it was left out."""
    return np.full(count, usual, np.int32) if column is None else column


def _flags(graph: TaskGraph) -> Array:
    flags = np.zeros(len(graph), np.int32)
    for column, flag in (
        *((graph.partners, TaskFlag.MIX), (graph.early, TaskFlag.EARLY_DISPATCH)),
        *((graph.together, TaskFlag.TOGETHER), (graph.wait_ns, TaskFlag.AWAITS_ENGINE)),
    ):
        if column is not None:
            flags |= (column > 0) * np.int32(flag)
    return flags


def _kinds(graph: TaskGraph, words: Words) -> Array:
    """Return the kind of each node before any record is known: a task that runs is `node`."""
    names = {NodeKind.RUN: "node"}
    codes = [words.code(names.get(kind, kind.name.lower())) for kind in NodeKind]
    return np.array(codes, np.int32).take(_or(graph.nodes, 0, len(graph)))
