"""What recording adds to Triton kernels: a task per tile and a mark per stage of it.

    python -m benchmarks.cuda_triton --rounds 30

Kernels of examples/triton, launched in turn without recording, with handle 0 and recorded. The exit
code is 1 where recording adds more than 2 %, changes a result or loses a task. Needs PyTorch and a
GPU.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import lanescope.cuda

MOST_PERCENT = 2.0
sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "triton"))


def timed(job: Any, ids: tuple[int, int, int], handle: int | None) -> tuple[float, Any]:
    """Milliseconds of a launch on the GPU's clock, and its result."""
    import torch

    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begun.record()
    result = job.launch(ids, handle)
    ended.record()
    torch.cuda.synchronize()
    return float(begun.elapsed_time(ended)), result


def measure(job: Any, rounds: int) -> dict[str, Any]:
    """Medians over launches that take turns; those before the first are not counted."""
    times: dict[str, list[float]] = {"off": [], "handle 0": [], "recorded": []}
    with lanescope.cuda.record(core_swimlane=True) as rec:
        ids = (rec.function("tile"), rec.mark("main"), rec.mark("store"))
        handles = {"off": None, "handle 0": 0, "recorded": rec.handle}
        wanted, equal = job.launch(ids, None), True
        for number in range(rounds + 1):
            for name, handle in handles.items():
                took, result = timed(job, ids, handle)
                equal &= bool((result == wanted).all())
                times[name] += [took] if number else []
    medians = {name: statistics.median(each) for name, each in times.items()}
    return {
        **{f"{name} ms": round(value, 4) for name, value in medians.items()},
        "handle 0 adds %": round(100 * (medians["handle 0"] / medians["off"] - 1), 2),
        "recording adds %": round(100 * (medians["recorded"] / medians["off"] - 1), 2),
        "tasks": len(rec.trace.tasks),
        "all tasks": len(rec.trace.tasks) == job.tiles * (rounds + 1),
        "results equal": equal,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--size", type=int, default=8192, help="of the matrices")
    parser.add_argument("--tokens", type=int, default=8192)
    args = parser.parse_args()
    from attention import Heads
    from persistent import Product

    figures = {
        "persistent": measure(Product(args.size), args.rounds),
        "attention": measure(Heads(32, args.tokens), args.rounds),
    }
    print(json.dumps(figures, indent=1))
    good = [
        each["recording adds %"] <= MOST_PERCENT and each["all tasks"] and each["results equal"]
        for each in figures.values()
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
