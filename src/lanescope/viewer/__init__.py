"""The viewer: one page that shows a trace, whole in a file or in tiles from a local server."""

from lanescope.viewer.server import ViewServer, make_server
from lanescope.viewer.write import PageSummary, write_page

__all__ = ["PageSummary", "ViewServer", "make_server", "write_page"]
