"""Pages and pictures of traces: view, serve, plots."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from os import PathLike
from pathlib import Path
from threading import Thread

from lanescope.analyze.graph.highlight import critical_rows
from lanescope.facade.opening import TraceLike, opened, opened_lazily
from lanescope.formats.output import atomic_output
from lanescope.reports import plots as drawing
from lanescope.results import Result
from lanescope.trace.places import local_path
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.viewer import PageSummary, ViewServer, is_explained, make_server, write_page

_HEIGHT_PX = 640


@dataclass(frozen=True, slots=True)
class Page(Result):
    """A page with one trace or several; a notebook shows it."""

    summary: PageSummary
    """How many traces, bars, lanes, edges and bytes it holds."""
    html: bytes
    """The page itself: it opens offline and asks for nothing."""

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the page whole or not at all; returns the path."""
        target = local_path(path)
        with atomic_output(target) as stream:
            stream.write(self.html)
        return target

    def _repr_html_(self) -> str:
        page = escape(self.html.decode())
        return (
            f'<iframe srcdoc="{page}" width="100%" height="{_HEIGHT_PX}" '
            'sandbox="allow-scripts allow-downloads" style="border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page of {self.summary.traces} traces, {self.summary.bytes:,} bytes>"


def view(trace: TraceLike, *others: TraceLike, html: str | PathLike[str] | None = None) -> Page:
    """Draws traces below each other on one time axis, as a page that a notebook shows.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.
        *others: More traces, below the first.
        html: Writes the page to this file, too.

    Returns:
        The page; `page.save(path)` writes it, and the last line of a notebook's cell shows it.

    Raises:
        InputError: A path cannot be read as a trace.
        OutputError: The file cannot be written.

    Example:
        >>> lanescope.view("examples/small_run")
        <Page of 1 traces, ... bytes>
    """
    traces = [opened(one) for one in (trace, *others)]
    stream = BytesIO()
    summary = write_page(traces, stream, critical=critical_of(traces))
    page = Page(summary, stream.getvalue())
    if html is not None:
        page.save(html)
    return page


def serve(trace: TraceLike, *others: TraceLike, port: int = 0, open: bool = False) -> ViewServer:
    """Serves the viewer on this machine alone; large traces open at once.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.
        *others: More traces, below the first.
        port: Port to listen on; 0 chooses a free one.
        open: Opens the browser, too.

    Returns:
        The server, already answering in a thread of its own: `server.url` is what to open,
        `server.stop()` ends it.

    Raises:
        InputError: A path cannot be read as a trace.
        UsageError: The port is taken.

    Example:
        >>> server = lanescope.serve("examples/small_run")
        >>> server.url.startswith("http://127.0.0.1:")
        True
        >>> server.stop()
    """
    traces = [opened_lazily(one) for one in (trace, *others)]
    server = make_server(traces, port=port, critical=critical_of(traces))
    Thread(target=server.serve_forever, daemon=True).start()
    if open:
        webbrowser.open(server.url)
    return server


def plots(trace: TraceLike, folder: str | PathLike[str] | None = None) -> dict[str, str]:
    """Draws a trace as pictures: utilisation, durations, waits and, where known, a roofline.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files.
        folder: Writes the pictures into this folder, too.

    Returns:
        SVG text by file name.

    Raises:
        InputError: The path cannot be read as a trace.
        OutputError: A file cannot be written.

    Example:
        >>> sorted(lanescope.plots("examples/small_run"))
        ['durations.svg', 'utilisation.svg', 'waits.svg']
    """
    pictures = drawing.plots(opened(trace))
    for name, svg in pictures.items() if folder is not None else ():
        with atomic_output(local_path(folder or ".") / name) as stream:
            stream.write(svg.encode())
    return pictures


def critical_of(traces: Sequence[Trace]) -> list[Array | None]:
    """Per trace the rows of its task table on the observed path; None where nothing explains."""
    return [critical_rows(trace) if is_explained(trace) else None for trace in traces]
