"""The units inside a core, in the order in which hardware and tables number them."""

from __future__ import annotations

PIPES = ("scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixp")
ROLES = ("load", "compute", "store")
"""What the warps of a GPU's core do; each role counts as a pipe of the core."""
UNITS = (*PIPES, *ROLES)
"""All pipes of all kinds of core."""
LOAD_PIPES = ("mte2", "load")
"""The pipes that bring data into the core from the chip's memory."""
COMPUTE_PIPES = ("vector", "cube", "compute")
"""The pipes that compute on what was brought."""
BUSY = "busy"
"""The name of those rows of `marks` that say when a pipe worked."""
