"""A matrix product in Triton, a CTA per tile, recorded: python examples/triton/matmul.py

Needs PyTorch and a GPU. With --compile-only it needs neither, and says what recording adds.
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

SHAPE = {"ROWS": 128, "COLUMNS": 128, "DEPTH": 64}
OPTIONS = {"num_warps": 8, "num_stages": 3}
ARGUMENTS = {
    **dict.fromkeys(("a", "b", "c"), "*fp16:16"),
    **dict.fromkeys(("m", "n", "k"), "i32:16"),
    **dict.fromkeys(("tile", "multiply", "store"), "i32"),
    **SHAPE,
}


@triton.jit(do_not_specialize=["tile", "multiply", "store", "handle"])
def matmul(
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
    """c = a @ b; sizes are multiples of a tile's."""
    lane = ls.per_block(handle)
    number = tl.program_id(0)
    ls.begin(lane, number, tile)
    stage = ls.mark(lane, multiply)
    across = n // COLUMNS
    rows = number // across * ROWS + tl.arange(0, ROWS)
    columns = number % across * COLUMNS + tl.arange(0, COLUMNS)
    depth = tl.arange(0, DEPTH)
    left = a + rows[:, None] * k + depth[None, :]
    right = b + depth[:, None] * n + columns[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(0, k, DEPTH):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += DEPTH
        right += DEPTH * n
    ls.done(lane, stage)
    stage = ls.mark(lane, store)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16))
    ls.done(lane, stage)
    ls.end(lane)
    ls.close(lane)


def launch(a: Any, b: Any, c: Any, ids: tuple[int, int, int], handle: int | None) -> None:
    (m, k), n = a.shape, b.shape[1]
    grid = (m // SHAPE["ROWS"] * (n // SHAPE["COLUMNS"]),)
    libraries = ls.extern_libs()
    matmul[grid](a, b, c, m, n, k, *ids, handle, **SHAPE, **OPTIONS, extern_libs=libraries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=2048, help="a multiple of 128")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("matmul.lanes"))
    args = parser.parse_args()
    if args.compile_only:
        return compare(matmul, ARGUMENTS, **OPTIONS)
    import torch

    a, b = (torch.randn(args.size, args.size, device="cuda", dtype=torch.float16) for _ in range(2))
    plain, recorded = torch.empty_like(a), torch.empty_like(a)
    launch(a, b, plain, (0, 0, 0), None)
    tiles = (args.size // SHAPE["ROWS"]) * (args.size // SHAPE["COLUMNS"])
    with lanescope.cuda.record(cores=tiles, core_swimlane=True, buffers=2, name="matmul") as rec:
        ids = (rec.function("tile"), rec.mark("multiply"), rec.mark("store"))
        launch(a, b, recorded, ids, rec.handle)
    assert torch.equal(plain, recorded), "recording changed the product"
    lanescope.save(rec.trace, args.output)
    print(f"{args.output}: {len(rec.trace.tasks)} of {tiles} tiles, {len(rec.trace.marks)} marks")


if __name__ == "__main__":
    main()
