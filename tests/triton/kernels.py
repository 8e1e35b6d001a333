"""Small Triton kernels for the tests."""

from __future__ import annotations

import triton
import triton.language as tl

import lanescope.triton as ls


@triton.jit
def work(out, tasks, func, outer, inner, handle):
    lane = ls.per_block(handle)
    for task in range(tl.program_id(0), tasks, tl.num_programs(0)):
        ls.begin(lane, task, func + task % 2)
        whole = ls.mark(lane, outer)
        if task >= tl.num_programs(0):
            ls.receive(lane, task - tl.num_programs(0))
        part = ls.mark(lane, inner)
        tl.store(out + task, 1000 + task % 7)
        ls.done(lane, part)
        tl.store(out + task, 100)
        ls.done(lane, whole)
        ls.send(lane, task)
        ls.end(lane)
    ls.close(lane)


@triton.jit
def warps(handle, func):
    lane = ls.per_warp(handle)
    ls.begin(lane, tl.program_id(0), func)
    ls.end(lane)
    ls.close(lane)


@triton.jit
def plain_sum(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + at, at < n, 0.0))
    tl.store(out + tl.program_id(0), total)


@triton.jit
def recorded_sum(x, out, n, handle, BLOCK: tl.constexpr):
    lane = ls.per_block(handle)
    ls.begin(lane, tl.program_id(0), 3)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    load = ls.mark(lane, 4)
    total = tl.sum(tl.load(x + at, at < n, 0.0))
    ls.done(lane, load)
    tl.store(out + tl.program_id(0), total)
    ls.send(lane, 5)
    ls.receive(lane, 6)
    ls.end(lane)
    ls.close(lane)


@triton.jit
def block_of_tasks(handle):
    ls.begin(ls.per_block(handle), tl.arange(0, 16), 0)


@triton.jit
def work_from(out, tasks, func, handle_at):
    """Tasks whose handle lies in memory, as CUDA graphs need it."""
    lane = ls.per_block(tl.load(handle_at))
    for task in range(tl.program_id(0), tasks, tl.num_programs(0)):
        ls.begin(lane, task, func)
        tl.store(out + task, task + 1)
        ls.end(lane)
    ls.close(lane)


@triton.jit
def warp_specialised(x, out, tasks, func, handle, BLOCK: tl.constexpr):
    """Triton makes partitions of this loop by itself, on GPUs where it can."""
    lane = ls.per_block(handle)
    for task in tl.range(tl.program_id(0), tasks, tl.num_programs(0), warp_specialize=True):
        ls.begin(lane, task, func)
        at = task * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, 2 * tl.load(x + at))
        ls.end(lane)
    ls.close(lane)


CHAIN = tl.constexpr("{ mov.f32 $0, $1;" + "fma.rn.f32 $0, $0, $2, $3;" * 64 + "}")


@triton.jit
def chain(out, tasks, func, handle):
    """Tasks of 256 dependent multiply-adds each, as `chain` of tests/cuda/kernels.cu has them."""
    lane = ls.per_block(handle)
    a = tl.full((32,), 1.000001, tl.float32)
    b = tl.full((32,), 0.5, tl.float32)
    value = tl.arange(0, 32).to(tl.float32)
    for task in range(tl.program_id(0), tasks * tl.num_programs(0), tl.num_programs(0)):
        ls.begin(lane, task, func)
        for _ in range(4):
            value = tl.inline_asm_elementwise(
                CHAIN, "=f,f,f,f", [value, a, b], dtype=tl.float32, is_pure=False, pack=1
            )
        ls.end(lane)
    tl.store(out + tl.program_id(0) * 32 + tl.arange(0, 32), value)
    ls.close(lane)
