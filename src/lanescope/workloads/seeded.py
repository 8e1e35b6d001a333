"""Arrays for workloads that compute; a seed gives the same array on every machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lanescope.native import Array


def small_numbers(shape: tuple[int, ...], dtype: npt.DTypeLike, seed: int) -> Array:
    """Return whole numbers from -8 to 8.

    Sums of up to 262,144 of their products are exact in float32, in any order.
    """
    raw = np.random.PCG64(seed).random_raw(int(np.prod(shape))).astype(np.uint64)
    return ((raw % np.uint64(17)).astype(np.int8) - 8).astype(dtype).reshape(shape)
