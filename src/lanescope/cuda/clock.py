"""Compares the GPU's clock with the host's: a kernel of one thread answers with its time."""

from __future__ import annotations

import mmap
import time
from contextlib import ExitStack
from ctypes import c_uint64
from dataclasses import dataclass

import numpy as np

from lanescope.cuda import driver
from lanescope.errors import LanescopeError

ROUNDS = 64
"""How often the host asks; the answer with the smallest error is used."""
_GIVE_UP_S = 2.0

PING = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry ping(.param .u64 mailbox, .param .u64 rounds)
{
    .reg .pred %p<4>;
    .reg .u64 %rd<8>;
    ld.param.u64 %rd0, [mailbox];
    ld.param.u64 %rd1, [rounds];
    mov.u64 %rd2, 1;
    mov.u64 %rd6, %globaltimer;
WAIT:
    mov.u64 %rd4, %globaltimer;
    sub.u64 %rd7, %rd4, %rd6;
    setp.gt.u64 %p0, %rd7, 2000000000;
    @%p0 bra DONE;
    ld.relaxed.sys.u64 %rd3, [%rd0];
    setp.lt.u64 %p1, %rd3, %rd2;
    @%p1 bra WAIT;
    mov.u64 %rd4, %globaltimer;
    st.relaxed.sys.u64 [%rd0+8], %rd4;
    st.release.sys.u64 [%rd0+16], %rd2;
    add.u64 %rd2, %rd2, 1;
    setp.le.u64 %p2, %rd2, %rd1;
    @%p2 bra WAIT;
DONE:
    ret;
}
"""
"""The kernel that answers; it ends after 2 s. The mailbox has three words of 64 bits: the number of
the question, which the host writes, then the GPU's time in ns and the number of the answer."""


@dataclass(frozen=True, slots=True)
class ClockAnchor:
    """One moment on both clocks."""

    device_ns: int
    """The GPU's clock."""
    unix_ns: int
    """The host's clock: ns since 1970."""
    error_ns: int
    """Largest error of `unix_ns`."""


def fit_clock() -> ClockAnchor:
    """Compare the two clocks; return the moment with the smallest error of ROUNDS.

    The kernel needs a free place on the GPU.

    Raises:
        LanescopeError: the GPU did not answer.
    """
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    words = np.frombuffer(memory, np.uint64)
    address = int(words.ctypes.data)
    with ExitStack() as undo:
        mapped = driver.map_host(address, mmap.PAGESIZE)
        undo.callback(driver.unmap_host, address)
        module, function = driver.load_function(PING.encode(), "ping")
        undo.callback(driver.unload, module)
        stream = driver.Stream()
        undo.callback(stream.close)
        try:
            stream.launch(function, c_uint64(mapped), c_uint64(ROUNDS))
            anchors = [_ask(words, number) for number in range(1, ROUNDS + 1)]
        finally:
            words[0] = ROUNDS  # the kernel ends, whatever happened here
    return min(anchors, key=lambda anchor: anchor.error_ns)


def _ask(words: np.ndarray[tuple[int], np.dtype[np.uint64]], number: int) -> ClockAnchor:
    """Ask once; the answer came between the two readings of the host's clock."""
    deadline = time.monotonic() + _GIVE_UP_S
    before = time.time_ns()
    words[0] = number
    while int(words[2]) < number:
        if time.monotonic() > deadline:
            raise LanescopeError("the GPU did not answer within 2 s, so its clock is not known")
    after = time.time_ns()
    return ClockAnchor(int(words[1]), (before + after) // 2, (after - before + 1) // 2)
