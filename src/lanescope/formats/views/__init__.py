"""A trace as a timeline viewer shows it: views of named lanes with slices, arrows and counters.

The Perfetto and the Chrome exporter draw these. When the trace has times before its base, all
times (also those in arguments) are shifted so that the earliest is 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from lanescope.formats.ahead import ahead
from lanescope.formats.views.controllers import controllers_view
from lanescope.formats.views.cores import cores_view, scheduler_view
from lanescope.formats.views.counters import counters
from lanescope.formats.views.highlight import highlight_view
from lanescope.formats.views.origin import origin_ns
from lanescope.formats.views.shapes import Argument, Arrows, Counter, Slices, View
from lanescope.trace import Trace
from lanescope.trace.highlight import Highlight

__all__ = [
    "Argument",
    "Arrows",
    "Counter",
    "Slices",
    "View",
    "counters",
    "origin_ns",
    "views",
]


def views(trace: Trace, highlight: Highlight | None = None) -> Iterator[View]:
    """Make the views one by one: cores, scheduler view, controllers, highlight.

    A view without slices is left out, except that of the cores.
    """
    origin = origin_ns(trace)
    makers = (cores_view, scheduler_view, controllers_view)
    for number, view in enumerate(ahead(lambda make: make(trace, origin), makers)):
        if number == 0 or len(view.row):
            yield view
    if highlight is not None and len(highlight.start_ns):
        yield highlight_view(highlight, origin)
