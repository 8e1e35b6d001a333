"""A TileLang kernel, recorded: python examples/languages/with_tilelang.py -o tilelang.lanes

TileLang makes CUDA C++, which includes lanescope's C functions. Needs TileLang and a GPU. With
--compile-only it needs TileLang alone, and writes the CUDA C++ for sm_90.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import tilelang
import tilelang.language as T
from tilelang import tvm

import lanescope
import lanescope.cuda

TILE, DEPTH, THREADS = 128, 64, 128
# By itself TileLang gives loads to warps of their own on sm_90, and the thread that records is one
# of those: it would never see the end of a task.
OPTIONS = {"tl.disable_warp_specialized": True}


def called(kind: str, name: str, *given: Any) -> Any:
    return T.call_extern(kind, f"lanescope_{name}", *given)


def product(size: int) -> Any:
    """c = a @ b, a CTA and a task per tile; marks around the loop and around the store."""
    across = size // TILE

    @T.prim_func
    def matmul(
        a: T.Tensor((size, size), "float16"),
        b: T.Tensor((size, size), "float16"),
        c: T.Tensor((size, size), "float16"),
        tile: T.uint32,
        multiply: T.uint32,
        store: T.uint32,
        handle: T.uint64,
    ):
        with T.Kernel(
            across, across, threads=THREADS, prelude="#include <lanescope/calls.cuh>\n"
        ) as (column, row):
            left = T.alloc_shared((TILE, DEPTH), "float16")
            right = T.alloc_shared((DEPTH, TILE), "float16")
            total = T.alloc_fragment((TILE, TILE), "float32")
            lane = T.alloc_var("uint32")
            stage = T.alloc_var("uint64")
            lane = called("uint32", "per_block", handle)
            T.evaluate(called("uint32", "begin", lane, row * across + column, tile))
            stage = called("uint64", "mark", lane, multiply)
            T.clear(total)
            for step in T.Pipelined(size // DEPTH, num_stages=3):
                T.copy(a[row * TILE, step * DEPTH], left)
                T.copy(b[step * DEPTH, column * TILE], right)
                T.gemm(left, right, total)
            T.evaluate(called("uint32", "done", lane, stage))
            stage = called("uint64", "mark", lane, store)
            T.copy(total, c[row * TILE, column * TILE])
            T.evaluate(called("uint32", "done", lane, stage))
            T.evaluate(called("uint32", "end", lane))
            T.evaluate(called("uint32", "close", lane))

    return matmul


def cuda_source(size: int, arch: str = "sm_90") -> str:
    """The CUDA C++ of the kernel, made without a GPU."""
    target = tvm.target.Target({"kind": "cuda", "arch": arch})
    with target, tvm.transform.PassContext(config=OPTIONS):
        return str(tilelang.lower(product(size), target=target).kernel_source)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=2048, help="a multiple of 128")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("tilelang.lanes"))
    args = parser.parse_args()
    if args.compile_only:
        args.output.write_text(cuda_source(args.size))
        return print(f"{args.output}: {args.output.stat().st_size:,} bytes")
    import torch

    include = f"-I{lanescope.include_directory()}"
    kernel = tilelang.compile(product(args.size), pass_configs=OPTIONS, compile_flags=[include])
    shape = (args.size, args.size)
    a, b = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(2))
    plain, recorded = torch.empty_like(a), torch.empty_like(a)
    kernel(a, b, plain, 0, 0, 0, 0)
    tiles = (args.size // TILE) ** 2
    with lanescope.cuda.record(cores=tiles, core_swimlane=True, buffers=2, name="tilelang") as rec:
        ids = (rec.function("tile"), rec.mark("multiply"), rec.mark("store"))
        kernel(a, b, recorded, *ids, rec.handle)
    assert torch.equal(plain, recorded), "recording changed the product"
    lanescope.save(rec.trace, args.output)
    print(f"{args.output}: {len(rec.trace.tasks)} of {tiles} tiles, {len(rec.trace.marks)} marks")


if __name__ == "__main__":
    main()
