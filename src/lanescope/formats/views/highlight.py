"""The view of a highlight, which an analysis made; the exporters draw it last."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.layout import lay
from lanescope.formats.views.origin import since
from lanescope.formats.views.shapes import Argument, Bars, View
from lanescope.trace.highlight import Highlight


def highlight_view(highlight: Highlight | None, origin: int) -> View | None:
    """The bars of a highlight on lanes of their own; None where there is none."""
    if highlight is None:
        return None
    bars = Bars(
        np.asarray(highlight.lane),
        since(highlight.start_ns, origin),
        since(highlight.end_ns, origin),
        highlight.name,
        highlight.names,
        (Argument("task", highlight.task),),
        "highlight",
    )
    return lay(highlight.title, list(highlight.lanes), (bars,))
