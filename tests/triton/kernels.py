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
