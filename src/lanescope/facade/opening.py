"""From what people name to a Trace: a trace in memory, a stored one, or another tool's files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TypeAlias

from lanescope.formats import import_trace
from lanescope.trace import Trace, load, open_lazily

TraceLike: TypeAlias = Trace | str | PathLike[str]
"""A Trace, or the path of a stored one or of another tool's files."""


def opened(trace: TraceLike) -> Trace:
    """The trace itself, or the one that the path names, read whole."""
    if isinstance(trace, Trace):
        return trace
    path = Path(trace)
    return load(path) if _is_stored(path) else import_trace(path)


def opened_lazily(trace: TraceLike) -> Trace:
    """Like `opened`; columns of a stored trace are read when they are needed."""
    if isinstance(trace, Trace):
        return trace
    path = Path(trace)
    return open_lazily(path) if _is_stored(path) else import_trace(path)


def _is_stored(path: Path) -> bool:
    return path.suffix == ".lanes" or (path / "meta.json").is_file() or not path.exists()
