"""The directory of the C headers, for programs that record by themselves."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def include_directory() -> Path:
    """Says where the C headers are, for a program that records by itself.

    Returns:
        The directory to give to a compiler's -I; it holds `lanescope/lanescope.h`.

    Examples:
        >>> (lanescope.include_directory() / "lanescope" / "lanescope.h").is_file()
        True
    """
    return Path(str(resources.files("lanescope.native").joinpath("include")))
