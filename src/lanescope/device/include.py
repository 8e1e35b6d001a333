"""Where the C headers are, for programs that record by themselves."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def include_directory() -> Path:
    """The directory to give to a compiler's -I; it holds `lanescope/lanescope.h`."""
    found = resources.files("lanescope.native").joinpath("include")
    return Path(str(found))
