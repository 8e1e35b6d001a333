"""A persistent matrix product in Triton, recorded: python examples/triton/persistent.py

A CTA per SM; tiles come through tensor descriptors (TMA where the GPU has it). Needs PyTorch and a
GPU. With --compile-only it needs neither, and says what recording adds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import triton
import triton.language as tl
from ahead import compare

import lanescope
import lanescope.cuda
import lanescope.triton as ls

ROWS, COLUMNS, DEPTH = 128, 128, 64
OPTIONS = {"num_warps": 8, "num_stages": 3}
ARGUMENTS = {
    "a": f"tensordesc<fp16[{ROWS},{DEPTH}]>",
    "b": f"tensordesc<fp16[{DEPTH},{COLUMNS}]>",
    "c": f"tensordesc<fp16[{ROWS},{COLUMNS}]>",
    **dict.fromkeys(("m", "n", "k"), "i32:16"),
    **dict.fromkeys(("tile", "multiply", "store"), "i32"),
    "ROWS": ROWS,
    "COLUMNS": COLUMNS,
    "DEPTH": DEPTH,
}


@triton.jit(do_not_specialize=["tile", "multiply", "store", "handle"])
def persistent(
    a,
    b,
    c,
    m,
    n,
    k,
    tile,
    multiply,
    store,
    handle,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
):
    """c = a @ b; a CTA takes every so many-th tile."""
    lane = ls.per_block(handle)
    across = tl.cdiv(n, COLUMNS)
    for number in range(tl.program_id(0), tl.cdiv(m, ROWS) * across, tl.num_programs(0)):
        ls.begin(lane, number, tile)
        row, column = number // across * ROWS, number % across * COLUMNS
        stage = ls.mark(lane, multiply)
        total = tl.zeros((ROWS, COLUMNS), tl.float32)
        for depth in range(0, k, DEPTH):
            total = tl.dot(a.load([row, depth]), b.load([depth, column]), total)
        ls.done(lane, stage)
        stage = ls.mark(lane, store)
        c.store([row, column], total.to(tl.float16))
        ls.done(lane, stage)
        ls.end(lane)
    ls.close(lane)


class Product:
    """Two random matrices, and their product by the kernel above."""

    def __init__(self, size: int) -> None:
        import torch

        self.size = size
        shape = (size, size)
        self.a, self.b = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(2))
        self.units = torch.cuda.get_device_properties(0).multi_processor_count
        self.tiles = triton.cdiv(size, ROWS) * triton.cdiv(size, COLUMNS)

    def launch(self, ids: tuple[int, int, int], handle: int | None) -> Any:
        import torch
        from triton.tools.tensor_descriptor import TensorDescriptor

        c, n = torch.empty_like(self.a), self.size
        blocks = ([ROWS, DEPTH], [DEPTH, COLUMNS], [ROWS, COLUMNS])
        described = [
            TensorDescriptor.from_tensor(matrix, block)
            for matrix, block in zip((self.a, self.b, c), blocks, strict=True)
        ]
        persistent[(min(self.units, self.tiles),)](
            *(*described, n, n, n, *ids, handle, ROWS, COLUMNS, DEPTH),
            extern_libs=ls.extern_libs(),
            **OPTIONS,
        )
        return c


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of each matrix")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("persistent.lanes"))
    args = parser.parse_args()
    if args.compile_only:
        return compare(persistent, ARGUMENTS, **OPTIONS)
    product = Product(args.size)
    plain = product.launch((0, 0, 0), None)
    with lanescope.cuda.record(core_swimlane=True, name="persistent") as rec:
        ids = (rec.function("tile"), rec.mark("multiply"), rec.mark("store"))
        recorded = product.launch(ids, rec.handle)
    assert (plain == recorded).all(), "recording changed the product"
    lanescope.save(rec.trace, args.output)
    found = f"{len(rec.trace.tasks)} of {product.tiles} tiles, {len(rec.trace.marks)} marks"
    print(f"{args.output}: {found}")


if __name__ == "__main__":
    main()
