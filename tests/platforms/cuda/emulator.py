"""The megakernel on threads of this machine: the same device code, recording and checks."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lanescope.device.region import Region
from lanescope.native import Array
from lanescope.platforms.cuda.machine import GpuMachine

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DEVICE = ROOT / "src/lanescope/platforms/cuda/device"


@cache
def library() -> ctypes.CDLL:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "emulated.so")
        done = subprocess.run(
            [
                *(compiler, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"),
                *("-Wno-unknown-pragmas", "-Wno-unused-function", "-pthread"),
                *("-I", str(ROOT / "native/include"), "-I", str(DEVICE)),
                *(str(HERE / "emulated.cpp"), "-o", str(target)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return ctypes.CDLL(str(target))


class HostMemory:
    """Addresses of this process."""

    def __init__(self) -> None:
        self.blocks: dict[int, Array] = {}

    def allocate(self, size: int) -> int:
        block = np.full(size + 64, 0xA5, np.uint8)
        address = -(-int(block.ctypes.data) // 64) * 64
        self.blocks[address] = block
        return address

    def free(self, address: int) -> None:
        del self.blocks[address]

    def write(self, address: int, data: Array) -> None:
        ctypes.memmove(address, data.ctypes.data, data.nbytes)

    def read(self, address: int, out: Array) -> None:
        ctypes.memmove(out.ctypes.data, address, out.nbytes)


class Emulator:
    """An Engine; its warps have one lane, so nothing inside a core is recorded."""

    name = "emulated"

    def __init__(self, machine: GpuMachine) -> None:
        self.machine = machine
        self.memory = HostMemory()

    def run(self, job_address: int) -> None:
        library().mega_emulate(ctypes.c_void_p(job_address))

    def reach(self, region: Region) -> int:
        return region.address

    def leave(self, region: Region) -> None:
        pass

    def handle(self, region: Region, region_address: int) -> None:
        return None

    def fit(self) -> None:
        return None
