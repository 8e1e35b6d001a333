"""The headers as hipcc compiles them for AMD GPUs. Nothing of this runs on one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lanescope.device.transport import word_offset

INCLUDE = Path(__file__).parents[2] / "native" / "include"
STRICT = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
KERNEL = """
#include <hip/hip_runtime.h>
#include <lanescope/lanescope.h>

extern "C" __global__ void kernel(uint8_t *region, uint32_t tasks)
{
    ls_core core;
    ls_core_open(&core, region, blockIdx.x);
    for (uint32_t task = 0; task < tasks; task++) {
        ls_core_receive(&core);
        ls_core_begin(&core);
        ls_core_end(&core, task, task);
    }
    ls_core_close(&core);
}
"""


def assembly(folder: Path, unit: str, kernel: str = KERNEL) -> str:
    """What hipcc makes of a kernel for one of AMD's GPUs."""
    hipcc = shutil.which("hipcc")
    if hipcc is None:
        pytest.skip("hipcc is not installed")
    source, target = folder / "kernel.hip", folder / "kernel.s"
    source.write_text(kernel)
    device = [f"--offload-arch={unit}", "--cuda-device-only", "-Wno-unused-command-line-argument"]
    files = ["-I", str(INCLUDE), "-S", str(source), "-o", str(target)]
    done = subprocess.run(
        [hipcc, *device, *STRICT, *files],
        env={**os.environ, "HIP_PLATFORM": "amd"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return target.read_text()


@pytest.mark.parametrize("unit", ["gfx906", "gfx90a", "gfx1030"])
def test_stamps_are_of_the_clock_that_runs_at_one_rate(tmp_path: Path, unit: str) -> None:
    code = assembly(tmp_path, unit)
    assert len(re.findall(r"\bs_memrealtime\b", code)) >= 3  # receive, begin, end
    assert not re.findall(r"\bs_memtime\b", code)  # counts cycles of a clock that changes its rate


def test_a_buffer_is_published_to_the_whole_system(tmp_path: Path) -> None:
    """A GPU of this kind keeps stores in its cache until it is told to write them back."""
    store = rf"flat_store_dwordx2 v\[.*\], v\[.*\] offset:{word_offset('ls_lane', 'published')}\n"
    written_back = rf"buffer_wbl2\n\ts_waitcnt vmcnt\(0\) lgkmcnt\(0\)\n\t{store}"
    code = assembly(tmp_path, "gfx90a")
    assert len(re.findall(written_back, code)) == len(re.findall(store, code)) > 0


def test_nothing_is_called(tmp_path: Path) -> None:
    assert not re.findall(r"\bs_swappc_b64\b", assembly(tmp_path, "gfx90a"))
