"""Records a small region on the GPU that is there, for test_fixture.py; nothing drains it.

python -m tests.cuda.make_fixture tests/cuda/h200.region.xz
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import numpy as np
from tests.cuda.gpu import cupy, kernel, wait

import lanescope.cuda

CORES, TASKS = 3, 20


def main() -> None:
    sink = cupy().zeros(CORES * 64, np.float32)
    rec = lanescope.cuda.record(
        cores=CORES,
        pipes=("left", "right"),
        core_swimlane=True,
        buffer_records=16,
        buffers=8,
        name="fixture",
    )
    ids = [np.uint32(rec.function("even")), np.uint32(rec.mark("outer"))]
    rec.function("odd")
    ids.append(np.uint32(rec.mark("inner")))
    kernel("nested", 16)((CORES,), (64,), (np.uint32(TASKS), *ids, sink, np.uint64(rec.handle)))
    wait()
    region = rec._region
    region.mark_stopped()
    Path(sys.argv[1]).write_bytes(lzma.compress(bytes(region.memory.data), preset=9))


if __name__ == "__main__":
    main()
