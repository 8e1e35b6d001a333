"""A small model and boards for it, with figures that can be divided by hand."""

from __future__ import annotations

from fractions import Fraction

from lanescope.model.fit.board import BoardValue, FitBoard
from lanescope.model.fit.load import Load
from lanescope.model.manifest import Footprint
from lanescope.model.manifest.shape import Shape

FOOTPRINT = Footprint(weight=1000, kv=200, activation=10)
SHAPE = Shape(
    layers=2,
    hidden=8,
    heads=4,
    kv_heads=2,
    head_dim=2,
    intermediate=32,
    vocabulary=100,
    weight_bits=Fraction(16),
    kv_bits=Fraction(16),
)
LOAD = Load(FOOTPRINT, None, context=20, batch=1)


def board(capacity: int = 500, link: float | None = 10.0, memory: float = 100.0) -> FitBoard:
    """A board with so many bytes, and so many bytes/s of link and memory."""
    values = {"capacity_bytes": float(capacity), "memory_bytes_per_s": memory}
    if link is not None:
        values["link_bytes_per_s"] = link
    return FitBoard("test", {n: BoardValue(n, v, v, v, "given") for n, v in values.items()})
