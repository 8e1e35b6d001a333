"""The viewer: one page that shows a trace, whole in a file or in tiles from a local server."""

from lanescope.viewer.job_panel import JobPanel
from lanescope.viewer.live import LiveServer, LiveState
from lanescope.viewer.server import ViewServer, make_server
from lanescope.viewer.write import PageSummary, write_page

__all__ = [
    "JobPanel",
    "LiveServer",
    "LiveState",
    "PageSummary",
    "ViewServer",
    "make_server",
    "write_page",
]
