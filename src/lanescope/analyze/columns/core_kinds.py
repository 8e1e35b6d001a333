"""The cores of a trace and their kinds, including cores that only a task row names."""

from __future__ import annotations

from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

UNKNOWN = "(unknown)"
"""Name of a kind, a function or a lane that the trace does not name."""

KIND_WORDS = {
    "aic": "cube cores, which multiply matrices",
    "aiv": "vector cores",
    "sm": "multiprocessors of a GPU",
}
"""What cores of a kind are, where the name does not say it; `words.py` has the definitions."""


def core_kinds(trace: Trace) -> dict[int, str]:
    """Core id to kind: first the cores table in its order, then cores that only tasks name.

    Cores of two ranks are of different kinds: none can do the work of the other.
    """
    kinds, ranks = trace.text("cores", "kind"), trace.cores["rank"].tolist()
    named = {
        core: (kind or UNKNOWN) if rank == MISSING32 else f"rank {rank} {kind or UNKNOWN}"
        for core, kind, rank in zip(trace.cores["core"].tolist(), kinds, ranks, strict=True)
    }
    for core in _used(trace.tasks["core"]):
        named.setdefault(core, UNKNOWN)
    return named


def used_cores(trace: Trace) -> list[int]:
    """Ids of the cores on which a task ran, in rising order."""
    return _used(trace.tasks["core"][trace.ran()])


def on_core(trace: Trace) -> Array:
    """Mask of the task rows that are a run on a core, with or without times."""
    tasks = trace.tasks
    mask: Array = (tasks["core"] != MISSING32) | (tasks["kind"] == trace.code("run"))
    return mask


def _used(cores: Array) -> list[int]:
    used: list[int] = different(cores[cores != MISSING32]).tolist()
    return used
