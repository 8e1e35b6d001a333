"""Reads deps.json, the task graph, in its three shapes: edges only, version 2, without version.

Ids are quoted 64-bit numbers. Only what the graph's shape needs is kept: tensors and arguments
are passed over.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_cells import identity, integer, integers, text, word
from lanescope.formats.json_file import JsonFile, Label
from lanescope.formats.json_rows import read_object_rows
from lanescope.formats.simpler.records import Array, narrow
from lanescope.native import cyclic_nodes
from lanescope.trace import MISSING, MISSING32
from lanescope.trace.numbering import is_rising
from lanescope.trace.schema import EdgeFlag, TaskFlag
from lanescope.trace.table import constant

_TASK_CELLS = (
    identity("task_id"),
    text("scope", required=False),
    text("early_dispatch", required=False),
    integers("kernel_ids", 3, required=False, low=-1),
    integer("block_num", required=False),
)
_EDGE_CELLS = (
    identity("pred"),
    identity("succ"),
    integer("arg", required=False, low=-1),
    word("source", required=False),
    text("flags", required=False),
)


@dataclass(frozen=True, slots=True)
class Graph:
    """The declared tasks, sorted by id, and the edges in the order of the file."""

    path: Path
    task: Array
    kernels: Array
    """A row each for aic, aiv0 and aiv1: per task its function there.

    -1 is inactive, MISSING32 not recorded.
    """
    blocks: Array
    flags: Array
    pred: Array
    succ: Array
    arg: Array
    edge_kind: Array
    """codes into `edge_kinds`, MISSING where not recorded"""
    edge_kinds: list[str]
    edge_flags: Array
    runtime: str = ""
    """the runtime that made the graph, which decides how ids are read; empty where not recorded"""


def is_deps(file: JsonFile) -> bool:
    """Whether a JSON object is a deps.json."""
    return "edges" in file


def read_deps(file: JsonFile, *, keep_damaged: bool = False) -> Graph:
    """Read the graph. A cycle is an error; with `keep_damaged` its edges are flagged."""
    with ThreadPoolExecutor(1) as beside:
        coming = beside.submit(read_object_rows, file.values["edges"], _EDGE_CELLS, what="edges")
        if "tasks" in file:
            tasks = read_object_rows(file.values["tasks"], _TASK_CELLS, what="tasks")
            columns, values = tasks.columns, tasks.values
        else:
            columns, values = _no_tasks(), {"scope": [], "early_dispatch": []}
        edges = coming.result()
    ids = columns["task_id"]
    order = slice(None) if is_rising(ids) else np.argsort(ids, kind="stable")
    manual = [TaskFlag.MANUAL_SCOPE * (scope == "manual") for scope in values["scope"]]
    early = [TaskFlag.EARLY_DISPATCH * (told == 1) for told in values["early_dispatch"]]
    flags = _coded(columns["scope"], manual) | _coded(columns["early_dispatch"], early)
    edge_flags = _edge_flags(edges["flags"], edges.values["flags"])
    cyclic = cycle_flags(file.path, edges["pred"], edges["succ"], keep=keep_damaged)
    return Graph(
        path=file.path,
        task=ids[order],
        kernels=_kernels(file.path, columns["kernel_ids"])[:, order],
        blocks=narrow(file.path, "tasks", columns["block_num"])[order],
        flags=flags[order],
        pred=edges["pred"],
        succ=edges["succ"],
        arg=narrow(file.path, "edges", edges["arg"]),
        edge_kind=edges["source"],
        edge_kinds=edges.values["source"],
        edge_flags=edge_flags | cyclic if cyclic.any() else edge_flags,
        runtime=file.decode("runtime", Label) if "runtime" in file else "",
    )


def _no_tasks() -> dict[str, Array]:
    none = np.empty(0, np.int64)
    return {
        "task_id": none,
        "scope": none,
        "early_dispatch": none,
        "kernel_ids": none.reshape(0, 3),
        "block_num": none,
    }


def _kernels(path: Path, kernels: Array) -> Array:
    """A row per place of a kernel. Raises InputError where a number does not fit in 32 bits."""
    if kernels.max(initial=0) > np.iinfo(np.int32).max:
        narrow(path, "tasks", kernels.max(axis=1))
    return np.array([narrow(path, "tasks", kernels[:, place]) for place in range(3)])


def _coded(codes: Array, bits: list[int]) -> Array:
    """The bits of each code; none where the code is MISSING."""
    if not codes.max(initial=0) and codes.min(initial=0) == 0 and bits:
        return constant(bits[0], len(codes), np.int32)
    return np.array([*bits, 0], np.int32)[np.where(codes == MISSING, len(bits), codes)]


def _edge_flags(codes: Array, values: list[Any]) -> Array:
    """A missing `flags` (before August 2026) says nothing: no bit is set."""
    bits = [0] * len(values)
    for code, value in enumerate(values):
        if isinstance(value, list):
            bits[code] |= EdgeFlag.WAIT if "wait" in value else 0
            bits[code] |= EdgeFlag.RETAIN if "retain" in value else 0
    return _coded(codes, bits)


def cycle_flags(path: Path, pred: Array, succ: Array, *, keep: bool) -> Array:
    """CYCLIC for each edge that lies on a cycle, else 0.

    Raises InputError where there is a cycle and `keep` is not set.
    """
    if (pred < succ).all():
        return constant(0, len(pred), np.int32)
    nodes, ends = np.unique(np.concatenate([pred, succ]), return_inverse=True)
    before, after = ends[: len(pred)], ends[len(pred) :]
    cyclic = cyclic_nodes(len(nodes), before, after)
    if cyclic.any() and not keep:
        members = ", ".join(str(task) for task in nodes[cyclic][:4].tolist())
        more = ", …" if int(cyclic.sum()) > 4 else ""
        raise InputError(
            path,
            f"edges form a cycle through {int(cyclic.sum())} tasks ({members}{more}), so no order "
            "of execution exists; --keep-damaged imports them flagged",
        )
    on_cycle = cyclic[before] & cyclic[after] if len(pred) else np.zeros(0, bool)
    return on_cycle.astype(np.int32) * EdgeFlag.CYCLIC


def kernel_on(graph: Graph, at: Array, cube: Array) -> tuple[Array, Array, Array]:
    """What the graph declares of each task row: its function, if that is ambiguous, if it is MIX.

    `at` is the row's place in the graph or -1; `cube` is true where it ran on a cube core. A vector
    core may run the function of aiv0 or of aiv1, and the records do not say which: the first active
    one is taken, as the runtime's own tools do.
    """
    declared = at >= 0
    own, first, second = (kernels[at] for kernels in graph.kernels)
    known = declared & (own != MISSING32)
    vector = np.where(first >= 0, first, second)
    func = np.where(cube, own, vector)
    func = np.where(known & (func >= 0), func, MISSING32)
    both = (first >= 0) & (second >= 0)
    mix = declared & (own >= 0) & ((first >= 0) | (second >= 0))
    return func, known & both & (first != second) & ~cube, mix
