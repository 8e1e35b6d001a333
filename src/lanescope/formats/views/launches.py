"""The view of the launches of recorded kernels, and the bars of their CTAs on the lanes of cores.

Neither is read back: the text of the file has both tables.
"""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.arguments import arguments_of
from lanescope.formats.views.layout import lay
from lanescope.formats.views.names import word_names
from lanescope.formats.views.origin import since
from lanescope.formats.views.shapes import Bars, View
from lanescope.trace import MISSING, Table, Trace
from lanescope.trace.lanes import Lanes
from lanescope.trace.launch_lanes import LAUNCH, launch_names
from lanescope.trace.numbering import find
from lanescope.trace.table import Array


def launches_view(trace: Trace, origin: int) -> View | None:
    """A bar per launch; None where the trace knows none."""
    if not len(trace.launches):
        return None
    names = launch_names(trace)
    bars = _bars(trace.launches, np.zeros(len(trace.launches), np.int32), names, origin)
    return lay("launches", ["launches"], (bars,))


def block_bars(trace: Trace, lanes: Lanes, origin: int) -> tuple[Bars, ...]:
    """A bar per CTA on the lane of its core, around its tasks; none without launches."""
    if not len(trace.blocks):
        return ()
    names = [*launch_names(trace), LAUNCH]
    of = find(trace.launches["launch"], trace.blocks["launch"])
    lane = lanes.of_core(trace.blocks["core"])
    return (_bars(trace.blocks, lane, [names[place] for place in of.tolist()], origin),)


def _bars(table: Table, lane: Array, names: list[str], origin: int) -> Bars:
    """Bars of the rows whose times are known."""
    rows = np.flatnonzero((table["start_ns"] != MISSING) & (table["end_ns"] != MISSING))
    used, code = np.unique(names, return_inverse=True)
    shown = {name: name for name in ("launch", "call", "blocks", "physical_core")}
    have = {column.name for column in table.schema.columns}
    return Bars(
        lane[rows],
        since(table["start_ns"][rows], origin),
        since(table["end_ns"][rows], origin),
        *word_names(code[rows], tuple(used.tolist()), LAUNCH),
        arguments_of(table, rows, {name: shown[name] for name in shown if name in have}),
        "launch" if table.schema.name == "launches" else "block",
    )
