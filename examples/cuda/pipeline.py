"""Records a pipeline of load, compute and store warps, and says which of them the others wait for.

    python examples/cuda/pipeline.py --steps 400 -o pipeline.lanes

Needs a GPU and CuPy.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cupy
import numpy as np
from kernels import build, multiprocessors, wait

import lanescope
import lanescope.cuda
from lanescope import Trace

IDS = np.dtype([("load", "u4"), ("compute", "u4"), ("store", "u4"), ("wait", "u4")])
ROLES = ("load", "compute", "store")
PIECE = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pieces", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=400, help="how long a piece is computed")
    parser.add_argument("-o", "--output", type=Path, default=Path("pipeline.lanes"))
    args = parser.parse_args()
    kernel, cores = build("pipeline.cu", "pipeline"), multiprocessors()
    given = cupy.random.rand(args.pieces * PIECE, dtype=cupy.float32)
    out = cupy.full_like(given, cupy.nan)
    options = {"cores": cores, "pipes": ROLES, "core_swimlane": True, "name": "pipeline"}
    with lanescope.cuda.record(**options) as rec:
        ids = np.array((*(rec.function(role) for role in ROLES), rec.mark("wait")), IDS)
        numbers = (np.int32(args.pieces), np.int32(args.steps))
        kernel((cores,), (96,), (given, out, *numbers, ids, np.uint64(rec.handle)))
        wait()
    wanted = given.get()
    for _ in range(args.steps):
        wanted = wanted * np.float32(0.5) + np.float32(1)
    if not np.allclose(out.get(), wanted, rtol=1e-5):
        raise SystemExit("the result is wrong")
    lanescope.save(rec.trace, args.output)
    found = {
        "pieces": len(rec.trace.tasks) // 3,
        "edges": len(rec.trace.edges),
        "waiting_share": waiting(rec.trace),
    }
    print(json.dumps(found | {"trace": str(args.output)}, indent=1))


def waiting(trace: Trace) -> dict[str, float]:
    """Of the time between its first and its last mark, how much each role waited."""
    marks = trace.marks
    length = marks["end_ns"] - marks["start_ns"]
    codes = {trace.word(code): code for code in np.unique(marks["name"]).tolist()}
    shares = {}
    for code in np.unique(marks["pipe"]).tolist():
        of_pipe = marks["pipe"] == code
        waits = of_pipe & (marks["name"] == codes["wait"])
        span = int(marks["end_ns"][of_pipe].max() - marks["start_ns"][of_pipe].min())
        cores = len(np.unique(marks["core"][of_pipe]))
        shares[trace.word(code)] = round(float(length[waits].sum()) / (span * cores), 3)
    return shares


if __name__ == "__main__":
    main()
