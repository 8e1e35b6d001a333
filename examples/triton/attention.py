"""Fused attention in Triton, recorded: python examples/triton/attention.py -o attention.lanes

A task is the queries of one block of one head; its marks are the pass over all keys, and the store.
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

QUERIES, KEYS, WIDTH = 128, 64, 128
OPTIONS = {"num_warps": 8, "num_stages": 3}
ARGUMENTS = {
    **dict.fromkeys(("q", "k", "v", "out"), "*fp16:16"),
    "heads": "i32",
    "tokens": "i32:16",
    "scale": "fp32",
    **dict.fromkeys(("block", "keys", "store"), "i32"),
    "QUERIES": QUERIES,
    "KEYS": KEYS,
    "WIDTH": WIDTH,
}


@triton.jit(do_not_specialize=["block", "keys", "store", "handle"])
def attention(
    q,
    k,
    v,
    out,
    heads,
    tokens,
    scale,
    block,
    keys,
    store,
    handle,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    """out = softmax(q @ k.T * scale) @ v for every head; arrays are heads × tokens × WIDTH."""
    lane = ls.per_block(handle)
    per_head = tokens // QUERIES
    for number in range(tl.program_id(0), heads * per_head, tl.num_programs(0)):
        ls.begin(lane, number, block)
        stage = ls.mark(lane, keys)
        head = number // per_head * tokens * WIDTH
        across = tl.arange(0, WIDTH)
        rows = number % per_head * QUERIES + tl.arange(0, QUERIES)
        some = tl.arange(0, KEYS)
        query = tl.load(q + head + rows[:, None] * WIDTH + across[None, :])
        columns = k + head + some[None, :] * WIDTH + across[:, None]
        values = v + head + some[:, None] * WIDTH + across[None, :]
        largest = tl.full((QUERIES,), float("-inf"), tl.float32)
        total = tl.zeros((QUERIES,), tl.float32)
        mixed = tl.zeros((QUERIES, WIDTH), tl.float32)
        for _ in range(0, tokens, KEYS):
            scores = tl.dot(query, tl.load(columns)) * (scale * 1.4426950408889634)
            higher = tl.maximum(largest, tl.max(scores, 1))
            weights = tl.exp2(scores - higher[:, None])
            shrink = tl.exp2(largest - higher)
            total = total * shrink + tl.sum(weights, 1)
            mixed = tl.dot(weights.to(tl.float16), tl.load(values), mixed * shrink[:, None])
            largest = higher
            columns += KEYS * WIDTH
            values += KEYS * WIDTH
        ls.done(lane, stage)
        stage = ls.mark(lane, store)
        place = out + head + rows[:, None] * WIDTH + across[None, :]
        tl.store(place, (mixed / total[:, None]).to(tl.float16))
        ls.done(lane, stage)
        ls.end(lane)
    ls.close(lane)


class Heads:
    """Random queries, keys and values, and their attention by the kernel above."""

    def __init__(self, heads: int, tokens: int) -> None:
        import torch

        self.heads, self.tokens = heads, tokens
        shape = (heads, tokens, WIDTH)
        self.arrays = [torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3)]
        self.units = torch.cuda.get_device_properties(0).multi_processor_count
        self.tiles = heads * (tokens // QUERIES)

    def launch(self, ids: tuple[int, int, int], handle: int | None) -> Any:
        import torch

        out = torch.empty_like(self.arrays[0])
        given = (*self.arrays, out, self.heads, self.tokens, WIDTH**-0.5, *ids, handle)
        attention[(min(self.units, self.tiles),)](
            *given, QUERIES, KEYS, WIDTH, extern_libs=ls.extern_libs(), **OPTIONS
        )
        return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=4096, help="a multiple of 128")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("attention.lanes"))
    args = parser.parse_args()
    if args.compile_only:
        return compare(attention, ARGUMENTS, **OPTIONS)
    heads = Heads(args.heads, args.tokens)
    plain = heads.launch((0, 0, 0), None)
    with lanescope.cuda.record(core_swimlane=True, name="attention") as rec:
        ids = (rec.function("block"), rec.mark("keys"), rec.mark("store"))
        recorded = heads.launch(ids, rec.handle)
    assert (plain == recorded).all(), "recording changed the result"
    lanescope.save(rec.trace, args.output)
    found = f"{len(rec.trace.tasks)} of {heads.tiles} tiles, {len(rec.trace.marks)} marks"
    print(f"{args.output}: {found}")


if __name__ == "__main__":
    main()
