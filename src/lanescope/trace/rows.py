"""Rows of a table by number, as a slice where they follow one another: that copies no column."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lanescope.trace.numbering import is_rising
from lanescope.trace.table import Array

Rows: TypeAlias = Array | slice
"""Numbers of rows; a slice has both its ends."""


def which(mask: Array) -> Rows:
    """The rows of the mask."""
    return as_slice(np.flatnonzero(mask))


def as_slice(numbers: Array) -> Rows:
    """These numbers as a slice where each is one more than the one before."""
    if not len(numbers):
        return slice(0, 0)
    first, last = int(numbers[0]), int(numbers[-1])
    gapless = last - first + 1 == len(numbers) and is_rising(numbers)
    return slice(first, last + 1) if gapless else numbers
