"""A Gluon kernel whose warps have different work, each partition with a lane of its own."""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

import lanescope.triton as ls


@gluon.jit
def partition(out, tasks, func, handle, PIPE: gl.constexpr):
    lane = ls.per_partition(handle, PIPE)
    for task in range(gl.program_id(0), tasks, gl.num_programs(0)):
        ls.begin(lane, task, func)
        gl.store(out + task, PIPE)
        ls.end(lane)
    ls.close(lane)


@gluon.jit
def first(out, tasks, func, handle):
    partition(out, tasks, func, handle, 0)


@gluon.jit
def second(out, tasks, func, handle):
    partition(out, tasks, func, handle, 1)


@gluon.jit
def third(out, tasks, func, handle):
    partition(out, tasks, func, handle, 2)


@gluon.jit
def specialised(out, tasks, func, handle):
    given = (out, tasks, func, handle)
    gl.warp_specialize([(first, given), (second, given), (third, given)], [1, 2], [48, 48])
