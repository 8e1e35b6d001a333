"""What somebody asks of a what-if, in the words of the command line, as changes of a replica."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np

from lanescope.errors import UsageError
from lanescope.replay import changes as ways
from lanescope.replay.changes import Change
from lanescope.replay.preemption import without_preemption
from lanescope.replay.replica import Replica
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

IMPLIED = "implied"
"""What is said instead of A:B for all edges that follow from others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedChanges:
    """Changes that are made together; one that is left out stays as recorded."""

    scale: Mapping[str, float] = field(default_factory=dict)
    """Function, by name or id, to how many times as long its runs take."""
    cores: Mapping[str, int] = field(default_factory=dict)
    """Kind of core to how many there are."""
    schedulers: int | None = None
    """How many scheduler threads there are."""
    pre_dispatch: int | None = None
    """How many tasks a core may hold beside the one it runs."""
    dispatch_cost: float | None = None
    """Nanoseconds that a scheduler takes to give a task to a core."""
    submit_scale: float | None = None
    """How many times as long the orchestrator takes per submit."""
    drop_edge: Sequence[str] = ()
    """Edges that are left out: "A:B", each a task id or a function, or "implied"."""
    without_preemption: bool = False
    """Whether no thread is off the processor."""
    buffers: tuple[int, int | None] | None = None
    """Recording buffers per producer, and records in each; None for as many as there were."""

    def changes(self, replica: Replica) -> list[Change]:
        """The changes for a replica, to be made one after the other.

        Raises UsageError for a number below 0, or a function, task or edge that it does not have.
        """
        return list(_changes(self, replica))


def together(changes: Sequence[Change]) -> Change:
    """All changes as one; of none of them the unchanged run."""
    name = ", ".join(one.name for one in changes) or "unchanged"
    return Change(name, partial(_apply_all, tuple(changes)))


def _apply_all(changes: tuple[Change, ...], replica: Replica) -> Replica:
    return reduce(lambda made, change: change.apply(made), changes, replica)


def _changes(asked: AskedChanges, replica: Replica) -> Iterator[Change]:
    for name, factor in asked.scale.items():
        factor = _not_negative("scale", factor)
        func = _function(replica.trace, name)
        yield Change(f"{name} x{factor:g}", partial(ways.scale_function, func=func, factor=factor))
    for kind, count in asked.cores.items():
        yield Change(f"{kind}={count}", partial(ways.set_cores, kind=kind, count=count))
    if asked.schedulers is not None:
        name = f"{asked.schedulers} schedulers"
        yield Change(name, partial(ways.set_schedulers, count=asked.schedulers))
    if asked.pre_dispatch is not None:
        name = f"pre-dispatch {asked.pre_dispatch}"
        yield Change(name, partial(ways.set_pre_dispatch, count=asked.pre_dispatch))
    if asked.dispatch_cost is not None:
        ns = _not_negative("dispatch-cost", asked.dispatch_cost)
        yield Change(f"dispatch cost {ns:g} ns", partial(ways.set_dispatch_cost, ns=ns))
    if asked.submit_scale is not None:
        factor = _not_negative("submit-scale", asked.submit_scale)
        yield Change(f"submits x{factor:g}", partial(ways.scale_submits, factor=factor))
    if asked.without_preemption:
        yield Change("without preemption", without_preemption)
    if asked.buffers is not None:
        count, records = asked.buffers
        name = f"{count} buffers" + (f" of {records} records" if records else "")
        yield Change(name, partial(ways.set_buffers, count=count, records=records))
    for edge in asked.drop_edge:
        yield _without(edge, replica)


def _not_negative(option: str, value: float) -> float:
    if not 0 <= value < float("inf"):
        raise UsageError(f"expected --{option} of 0 or more, found {value}")
    return value


def _without(edge: str, replica: Replica) -> Change:
    if edge == IMPLIED:
        return Change(f"without {IMPLIED} edges", ways.drop_implied_edges)
    pred, colon, succ = edge.partition(":")
    if not colon:
        raise UsageError(f"expected --drop-edge A:B or {IMPLIED}, found {edge!r}")
    first, second = _nodes(replica, pred), _nodes(replica, succ)
    return Change(f"without {edge}", partial(ways.drop_edges, pred=first, succ=second))


def _function(trace: Trace, name: str) -> int:
    names = trace.text("functions", "name")
    for func, known in zip(trace.functions["func"].tolist(), names, strict=True):
        if name in (known, str(func)):
            return int(func)
    raise UsageError(f"expected a function of the trace ({', '.join(names[:8])}), found {name!r}")


def _nodes(replica: Replica, text: str) -> Array:
    """Nodes of a task id, or of all tasks of a function."""
    ids = replica.nodes.ids
    if text.isdigit() and (ids == int(text)).any():
        return np.flatnonzero(ids == int(text))
    return ways.nodes_of_function(replica, _function(replica.trace, text))
