"""The shipped IR on this machine's processor: the same records as those of the CUDA header."""

from __future__ import annotations

import ctypes
import sys
from ctypes import c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.triton.on_cpu import loaded, recording

from lanescope import Trace

ROOT = Path(__file__).parents[2]
CTAS, THREADS, TASKS = 2, 128, 3000
TABLES = {
    "tasks": ("task", "core", "func", "start_ns", "end_ns", "flags"),
    "marks": ("core", "pipe", "name", "token", "start_ns", "end_ns"),
    "edges": ("pred", "succ"),
}


def run(function: Any, *, clock: int = 5) -> Trace:
    """A trace of a kernel with the arguments of `work`; its CTAs run one after the other."""
    library, kernel = function
    out = np.zeros(TASKS, np.uint32)
    with recording(cores=CTAS, core_swimlane=True) as rec:
        rec.function("even"), rec.function("odd")
        ids = (rec.mark("outer"), rec.mark("inner"))
        for cta in range(CTAS):
            library.set_clock(c_uint64(clock))
            for thread in range(THREADS):
                library.become(thread, THREADS, cta, CTAS)
                given = (c_void_p(out.ctypes.data), c_uint32(TASKS), c_uint32(0))
                kernel(*given, *map(c_uint32, ids), c_uint64(rec.handle), None, None)
    assert set(out.tolist()) == {100}
    return rec.trace


@pytest.fixture(scope="module")
def triton_kernel() -> tuple[ctypes.CDLL, Any]:
    """Triton's `work`, compiled by Triton for sm_90."""
    pytest.importorskip("triton", reason="Triton is not installed: pip install lanescope[test-triton]")
    from tests.triton.compiling import WORK, compiled
    from tests.triton.kernels import work

    library = loaded(compiled(work, WORK).asm["llir"])
    return library, library.work


@pytest.fixture(scope="module")
def cuda_kernel() -> tuple[ctypes.CDLL, Any]:
    """The same work with the CUDA header."""
    pytest.importorskip("ziglang", reason="ziglang is not installed; it has clang")
    sys.path.insert(0, str(ROOT / "tools"))
    from build_triton_ir import compiled

    library = loaded(compiled(Path(__file__).with_name("same_work.cpp")))
    return library, library.same_work


@pytest.mark.parametrize("clock", [5, (1 << 32) - 40_000, (1 << 61) + 12_345])
def test_a_triton_kernel_records_what_a_cuda_kernel_records(
    triton_kernel: Any, cuda_kernel: Any, clock: int
) -> None:
    recorded, wanted = run(triton_kernel, clock=clock), run(cuda_kernel, clock=clock)
    assert len(wanted.tasks) == TASKS
    assert len(wanted.marks) == 2 * TASKS
    assert len(wanted.edges) == TASKS - CTAS
    for table, columns in TABLES.items():
        for column in columns:
            pair = (getattr(each, table)[column] for each in (recorded, wanted))
            assert np.array_equal(*pair), (table, column)
    assert recorded.meta.ledger == wanted.meta.ledger
    assert all(entry.closes for entry in recorded.meta.ledger)
