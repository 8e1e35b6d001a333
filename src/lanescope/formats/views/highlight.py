"""A view of its own for what an analysis found: lanes of slices that the exporters draw last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.views.layout import lay
from lanescope.formats.views.origin import since
from lanescope.formats.views.shapes import Argument, Slices, View
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True, eq=False)
class Highlight:
    """Slices in the trace's time; `lane` points into `lanes`, `name` into `names`, `task` is an
    id or MISSING."""

    title: str
    lanes: tuple[str, ...]
    lane: Array
    start_ns: Array
    end_ns: Array
    name: Array
    names: tuple[str, ...]
    task: Array


def highlight_view(found: Highlight, origin: int) -> View:
    slices = Slices(
        np.asarray(found.lane),
        since(found.start_ns, origin),
        since(found.end_ns, origin),
        found.name,
        found.names,
        (Argument("task", found.task),),
    )
    return lay(found.title, list(found.lanes), (slices,))
