"""Transports over memory of this process, for the tests of copying."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lanescope.device.shadow import ShadowCopy

Array = npt.NDArray[Any]


def copier_of(device: Array) -> ShadowCopy:
    """A transport that copies from and to an array, 8 bytes at a time as a device would."""
    words = device.view(np.uint64)

    def pull(offset: int, target: memoryview) -> None:
        np.frombuffer(target, np.uint64)[:] = words[offset // 8 : (offset + len(target)) // 8]

    def push(offset: int, data: memoryview) -> None:
        words[offset // 8 : (offset + len(data)) // 8] = np.frombuffer(data, np.uint64)

    return ShadowCopy(pull, push, size=len(device))


def shadow_of(device: Array) -> ShadowCopy:
    """The same, over a region that is there."""
    shadow = copier_of(device)
    shadow.open()
    return shadow


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for something that must come to pass; a test that waits for 20 s fails."""
    begin = time.monotonic()
    while not is_so():
        if time.monotonic() - begin > 20:
            pytest.fail("waited 20 s in vain")
        time.sleep(0.002)
