"""Launches as something that is drawn: what each is called, and a lane of phases for pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lanescope.trace.numbering import find
from lanescope.trace.schema import NO_WORD
from lanescope.trace.table import Table

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace

LAUNCH = "launch"
"""The kind of lane that launches lie on, and what one without a name or function is called."""


def launch_names(trace: Trace) -> list[str]:
    """What each launch is called: its name, else the function of its tasks, else `launch`."""
    functions = [*trace.text("functions", "name"), ""]
    at = find(trace.functions["func"], trace.launches["func"]).tolist()
    named = zip(trace.text("launches", "name"), at, strict=True)
    return [name or functions[place] or LAUNCH for name, place in named]


def with_launch_phases(trace: Trace) -> Trace:
    """The trace with a phase per launch on a lane `launches`; the same trace without launches."""
    from lanescope.trace.trace import Words

    launches = trace.launches
    if not len(launches):
        return trace
    words = Words(trace.words)
    count = len(launches)
    phases = {
        "lane": np.full(count, words.code(LAUNCH), np.int32),
        "controller": np.zeros(count, np.int32),
        "kind": words.codes(launch_names(trace)),
        **{name: launches[name] for name in ("start_ns", "end_ns", "launch")},
    }
    lane = {
        "lane": phases["lane"][:1],
        "controller": phases["controller"][:1],
        "name": words.codes(["launches"]),
        "kind": np.array([NO_WORD], np.int32),
    }
    frozen = words.freeze()
    return replace(
        trace,
        words=frozen,
        phases=_below(trace.phases, Table.build("phases", phases, words=frozen)),
        controllers=_below(trace.controllers, Table.build("controllers", lane, words=frozen)),
    )


def _below(table: Table, more: Table) -> Table:
    """The rows of both; words keep their codes."""
    columns = {
        column.name: np.concatenate([table[column.name], more[column.name]])
        for column in table.schema.columns
    }
    return Table.build(table.schema.name, columns, words=more.words)
