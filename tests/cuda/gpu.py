"""What the GPU tests share: kernels compiled for the GPU that is there."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

INCLUDE = Path(__file__).parents[2] / "native" / "include"


def cupy() -> Any:
    """CuPy; the test is skipped where it or a GPU is missing."""
    module = pytest.importorskip("cupy")
    try:
        module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU")
    return module


@cache
def kernel(name: str, records: int = 1024, file: str = "kernels.cu") -> Any:
    """A kernel whose buffers hold this many slices."""
    source = Path(__file__).with_name(file).read_text()
    headers = b"".join(path.read_bytes() for path in sorted(INCLUDE.rglob("*.*h")))
    options = ("-std=c++17", f"-I{INCLUDE}", f"-DHEADERS={zlib.crc32(headers)}")
    options = (*options, f"-DLS_SLICE_RECORDS={records}u")
    return cupy().RawModule(code=source, options=options).get_function(name)


def wait() -> None:
    cupy().cuda.get_current_stream().synchronize()
