"""A part of a trace for a person who asks for it: a part with nothing in it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lanescope.errors import UsageError
from lanescope.trace.part import part_of
from lanescope.trace.places import PlaceLike
from lanescope.trace.row_groups import StoredRows, load_part
from lanescope.trace.schema import MISSING
from lanescope.trace.selection import select
from lanescope.trace.summary import short
from lanescope.trace.table import Array
from lanescope.trace.window import core_numbers, time_ns

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace

_OF_CORES = ("tasks", "marks", "counters", "stalls", "waits", "collectives")
_OF_TIMES = ("tasks", "phases", "marks", "stalls", "steps", "waits", "collectives", "launches")
_STARTS = ("dispatch_ns", "receive_ns", "start_ns")
_ENDS = ("finish_ns", "end_ns", "start_ns")


def select_some(trace: Trace, **limits: Any) -> Trace:
    """Take a part of a trace as `select` does; a part with nothing in it is refused.

    Raises:
        UsageError: as `select`, or nothing is left; the sentence says what the trace has.
    """
    check_limits(trace.meta.name, trace.cores["core"], **limits)
    part = select(trace, **limits)
    if not has_some(part, **limits):
        raise _nothing(trace, part, _extent(trace))
    return part


def load_some(path: PlaceLike, **limits: Any) -> Trace:
    """Read a part of a stored trace, and no more than that; a part with nothing in it is refused.

    Raises:
        UsageError: as `select_some`. Runs and ranks cannot be chosen.
        InputError: as `load`.
    """
    part = part_of(**limits)
    assert part is not None
    stored = StoredRows(path)
    check_limits(stored.small.meta.name, stored.small.cores["core"], **limits)
    found = load_part(stored, part)
    if not has_some(found, **limits):
        raise _nothing(stored.small, found, _stored_extent(stored))
    return found


def check_limits(name: str, cores: Array, **limits: Any) -> None:
    """Refuse a window that ends before it starts, and cores that are not among those of `name`."""
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if {"since", "until"} <= given.keys():
        since, until = time_ns(given["since"]), time_ns(given["until"])
        if since > until:
            raise UsageError(
                f"expected --since before --until, found {_time(since)} and {_time(until)}"
            )
    if "core" in given:
        wanted, there = core_numbers(given["core"]), np.unique(cores)
        if not np.isin(wanted, there).any():
            raise UsageError(f"no core {wanted[0]} in {name}; it has {_cores(there)}")


def _nothing(trace: Trace, part: Trace, extent: tuple[int, int]) -> UsageError:
    return UsageError(
        f"{trace.meta.name} has nothing in this part ({limits_of(part)}); {_there(trace, extent)}"
    )


def has_some(part: Trace, **limits: Any) -> bool:
    """Whether a part that was cut to these limits has anything in it."""
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return not given or any(len(part.table(name)) for name in _touched(given))


def limits_of(part: Trace) -> str:
    """The limits of a part, in words."""
    return part.meta.notes[-1].partition(": ")[2].rstrip(".")


def _touched(given: dict[str, Any]) -> tuple[str, ...]:
    """The tables of which a row must be left."""
    if "function" in given:
        return ("tasks",)
    return _OF_CORES if "core" in given else _OF_TIMES


def _there(trace: Trace, extent: tuple[int, int]) -> str:
    names = trace.text("functions", "name")
    functions = ", ".join(map(short, names[:8])) + (", …" if len(names) > 8 else "")
    parts = [f"it has {_cores(np.unique(trace.cores['core']))}"]
    parts += [f"functions {functions}"] if names else []
    first, last = extent
    return " and ".join(parts) + f", and runs from {_time(first)} to {_time(last)}"


def _cores(there: Array) -> str:
    numbers: list[int] = there.tolist()
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"cores {numbers[0]} to {numbers[-1]}"
    if not numbers:
        return "no cores"
    return "cores " + ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")


def _extent(trace: Trace) -> tuple[int, int]:
    """The first and the last moment that the trace knows; zeros where it knows none."""
    first: list[int] = []
    last: list[int] = []
    for name in _OF_TIMES:
        columns = trace.table(name)
        for wanted, kept in ((_STARTS, first), (_ENDS, last)):
            for column in wanted:
                if column in columns.columns:
                    known = columns[column][columns[column] != MISSING]
                    kept += [known.min(), known.max()] if len(known) else []
    return int(min(first, default=0)), int(max(last, default=0))


def _stored_extent(stored: StoredRows) -> tuple[int, int]:
    """Like `_extent`, from what the files of the tables say of themselves."""
    ends = [
        [stored.bounds(name, column) for name in _OF_TIMES for column in wanted]
        for wanted in (_STARTS, _ENDS)
    ]
    first, last = ([end for end in one if end is not None] for one in ends)
    return min((low for low, _ in first), default=0), max((high for _, high in last), default=0)


def _time(ns: int) -> str:
    """As the options take it."""
    return f"{ns / 1e6:.6f}".rstrip("0").rstrip(".") + "ms"
