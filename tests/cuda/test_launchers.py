"""On a real GPU: kernels started by cuda-core, CuPy and a PyTorch extension record alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cuda.gpu import INCLUDE, cupy, kernel, wait

import lanescope.cuda
from lanescope.cuda import Recorder

pytestmark = pytest.mark.gpu

SOURCE = Path(__file__).with_name("kernels.cu")
CORES, TASKS = 4, 100

BINDING = """
#include <cstdint>
void start(int64_t blocks, int64_t tasks, int64_t handle);
"""
LAUNCH = """
#include <cstdint>
void start(int64_t blocks, int64_t tasks, int64_t handle)
{
    flood<<<blocks, 32>>>((unsigned)tasks, (unsigned long long)handle);
}
"""


def require_all(rec: Recorder) -> None:
    assert np.array_equal(np.unique(rec.trace.tasks["core"]), np.arange(CORES))
    assert len(rec.trace.tasks) == CORES * TASKS
    assert all(entry.closes for entry in rec.trace.meta.ledger)


def test_cuda_core() -> None:
    core: Any = pytest.importorskip("cuda.core")
    device = core.Device()
    device.set_current()
    stream = device.create_stream()
    options = core.ProgramOptions(std="c++17", arch=f"sm_{device.arch}", include_path=str(INCLUDE))
    program = core.Program(SOURCE.read_text(), code_type="c++", options=options)
    flood = program.compile("cubin").get_kernel("flood")
    with lanescope.cuda.record(cores=CORES) as rec:
        shape = core.LaunchConfig(grid=CORES, block=32)
        core.launch(stream, shape, flood, np.uint32(TASKS), np.uint64(rec.handle))
        stream.sync()
    require_all(rec)


def test_cupy() -> None:
    cupy()
    with lanescope.cuda.record(cores=CORES) as rec:
        kernel("flood")((CORES,), (32,), (np.uint32(TASKS), np.uint64(rec.handle)))
        wait()
    require_all(rec)


def test_a_pytorch_extension(tmp_path: Path) -> None:
    """Compiling it takes half a minute."""
    torch: Any = pytest.importorskip("torch")
    extension: Any = pytest.importorskip("torch.utils.cpp_extension")
    if extension.CUDA_HOME is None or not extension.is_ninja_available():
        pytest.skip("PyTorch extensions need nvcc and ninja")
    flood = extension.load_inline(
        "lanescope_flood",
        cpp_sources=[BINDING],
        cuda_sources=[SOURCE.read_text() + LAUNCH],
        functions=["start"],
        with_cuda=True,
        extra_include_paths=[str(INCLUDE)],
        extra_cuda_cflags=["-std=c++17", "-arch=native"],
        build_directory=str(tmp_path),
    )
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    with lanescope.cuda.record(cores=CORES) as rec:
        flood.start(CORES, TASKS, rec.handle)
        torch.cuda.synchronize()
    require_all(rec)
