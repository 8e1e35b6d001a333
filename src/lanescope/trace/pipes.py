"""The units inside a core, in the order in which hardware and tables number them."""

from __future__ import annotations

PIPES = ("scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixp")
ROLES = ("load", "compute", "store")
"""What warps of a GPU's core do, each a pipe of it."""
UNITS = (*PIPES, *ROLES)
LOAD_PIPES = ("mte2", "load")
"""Bring data into the core from the chip's memory."""
COMPUTE_PIPES = ("vector", "cube", "compute")
BUSY = "busy"
"""Name of the rows of `marks` that say when a pipe worked."""
