"""What Triton's Proton costs on the work of cuda_record.py, 4 × 64 dependent multiply-adds.

    python -m benchmarks.cuda_proton

Needs PyTorch and Triton with Proton. One warp per program; cycles are read inside the kernel.
"""

from __future__ import annotations

import json
import time
from typing import Any

import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.language as pl

CHAIN = tl.constexpr("{ mov.f32 $0,$1;" + "fma.rn.f32 $0,$0,$2,$3;" * 64 + "}")
CLOCK = tl.constexpr("mov.u64 $0, %clock64;")
TASKS, ROUNDS = 2000, 5
MODES: dict[str, dict[str, Any]] = {
    "shared": {},
    "shared clock32": {"optimizations": "clock32"},
    "global": {"buffer_type": "global", "buffer_size": 65536},
    "global clock32": {
        "buffer_type": "global",
        "buffer_size": 65536,
        "optimizations": "clock32",
    },
}


@triton.jit
def work(value, a, b):
    for _ in range(4):
        value = tl.inline_asm_elementwise(
            CHAIN, "=f,f,f,f", [value, a, b], dtype=tl.float32, is_pure=False, pack=1
        )
    return value


@triton.jit
def tasks(out, cycles, count, SCOPES: tl.constexpr):
    a = tl.full((32,), 1.000001, tl.float32)
    b = tl.full((32,), 0.5, tl.float32)
    value = tl.arange(0, 32).to(tl.float32)
    begun = tl.inline_asm_elementwise(CLOCK, "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    for _ in range(count):
        if SCOPES:
            pl.enter_scope("task")
        value = work(value, a, b)
        if SCOPES:
            pl.exit_scope("task")
    ended = tl.inline_asm_elementwise(CLOCK, "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    tl.store(out + tl.program_id(0) * 32 + tl.arange(0, 32), value)
    tl.store(cycles + tl.program_id(0), ended - begun)


def timed(grid: int, scopes: bool) -> tuple[float, float]:
    """Cycles per task of the slowest program, and a launch's wall time in ms; both the best."""
    out = torch.zeros(grid * 32, device="cuda")
    cycles = torch.zeros(grid, dtype=torch.int64, device="cuda")
    found, walls = [], []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        tasks[(grid,)](out, cycles, TASKS, SCOPES=scopes, num_warps=1)
        torch.cuda.synchronize()
        walls.append(time.perf_counter() - begun)
        found.append(cycles.max().item() / TASKS)
    return min(found), min(walls) * 1e3


def main() -> None:
    pl.enable_semantic("triton")
    figures = {}
    for grid in (8, torch.cuda.get_device_properties(0).multi_processor_count):
        off, wall_off = timed(grid, scopes=False)
        for name, options in MODES.items():
            mode = proton.mode.Default(**options)
            proton.start("/tmp/proton", data="trace", backend="instrumentation", mode=mode)
            on, wall = timed(grid, scopes=True)
            proton.finalize()
            figures[f"{name} grid={grid}"] = {
                "off_cycles": round(off, 1),
                "added_cycles": round(on - off, 1),
                "wall_off_ms": round(wall_off, 3),
                "wall_ms": round(wall, 3),
            }
    print(json.dumps({"proton": figures}, indent=1))


if __name__ == "__main__":
    main()
