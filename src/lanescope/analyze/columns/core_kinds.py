"""The cores a trace knows of and their kinds, also cores that only a task row names."""

from __future__ import annotations

from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

UNKNOWN = "(unknown)"


def core_kinds(trace: Trace) -> dict[int, str]:
    """Kind of every core, in the order of the cores table."""
    kinds = trace.text("cores", "kind")
    known = dict(zip(trace.cores["core"].tolist(), kinds, strict=True))
    named = {core: kind or UNKNOWN for core, kind in known.items()}
    for core in _used(trace.tasks["core"]):
        named.setdefault(core, UNKNOWN)
    return named


def used_cores(trace: Trace) -> list[int]:
    """Cores on which a task ran, in rising order."""
    return _used(trace.tasks["core"][trace.ran()])


def on_core(trace: Trace) -> Array:
    """Mask of the task rows that stand for a run on a core, whether or not it has times."""
    tasks = trace.tasks
    mask: Array = (tasks["core"] != MISSING32) | (tasks["kind"] == trace.code("run"))
    return mask


def _used(cores: Array) -> list[int]:
    used: list[int] = different(cores[cores != MISSING32]).tolist()
    return used
