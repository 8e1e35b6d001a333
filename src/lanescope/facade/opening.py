"""From what people name to a Trace: a trace in memory, a stored one, or another tool's files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TypeAlias

from lanescope.errors import UsageError
from lanescope.formats import import_paths
from lanescope.trace import Trace, load, open_lazily

TraceLike: TypeAlias = Trace | str | PathLike[str]
"""A Trace, or the path of a stored one or of another tool's files."""


def opened(trace: TraceLike) -> Trace:
    """The trace itself, or the one that the path names, read whole."""
    if isinstance(trace, Trace):
        return trace
    path = Path(trace)
    return load(path) if _is_stored(path) else _imported(path)


def opened_lazily(trace: TraceLike) -> Trace:
    """Like `opened`; columns of a stored trace are read when they are needed."""
    if isinstance(trace, Trace):
        return trace
    path = Path(trace)
    return open_lazily(path) if _is_stored(path) else _imported(path)


def _is_stored(path: Path) -> bool:
    return path.suffix == ".lanes" or (path / "meta.json").is_file() or not path.exists()


def _imported(path: Path) -> Trace:
    traces = import_paths([path])
    if len(traces) == 1:
        return traces[0]
    names = ", ".join(trace.meta.name for trace in traces[:4]) + (", …" if len(traces) > 4 else "")
    raise UsageError(f"{path} holds {len(traces)} runs ({names}); name one of them")
