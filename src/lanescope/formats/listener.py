"""Who is told, while files are searched and read, of those that give no trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lanescope.errors import LanescopeError


def _ignore(path: Path, reason: str) -> None:
    """Nobody asked what is left out."""


def _give_up(error: LanescopeError) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class Listener:
    """What to do with files that give no trace."""

    skipped: Callable[[Path, str], None] = _ignore
    """Takes a file that is left out, and why in a few words without an end."""
    failed: Callable[[LanescopeError], None] = _give_up
    """Takes why a file cannot be read; if it returns, the others are read."""


STRICT = Listener()
"""Ends with the first damaged file."""
