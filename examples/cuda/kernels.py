"""Compiles the examples' kernels while the program runs, with lanescope's headers."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import cupy

import lanescope


def build(file: str, function: str) -> Any:
    """A kernel from a .cu file beside this one, for the GPU that is there."""
    source = Path(__file__).with_name(file).read_text()
    include = lanescope.include_directory()
    # CuPy's cache of compiled kernels knows the source and the options, not the headers.
    headers = b"".join(path.read_bytes() for path in sorted(include.rglob("*.*h")))
    options = ("-std=c++17", f"-I{include}", f"-DHEADERS={zlib.crc32(headers)}")
    return cupy.RawModule(code=source, options=options).get_function(function)


def multiprocessors() -> int:
    return int(cupy.cuda.Device().attributes["MultiProcessorCount"])


def wait() -> None:
    cupy.cuda.get_current_stream().synchronize()
