"""Pages and pictures of traces: view, serve, plots."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass
from html import escape
from io import BytesIO
from os import PathLike
from pathlib import Path
from threading import Thread

from lanescope.facade.opening import TraceLike, opened, opened_in_part, opened_lazily
from lanescope.facade.shown import Viewable, shown
from lanescope.formats.output import atomic_output
from lanescope.reports import plots as drawing
from lanescope.results import Result
from lanescope.trace.places import local_path
from lanescope.trace.window import Numbers
from lanescope.viewer import PageSummary, ViewServer, make_server, write_page

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


def view(
    trace: Viewable,
    *others: Viewable,
    html: str | PathLike[str] | None = None,
    rank: Numbers | None = None,
    by_run: bool = False,
) -> Page:
    """Draws traces below each other on one time axis, as a page that a notebook shows.

    Args:
        trace: A Trace, the path or URL of a stored one, or the path of another tool's files; or a
            Job, or the folder of its traces: its ranks lie below each other on one clock.
        *others: More traces, below the first.
        html: Writes the page to this file, too.
        rank: These ranks, as in "0,4-7"; of a job at most eight where none are named, those that
            hold it up first.
        by_run: Every run of a trace as a trace of its own, to lay beside the others.

    Returns:
        The page; `page.save(path)` writes it, and the last line of a notebook's cell shows it.

    Raises:
        InputError: A path cannot be read as a trace.
        UsageError: There is no such rank, or a job and something beside it.
        OutputError: The file cannot be written.

    Examples:
        >>> lanescope.view("examples/small_run")
        <Page of 1 traces, ... bytes>
        >>> lanescope.view("train.job", rank="0-1")
        <Page of 2 traces, ... bytes>
    """
    found = shown((trace, *others), opened_in_part, by_run=by_run, rank=rank)
    stream = BytesIO()
    summary = write_page(found.traces, stream, **found.options)
    page = Page(summary, stream.getvalue())
    if html is not None:
        page.save(html)
    return page


def serve(
    trace: Viewable,
    *others: Viewable,
    port: int = 0,
    open: bool = False,
    rank: Numbers | None = None,
    by_run: bool = False,
) -> ViewServer:
    """Serves the viewer on this machine alone; large traces open at once.

    Args:
        trace: A trace or a job, as for `view`.
        *others: More traces, below the first.
        port: Port to listen on; 0 chooses a free one.
        open: Opens the browser, too.
        rank: These ranks; see `view`.
        by_run: Every run as a trace of its own; see `view`.

    Returns:
        The server, already answering in a thread of its own: `server.url` is what to open,
        `server.stop()` ends it.

    Raises:
        InputError: A path cannot be read as a trace.
        UsageError: The port is taken, there is no such rank, or a job and something beside it.

    Examples:
        >>> server = lanescope.serve("examples/small_run")
        >>> server.url.startswith("http://127.0.0.1:")
        True
        >>> server.stop()
    """
    found = shown((trace, *others), opened_lazily, by_run=by_run, rank=rank)
    server = make_server(found.traces, port=port, **found.options)
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

    Examples:
        >>> sorted(lanescope.plots("examples/small_run"))
        ['durations.svg', 'utilisation.svg', 'waits.svg']
    """
    pictures = drawing.plots(opened(trace))
    for name, svg in pictures.items() if folder is not None else ():
        with atomic_output(local_path(folder or ".") / name) as stream:
            stream.write(svg.encode())
    return pictures
