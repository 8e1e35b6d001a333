"""Numbers that are drawn from an input's bytes, so that changing a byte changes one choice.

`DrawnNumbers` stands for random.Random, `DrawnArrays` for numpy's Generator. Where the bytes end,
everything drawn is 0.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np


class DrawnNumbers(random.Random):
    """random.Random over bytes."""

    def __new__(cls, data: bytes) -> DrawnNumbers:
        return super().__new__(cls)

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data, self._at = data, 0

    def getrandbits(self, k: int) -> int:
        size = (k + 7) // 8
        part = self._data[self._at : self._at + size]
        self._at += size
        return int.from_bytes(part, "little") & ((1 << k) - 1)

    def random(self) -> float:
        return self.getrandbits(16) / 65536


class DrawnArrays:
    """What the targets use of numpy's Generator, over bytes."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def _words(self, count: int) -> np.ndarray[Any, Any]:
        part = self._data[self._at : self._at + 2 * count]
        self._at += 2 * count
        return np.frombuffer(part.ljust(2 * count, b"\0"), "<u2").astype(np.int64)

    def integers(self, low: int, high: int, size: int | tuple[int, ...] | None = None) -> Any:
        """Whole numbers in [low, high); a wide range is met at its ends and in steps."""
        count = 1 if size is None else int(np.prod(size))
        span = high - low
        words = self._words(count)
        values = low + (words % span if span <= 65536 else words * ((span - 1) // 65535))
        return int(values[0]) if size is None else values.reshape(size)

    def random(self, size: int) -> np.ndarray[Any, Any]:
        return self._words(size) / 65536

    def permutation(self, count: int) -> np.ndarray[Any, Any]:
        return np.argsort(self._words(count), kind="stable")

    def choice(self, values: Sequence[Any]) -> Any:
        return values[self.integers(0, len(values))]
