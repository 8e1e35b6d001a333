"""Small Kineto files built by hand, by the keys that kineto's `output_json.cpp` writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lanescope.formats import import_trace
from lanescope.formats.json_file import map_file
from lanescope.formats.json_rows import TextSpan
from lanescope.formats.kineto.events import KinetoEvents, read_kineto_events
from lanescope.trace import Trace

BASE_NS = 1_790_857_026_000_000_000


def op(name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    """A row of a host thread."""
    return host("cpu_op", name, ts, dur, **args)


def host(cat: str, name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    tid = args.pop("tid", 100)
    given = {key.replace("_", " ") if key == "External_id" else key: v for key, v in args.items()}
    row = {"ph": "X", "cat": cat, "name": name, "pid": 100, "tid": tid, "ts": ts, "dur": dur}
    return {**row, "args": given}


def call(name: str, ts: float, dur: float, correlation: int, **args: Any) -> dict[str, Any]:
    """A call into the driver."""
    return host("cuda_runtime", name, ts, dur, correlation=correlation, **args)


def kernel(
    name: str, ts: float, dur: float, correlation: int, *, stream: int = 7, **args: Any
) -> dict[str, Any]:
    """A row of a stream of device 0."""
    cat = args.pop("cat", "kernel")
    place = {"device": 0, "stream": stream, "correlation": correlation}
    row = {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur}
    return {**row, "args": {**place, **args}}


def file(*rows: dict[str, Any], **head: Any) -> dict[str, Any]:
    """A whole file."""
    return {"schemaVersion": 1, "baseTimeNanoseconds": BASE_NS, **head, "traceEvents": list(rows)}


def read(folder: Path, content: Any, name: str = "a.json", **options: Any) -> Trace:
    """Write a file and import it."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return import_trace(path, **options)


def events(folder: Path, *rows: dict[str, Any] | str) -> KinetoEvents:
    """The columns of these rows; a text is a row as it stands in the file."""
    path = folder / "a.json"
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("[" + ",".join(texts) + "]")
    whole = map_file(path)
    return read_kineto_events(path, TextSpan(path, whole, whole))


SMALL = file(
    op("aten::mm", 10, 20, **{"External id": 1}),
    call("cudaLaunchKernel", 12, 5, 41, **{"External id": 1}),
    kernel("gemm", 20.125, 4.5, 41, **{"External id": 1, "grid": [2, 3, 4], "block": [128, 1, 1]}),
    kernel("Memcpy HtoD", 30, 2, 42, cat="gpu_memcpy", bytes=4096),
    kernel("Memset (Device)", 33, 1, 43, cat="gpu_memset", bytes=16),
)
