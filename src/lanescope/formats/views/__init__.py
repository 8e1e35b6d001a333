"""A trace as a timeline viewer shows it: views of named lanes with bars and arrows, and series.

Both exporters of timelines draw these. Where the trace has times before its base, all times (also
those in arguments) are shifted so that the earliest one is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lanescope.formats.ahead import ahead
from lanescope.formats.views.controllers import controllers_view
from lanescope.formats.views.cores import cores_view, scheduler_view
from lanescope.formats.views.highlight import highlight_view
from lanescope.formats.views.launches import launches_view
from lanescope.formats.views.origin import origin_ns
from lanescope.formats.views.series import series_of
from lanescope.formats.views.shapes import Argument, Arrows, Bars, Producer, Series, View
from lanescope.trace import Trace
from lanescope.trace.highlight import Highlighter

__all__ = [
    "Argument",
    "Arrows",
    "Bars",
    "Producer",
    "Series",
    "View",
    "origin_ns",
    "series_of",
    "views",
]


def views(trace: Trace, highlight: Highlighter | None = None) -> Iterator[View]:
    """The views that have bars: cores, scheduler view, controllers, then the highlight.

    The view of the cores comes always, also without bars. Where launches are known, the host's
    threads and the launches stand above the cores.
    """
    origin = origin_ns(trace)
    makers: list[Callable[[Trace, int], View | None]]
    makers = [cores_view, scheduler_view, controllers_view]
    if len(trace.launches):
        makers = [controllers_view, launches_view, cores_view, scheduler_view]
    if highlight is not None:
        makers.append(lambda trace, origin: highlight_view(highlight(trace), origin))
    for maker, view in zip(makers, ahead(lambda make: make(trace, origin), makers), strict=True):
        if view is not None and (maker is cores_view or len(view.row)):
            yield view
