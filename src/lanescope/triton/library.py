"""The recording functions as LLVM IR, which Triton links into kernels."""

from __future__ import annotations

import re
from pathlib import Path

import triton

from lanescope.errors import UsageError

NAME = "lanescope"
FILE = Path(__file__).with_name("record.ll")
OLDEST = (3, 4)
"""The oldest Triton that was tried."""


def extern_libs() -> dict[str, str]:
    """Return the argument of that name for the launch of a kernel that records.

    Raises:
        UsageError: this Triton is too old.
    """
    version = tuple(int(part) for part in re.findall(r"\d+", triton.__version__)[:2])
    if version < OLDEST:
        raise UsageError(f"recording needs Triton 3.4 or newer, found {triton.__version__}")
    return {NAME: str(FILE)}
