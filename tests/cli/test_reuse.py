"""Memory that a command has freed is used again without new pages."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_PROGRAM = """
import resource
from lanescope.cli.reuse import reuse_memory
reuse_memory()
import numpy as np
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(1 << 23)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults(), faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a parameter of glibc's malloc")
def test_the_second_array_of_a_size_takes_no_new_pages() -> None:
    command = [sys.executable, "-c", _PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    first, second = map(int, done.stdout.split())
    assert first > 10_000
    assert second < first / 100
