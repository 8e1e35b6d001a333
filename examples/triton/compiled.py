"""A Triton kernel in a function of torch.compile, recorded: python examples/triton/compiled.py

The kernel is launched by an operator of its own, which the compiler leaves whole. The handle lies
in GPU memory, so that the function is compiled once, and its CUDA graph (--mode reduce-overhead)
serves every recording. Needs PyTorch and a GPU.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

import lanescope
import lanescope.cuda
import lanescope.triton as ls

BLOCK = 1024
FUNC = 0
"""A CUDA graph keeps this number: every recording names its functions in the same order."""


@triton.jit
def gate(x, y, out, blocks, func, handle_at, BLOCK: tl.constexpr):
    """out = silu(x) * y"""
    lane = ls.per_block(tl.load(handle_at))
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        ls.begin(lane, block, func)
        at = block * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + at).to(tl.float32)
        tl.store(out + at, value * tl.sigmoid(value) * tl.load(y + at))
        ls.end(lane)
    ls.close(lane)


@torch.library.custom_op("lanescope_example::gated", mutates_args=())
def gated(x: torch.Tensor, y: torch.Tensor, handle_at: torch.Tensor) -> torch.Tensor:
    """Launch the kernel: a CTA per SM, a task per block."""
    out = torch.empty_like(x)
    ctas = torch.cuda.get_device_properties(x.device).multi_processor_count
    given = (x, y, out, x.numel() // BLOCK, FUNC, handle_at, BLOCK)
    gate[(ctas,)](*given, extern_libs=ls.extern_libs())
    return out


@gated.register_fake
def _(x: torch.Tensor, y: torch.Tensor, handle_at: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def layer(x: Any, up: Any, down: Any, handle_at: Any) -> Any:
    """A block of a language model: two products, the gate, and a product."""
    first, second = (x @ up).chunk(2, 1)
    return gated(first.contiguous(), second.contiguous(), handle_at) @ down


class Layer:
    """The function above, compiled, with random weights."""

    def __init__(self, rows: int, width: int, mode: str = "default") -> None:
        shapes = (rows, width), (width, 4 * width), (2 * width, width)
        self.given = [
            torch.randn(shape, device="cuda", dtype=torch.float16) / shape[1] ** 0.5
            for shape in shapes
        ]
        self.handle_at = torch.zeros(1, dtype=torch.int64, device="cuda")
        self.tasks = rows * 2 * width // BLOCK
        self.compiled = torch.compile(layer, fullgraph=True, mode=mode)
        for _ in range(3):  # compiled, captured where the mode does that, replayed
            self.run()

    def run(self) -> Any:
        """The layer's result, which nobody overwrites."""
        return self.compiled(*self.given, self.handle_at).clone()

    def recorded(self, rounds: int) -> tuple[lanescope.Trace, Any]:
        """A trace of so many rounds, and the result of the last one."""
        with lanescope.cuda.record(name="compiled") as rec:
            assert rec.function("gate") == FUNC
            self.handle_at.fill_(rec.handle)
            results = [self.run() for _ in range(rounds)]
            self.handle_at.zero_()  # before the handle's memory goes
        return rec.trace, results[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=2048)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--mode", choices=("default", "reduce-overhead"), default="default")
    parser.add_argument("-o", "--output", type=Path, default=Path("compiled.lanes"))
    args = parser.parse_args()
    model = Layer(args.rows, args.width, args.mode)
    plain = model.run()
    trace, recorded = model.recorded(args.rounds)
    assert torch.equal(plain, recorded), "recording changed the result"
    lanescope.save(trace, args.output)
    tasks = args.rounds * model.tasks
    print(f"{args.output}: {len(trace.tasks)} of {tasks} tasks, {args.rounds} rounds")


if __name__ == "__main__":
    main()
