"""A CuTe DSL kernel, recorded: python examples/languages/with_cute.py -o cute.lanes

CuTe DSL links LLVM bitcode into kernels: the functions that Triton links, too. Needs
nvidia-cutlass-dsl, llvmlite and a GPU. With --compile-only it needs no GPU, and writes the machine
code for sm_90.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import cutlass
import cutlass.cute as cute
import llvmlite.binding as llvm
from cutlass.cute.ffi import BitCode

import lanescope
import lanescope.cuda

IR = Path(lanescope.__file__).parent / "triton" / "record.ll"
FOLDER = tempfile.TemporaryDirectory()
FUNCTIONS = Path(FOLDER.name) / "record.bc"
FUNCTIONS.write_bytes(llvm.parse_assembly(IR.read_text()).as_bitcode())
SOURCE = BitCode(str(FUNCTIONS))
THREADS = 128
Word, Long, Number = cutlass.Uint32, cutlass.Uint64, cutlass.Int32


def call(name: str, returns: Any, *takes: Any) -> Any:
    """A function of calls.cuh, for kernels."""
    return cute.ffi(
        name=f"lanescope_{name}", params_types=[*takes], return_type=returns, source=SOURCE
    )


per_block = call("per_block", Word, Long)
begin = call("begin", Word, Word, Word, Word)
end = call("end", Word, Word)
mark = call("mark", Long, Word, Word)
done = call("done", Word, Word, Long)
close = call("close", Word, Word)


@cute.kernel
def scale(x: cute.Tensor, out: cute.Tensor, blocks: Number, func: Word, load: Word, handle: Long):
    """out = 2 * x; a CTA takes every so many-th block, a task each."""
    cta, ctas = cute.arch.block_idx()[0], cute.arch.grid_dim()[0]
    thread = cute.arch.thread_idx()[0]
    lane = per_block(handle)
    for block in range(cta, blocks, ctas):
        begin(lane, Word(block), func)
        stage = mark(lane, load)
        value = x[block * THREADS + thread]
        done(lane, stage)
        out[block * THREADS + thread] = 2 * value
        end(lane)
    close(lane)


@cute.jit
def launch(
    x: cute.Tensor,
    out: cute.Tensor,
    blocks: Number,
    ctas: Number,
    func: Word,
    load: Word,
    handle: Long,
):
    given = (x, out, blocks, func, load, handle)
    scale(*given).launch(grid=(ctas, 1, 1), block=(THREADS, 1, 1))


def machine_code(arch: str = "sm_90a") -> bytes:
    """A cubin of the kernel, made without a GPU."""
    from cutlass.cute.runtime import make_fake_compact_tensor

    array = make_fake_compact_tensor(cutlass.Float32, (cute.sym_int(divisibility=THREADS),))
    numbers = (Number(0), Number(1), Word(0), Word(0), Long(0))
    options = f"--gpu-arch {arch} --keep-cubin --dump-dir {FOLDER.name}"
    compiled = cute.compile(launch, array, array, *numbers, options=options)
    return bytes(compiled.artifacts.CUBIN)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=10_000)
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("cute.lanes"))
    args = parser.parse_args()
    if args.compile_only:
        args.output.write_bytes(machine_code())
        return print(f"{args.output}: {args.output.stat().st_size:,} bytes")
    import torch
    from cutlass.cute.runtime import from_dlpack

    x = torch.arange(args.blocks * THREADS, dtype=torch.float32, device="cuda")
    out = torch.zeros_like(x)
    arrays = [from_dlpack(each) for each in (x, out)]
    with lanescope.cuda.record(core_swimlane=True, name="cute") as rec:
        ids = (Word(rec.function("scale")), Word(rec.mark("load")))
        counts = (Number(args.blocks), Number(rec.gpu.multiprocessors))
        launch(*arrays, *counts, *ids, Long(rec.handle))
    assert torch.equal(out, 2 * x)
    lanescope.save(rec.trace, args.output)
    print(f"{args.output}: {len(rec.trace.tasks)} of {args.blocks} tasks")


if __name__ == "__main__":
    main()
