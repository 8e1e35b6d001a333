"""A view of its own for what an analysis found; the exporters draw it last."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.layout import lay
from lanescope.formats.views.origin import since
from lanescope.formats.views.shapes import Argument, Slices, View
from lanescope.trace.highlight import Highlight


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
