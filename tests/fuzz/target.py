"""A target: bytes go in; any exception but LanescopeError, or an assertion, is a finding."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple


class Target(NamedTuple):
    """Something that reads bytes."""

    name: str
    seeds: tuple[bytes, ...]
    """Sound inputs to begin with."""
    run: Callable[[bytes], object]


def some_bytes(size: int) -> tuple[bytes, ...]:
    """Seeds for targets that draw their numbers from bytes."""
    return tuple(random.Random(seed).randbytes(size) for seed in range(4))
