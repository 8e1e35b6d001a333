"""A part of a trace as another trace: by run, rank, time window, core and function."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from lanescope.errors import UsageError, did_you_mean
from lanescope.trace.numbering import different
from lanescope.trace.part import TABLES, TracePart, part_of, row_mask, task_mask
from lanescope.trace.run_parts import cut_runs
from lanescope.trace.summary import short
from lanescope.trace.window import Cores, Functions, Numbers, Time

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace


def select(
    trace: Trace,
    *,
    since: Time | None = None,
    until: Time | None = None,
    core: Cores | None = None,
    function: Functions | None = None,
    run: Numbers | None = None,
    rank: Numbers | None = None,
) -> Trace:
    """Take a part of a trace; the arguments are the options of the command line.

    A row stays when it overlaps the window, is on one of the cores and belongs to one of the
    functions. An edge stays when both its tasks stay. Only the window limits the phases of
    controllers. Of a trace with several runs or ranks, `run` and `rank` keep all that belongs to
    these. The ledger still accounts for the whole capture. A note in `meta.notes` says which part
    it is.

    Args:
        trace: the whole trace; it does not change.
        since: start of the window: whole nanoseconds, or text like "1.5ms".
        until: end of the window, in the same form.
        core: one core number, text like "0,4-7", or a collection of core numbers.
        function: one function by name or id, or a collection of them.
        run: runs by the number that the source gave them, in the form of `core`.
        rank: ranks, in the same form.

    Returns:
        The part; the same trace when no argument limits it.

    Raises:
        UsageError: a time or a number cannot be read, or the trace has no such function, run or
            rank.

    Examples:
        >>> import lanescope
        >>> trace = lanescope.load("run.lanes")
        >>> part = lanescope.select(trace, since="10us", until="1.5ms", core="0-3")
        >>> sorted(set(part.tasks["core"].tolist()))
        [0, 1, 2, 3]
    """
    limits = {"since": since, "until": until, "core": core, "function": function}
    part = part_of(**limits, run=run, rank=rank)  # type: ignore[arg-type]
    return trace if part is None else cut(trace, part)


def cut(trace: Trace, part: TracePart) -> Trace:
    """The part of a trace; a note in `meta.notes` says which part it is."""
    return _cut(cut_runs(trace, part.runs, part.ranks), part).with_meta(
        notes=(*trace.meta.notes, part.note())
    )


def function_ids(trace: Trace, functions: Collection[str]) -> list[int]:
    """Ids of the functions given by name or number; an unknown one is a UsageError."""
    names = trace.text("functions", "name")
    ids = trace.functions["func"].tolist()
    wanted_ids = []
    for wanted in functions:
        matches = [f for f, name in zip(ids, names, strict=True) if wanted in (name, str(f))]
        if not matches:
            known = ", ".join(map(short, names[:8])) + (", …" if len(names) > 8 else "")
            raise UsageError(
                f"no function {wanted!r} in {trace.meta.name}; it has: {known}"
                f"{did_you_mean(wanted, names)}"
            )
        wanted_ids += matches
    return wanted_ids


def _cut(trace: Trace, part: TracePart) -> Trace:
    wanted = function_ids(trace, part.functions or ())
    tasks = trace.tasks.rows(task_mask(trace.tasks, part, wanted))
    kept = different(tasks["task"])
    others = {name: trace.table(name) for name in TABLES}
    cut = {name: table.rows(row_mask(table, part, kept)) for name, table in others.items()}
    return replace(trace, tasks=tasks, **cut)  # type: ignore[arg-type]
