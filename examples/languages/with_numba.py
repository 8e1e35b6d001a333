"""A Numba CUDA kernel, recorded: python examples/languages/with_numba.py -o numba.lanes

Numba compiles lanescope's C functions with NVRTC and links them into the kernel; with nvjitlink
they are inlined. Needs numba-cuda and a GPU. With --compile-only it needs numba-cuda, NVRTC and
nvjitlink, and writes the machine code for sm_90.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, cuda, types

import lanescope
import lanescope.cuda

config.CUDA_NVRTC_EXTRA_SEARCH_PATHS = str(lanescope.include_directory())
CALLS = cuda.CUSource(
    '#define LS_CALL extern "C" __device__\n#include <lanescope/calls.cuh>\n', name="lanescope.cu"
)
THREADS = 128


def call(name: str, signature: str) -> Any:
    """A function of calls.cuh, for kernels."""
    return cuda.declare_device(f"lanescope_{name}", signature, link=CALLS, abi="c")


per_block = call("per_block", "uint32(uint64)")
begin = call("begin", "uint32(uint32, uint32, uint32)")
end = call("end", "uint32(uint32)")
mark = call("mark", "uint64(uint32, uint32)")
done = call("done", "uint32(uint32, uint64)")
close = call("close", "uint32(uint32)")


def scale(x, out, func, load, handle):
    """out = 2 * x; a CTA takes every so many-th block, a task each."""
    part = cuda.shared.array(THREADS, types.float32)
    lane = per_block(handle)
    for block in range(cuda.blockIdx.x, x.size // THREADS, cuda.gridDim.x):
        begin(lane, block, func)
        at = block * THREADS + cuda.threadIdx.x
        stage = mark(lane, load)
        part[cuda.threadIdx.x] = x[at]
        cuda.syncthreads()
        done(lane, stage)
        out[at] = 2 * part[cuda.threadIdx.x]
        end(lane)
    close(lane)


def machine_code(arch: tuple[int, int] = (9, 0)) -> bytes:
    """A cubin of the kernel, made without a GPU."""
    from cuda.core import Linker, LinkerOptions, ObjectCode

    array, number = types.float32[::1], types.uint32
    signature = types.void(array, array, number, number, types.uint64)
    parts, _ = cuda.compile_all(scale, signature, device=False, abi="numba", cc=arch)
    codes = [part if isinstance(part, bytes) else part.code for part in parts]
    options = LinkerOptions(arch="sm_{}{}".format(*arch), link_time_optimization=True)
    linked = Linker(*map(ObjectCode.from_ltoir, codes), options=options).link("cubin")
    return bytes(linked.code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=10_000)
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("numba.lanes"))
    args = parser.parse_args()
    if args.compile_only:
        args.output.write_bytes(machine_code())
        return print(f"{args.output}: {args.output.stat().st_size:,} bytes")
    kernel = cuda.jit(scale)
    x = cuda.to_device(np.arange(args.blocks * THREADS, dtype=np.float32))
    out = cuda.device_array_like(x)
    with lanescope.cuda.record(core_swimlane=True, name="numba") as rec:
        given = (np.uint32(rec.function("scale")), np.uint32(rec.mark("load")))
        ctas = rec.gpu.multiprocessors
        kernel[ctas, THREADS](x, out, *given, np.uint64(rec.handle))
    assert np.array_equal(out.copy_to_host(), 2 * x.copy_to_host())
    lanescope.save(rec.trace, args.output)
    print(f"{args.output}: {len(rec.trace.tasks)} of {args.blocks} tasks")


if __name__ == "__main__":
    main()
