"""Writes deps.json: a declared task per id that ran or is a barrier, and every edge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import msgspec

from lanescope.formats.simpler.shapes import runtime_of
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.schema import EdgeFlag, TaskFlag
from lanescope.trace.task_ids import unsigned


def write_deps(trace: Trace, file: IO[bytes], *, named: bool) -> None:
    """Write one object on one line; ids are quoted 64-bit numbers.

    `named` says by which runtime, as files do since September 2026.
    """
    runtime = msgspec.json.encode(runtime_of(trace)) if named else b""
    file.write(b'{"runtime":%s,"tasks":[' % runtime if named else b'{"tasks":[')
    for number, node in enumerate(_nodes(trace)):
        file.write((b"," if number else b"") + msgspec.json.encode(node))
    file.write(b'],"tensors":[],"edges":[')
    edges = trace.edges
    kinds = trace.text("edges", "kind")
    columns = (edges[name].tolist() for name in ("pred", "succ", "arg", "flags"))
    for number, (pred, succ, arg, flags, kind) in enumerate(zip(*columns, kinds, strict=True)):
        edge: dict[str, Any] = {"pred": str(unsigned(pred)), "succ": str(unsigned(succ))}
        if arg != MISSING32:
            edge["arg"] = arg
        if kind:
            edge["source"] = kind
        bits = ((EdgeFlag.WAIT, "wait"), (EdgeFlag.RETAIN, "retain"))
        edge["flags"] = [name for bit, name in bits if flags & bit]
        file.write((b"," if number else b"") + msgspec.json.encode(edge))
    file.write(b"]}\n")


def _nodes(trace: Trace) -> Iterator[dict[str, Any]]:
    """One declared task per id that ran or is a dummy, with its function per kind of core."""
    kind_of = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "kind"), strict=True))
    nodes: dict[int, dict[str, Any]] = {}
    names = ("task", "core", "func", "blocks", "flags")
    columns = (trace.tasks[name].tolist() for name in names)
    for task, core, func, blocks, flags, kind in zip(
        *columns, trace.text("tasks", "kind"), strict=True
    ):
        if task == MISSING or kind in ("alloc", "outside"):
            continue
        node = nodes.setdefault(task, _node(task, blocks, flags))
        if func != MISSING32:
            node["kernel_ids"][0 if kind_of.get(core) == "aic" else 1] = func
    yield from nodes.values()


def _node(task: int, blocks: int, flags: int) -> dict[str, Any]:
    node: dict[str, Any] = {
        "task_id": str(unsigned(task)),
        "scope": "manual" if flags & TaskFlag.MANUAL_SCOPE else "auto",
        "early_dispatch": bool(flags & TaskFlag.EARLY_DISPATCH),
        "kernel_ids": [-1, -1, -1],
    }
    if blocks != MISSING32:
        node["block_num"] = blocks
    return node | {"args": []}
