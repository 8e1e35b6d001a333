"""A view of its own for the bars of an analysis; the exporters draw it last."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.layout import lay
from lanescope.formats.views.origin import since
from lanescope.formats.views.shapes import Argument, Slices, View
from lanescope.trace.highlight import Highlight


def highlight_view(highlight: Highlight, origin: int) -> View:
    """Lay the bars of an analysis on lanes; `origin` is the time in ns that becomes 0."""
    slices = Slices(
        np.asarray(highlight.lane),
        since(highlight.start_ns, origin),
        since(highlight.end_ns, origin),
        highlight.name,
        highlight.names,
        (Argument("task", highlight.task),),
    )
    return lay(highlight.title, list(highlight.lanes), (slices,))
