"""Records a kernel that serves requests until it is told to stop, and watches it meanwhile.

    python examples/cuda/server.py --seconds 2 -o server.lanes

Needs a GPU and CuPy.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from kernels import build, multiprocessors

import lanescope
import lanescope.cuda

MOST = 1_000_000


class Host:
    """The host's end of the queue. It writes on a stream beside the kernel's."""

    def __init__(self) -> None:
        self.words = cupy.zeros(4, cupy.uint32)
        self.requests = cupy.random.rand(MOST, dtype=cupy.float32)
        self.answers = cupy.full(MOST, cupy.nan, cupy.float32)
        self.queued = 0
        self._beside = cupy.cuda.Stream(non_blocking=True)
        self._out = cupy.cuda.alloc_pinned_memory(8)
        self._numbers: Any = np.frombuffer(self._out, np.uint32, 2)

    def queue(self, count: int) -> None:
        self.queued = min(self.queued + count, MOST)
        self._send(self.queued, 0)

    def stop(self) -> None:
        self._send(self.queued, 1)

    def _send(self, queued: int, stop: int) -> None:
        self._numbers[:] = (queued, stop)
        self.words[:2].data.copy_from_host_async(self._out.ptr, 8, self._beside)
        self._beside.synchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--steps", type=int, default=2_000, help="how long a request is computed")
    parser.add_argument("-o", "--output", type=Path, default=Path("server.lanes"))
    args = parser.parse_args()
    kernel, cores, host = build("server.cu", "server"), multiprocessors(), Host()
    watched = []
    with lanescope.cuda.record(cores=cores, name="server") as rec:
        func = np.uint32(rec.function("request"))
        arguments = (host.words, host.requests, host.answers, np.uint32(args.steps), func)
        kernel((cores,), (128,), (*arguments, np.uint64(rec.handle)))
        begun = time.perf_counter()
        while time.perf_counter() - begun < args.seconds:
            host.queue(2_000)
            time.sleep(0.01)
            watched.append(rec.live().records)
        before = time.perf_counter()
        host.stop()
        cupy.cuda.get_current_stream().synchronize()
        stopping = time.perf_counter() - before
    answers = host.answers[: host.queued].get()
    wanted = host.requests[: host.queued].get()
    for _ in range(args.steps):
        wanted = wanted * np.float32(0.5) + np.float32(1)
    if not np.allclose(answers, wanted, rtol=1e-5):
        raise SystemExit("an answer is wrong or missing")
    lanescope.save(rec.trace, args.output)
    length = rec.trace.tasks["end_ns"] - rec.trace.tasks["start_ns"]
    found = {
        "requests": host.queued,
        "recorded": len(rec.trace.tasks),
        "seen_while_it_ran": watched[-1],
        "stopping_ms": stopping * 1e3,
        "request_us": [float(np.percentile(length, q)) / 1e3 for q in (50, 99)],
        "trace": str(args.output),
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
