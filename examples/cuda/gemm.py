"""Records a persistent GEMM and says where its time went.

    python examples/cuda/gemm.py --size 1024 -o gemm.lanes

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

IDS = np.dtype([("tile", "u4"), ("load", "u4"), ("multiply", "u4")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=1024, help="a multiple of 64")
    parser.add_argument("-o", "--output", type=Path, default=Path("gemm.lanes"))
    args = parser.parse_args()
    n, kernel = args.size, build("gemm.cu", "gemm")
    a, b = (cupy.random.rand(n, n, dtype=cupy.float32) for _ in range(2))
    c = cupy.full((n, n), cupy.nan, cupy.float32)
    with lanescope.cuda.record(cores=multiprocessors(), core_swimlane=True, name="gemm") as rec:
        ids = np.array((rec.function("tile"), rec.mark("load"), rec.mark("multiply")), IDS)
        kernel((multiprocessors(),), (256,), (a, b, c, np.int32(n), ids, np.uint64(rec.handle)))
        wait()
    wanted = a.get().astype(np.float64) @ b.get().astype(np.float64)
    error = float(np.linalg.norm(c.get() - wanted) / np.linalg.norm(wanted))
    trace = rec.trace
    lanescope.save(trace, args.output)
    length = trace.marks["end_ns"] - trace.marks["start_ns"]
    names = [trace.word(code) for code in trace.marks["name"].tolist()]
    load = int(length[np.array(names) == "load"].sum())
    tiles = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    print(
        json.dumps(
            {
                "relative_error": error,
                "tiles": len(trace.tasks),
                "marks": len(trace.marks),
                "tile_us": float(np.median(tiles)) / 1e3,
                "loading_share": load / int(tiles.sum()),
                "ledger_closes": all(entry.closes for entry in trace.meta.ledger),
                "trace": str(args.output),
            },
            indent=1,
        )
    )
    if not error < 1e-5:
        raise SystemExit("the product is wrong")


if __name__ == "__main__":
    main()
