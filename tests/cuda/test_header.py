"""lanescope/cuda.cuh: compiles for several GPUs, and off it leaves not one instruction behind."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

KERNEL = """
#if PLAIN
#include <stdint.h>
#define RECORD(...)
#else
#include <lanescope/cuda.cuh>
#define RECORD(...) __VA_ARGS__
#endif

extern "C" __global__ void kernel(const float *in, float *out, int n, uint64_t handle)
{
    __shared__ float part[128];
    RECORD(lanescope::Lane lane = lanescope::per_block(handle);)
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        RECORD(lane.begin(i, 3);)
        {
            RECORD(lanescope::Range load(lane, 1);)
            part[threadIdx.x] = in[i * 128 + threadIdx.x];
            __syncthreads();
        }
        RECORD(lanescope::Mark mark = lane.mark(2);)
        out[i * 128 + threadIdx.x] = part[127 - threadIdx.x] * 2.0f;
        __syncthreads();
        RECORD(lane.done(mark);)
        RECORD(lane.end();)
    }
    RECORD(lane.close();)
}
"""


def compiled(source: Path, target: Path, *words: str) -> bytes:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    command = [nvcc, "-std=c++17", "-arch=sm_90", "-I", str(ROOT / "native/include"), *words]
    done = subprocess.run(
        [*command, "-cubin", str(source), "-o", str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return target.read_bytes()


def sections(cubin: bytes) -> dict[str, tuple[int, int]]:
    """Where each section of an ELF file begins, and its size."""
    table, size, count, names = struct.unpack_from("<Q10xHHH", cubin, 40)
    found = [struct.unpack_from("<II16xQQ", cubin, table + i * size) for i in range(count)]
    base = found[names][2]
    texts = (cubin[base + name : cubin.index(b"\0", base + name)] for name, *_ in found)
    return {text.decode(): each[2:] for text, each in zip(texts, found, strict=True)}


def machine_code(cubin: bytes, function: str) -> bytes:
    """The section .text.FUNCTION of an ELF file."""
    offset, length = sections(cubin)[f".text.{function}"]
    return cubin[offset : offset + length]


CALLS = """
#if PLAIN
#define RECORD(...)
#else
#include <lanescope/calls.cuh>
#define RECORD(...) __VA_ARGS__
#endif

extern "C" __global__ void kernel(const float *in, float *out, int n, unsigned long long handle)
{
    __shared__ float part[128];
    RECORD(unsigned lane = lanescope_per_block(handle);)
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        RECORD(lanescope_begin(lane, i, 3); unsigned long long load = lanescope_mark(lane, 1);)
        part[threadIdx.x] = in[i * 128 + threadIdx.x];
        __syncthreads();
        RECORD(lanescope_done(lane, load); lanescope_send(lane, i); lanescope_receive(lane, i);)
        out[i * 128 + threadIdx.x] = part[127 - threadIdx.x] * 2.0f;
        __syncthreads();
        RECORD(lanescope_end(lane);)
    }
    RECORD(lanescope_close(lane);)
}
"""


@pytest.mark.parametrize("text", [KERNEL, CALLS], ids=["cuda.cuh", "calls.cuh"])
def test_off_is_the_same_machine_code(text: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(text)
    plain, off, on = (
        machine_code(compiled(source, tmp_path / f"{number}.cubin", *words), "kernel")
        for number, words in enumerate((["-DPLAIN=1"], ["-DLS_RECORDING=0"], []))
    )
    assert len(plain) > 0
    assert off == plain
    assert on != plain


@pytest.mark.parametrize("file", ["gemm.cu", "pipeline.cu", "server.cu", "persistent.cu"])
def test_the_examples_compile(file: str, tmp_path: Path) -> None:
    compiled(ROOT / "examples/cuda" / file, tmp_path / "example.cubin")


def test_the_kernels_of_the_gpu_tests_and_benchmarks_compile(tmp_path: Path) -> None:
    compiled(ROOT / "tests/cuda/kernels.cu", tmp_path / "tests.cubin")
    compiled(ROOT / "tests/cuda/calls.cu", tmp_path / "calls.cubin")
    compiled(ROOT / "benchmarks/cuda_record.cu", tmp_path / "cost.cubin", "-DCTA=1", "-DLOOP=1")


def test_calls_are_functions_for_a_linker(tmp_path: Path) -> None:
    source = tmp_path / "calls.cu"
    source.write_text('#define LS_CALL extern "C" __device__\n#include <lanescope/calls.cuh>\n')
    found = compiled(source, tmp_path / "calls.cubin", "-rdc=true")
    for name in ("per_block", "per_thread", "per_partition", "per_warp", "begin", "end", "mark"):
        assert len(machine_code(found, f"lanescope_{name}")) > 0
