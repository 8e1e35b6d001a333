"""The units inside a core, in the order in which hardware and tables number them."""

from __future__ import annotations

PIPES = ("scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixp")
LOAD_PIPES = ("mte2",)
"""Bring data into the core from the chip's memory."""
COMPUTE_PIPES = ("vector", "cube")
BUSY = "busy"
"""Name of the rows of `marks` that say when a pipe worked."""
