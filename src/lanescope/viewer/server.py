"""Serves the page on this machine only: first the page, then tiles as the reader looks at them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import unquote, urlsplit

from lanescope.errors import UsageError
from lanescope.trace import Trace
from lanescope.trace.table import Array
from lanescope.viewer.book import Book, books_of, described
from lanescope.viewer.columns import gzip
from lanescope.viewer.job_panel import JobPanel, page_header
from lanescope.viewer.page import block, frame
from lanescope.viewer.questions import match, neighbours

LOOPBACK = "127.0.0.1"
_MOST_BYTES = 1 << 20
"""Longest question that is read."""


class ViewServer(ThreadingHTTPServer):
    """A web server for some traces that listens on loopback only."""

    daemon_threads = True

    def __init__(self, books: list[Book], port: int, job: JobPanel | None = None) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.books = books
        self.lock = Lock()
        headers = [book.tiled_header() for book in books]
        self.header = page_header(True, headers, job)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error; a reader who has gone away is none."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://{LOOPBACK}:{self.server_address[1]}/"

    def stop(self) -> None:
        """Stops answering and gives the port back; for a server that runs in a thread."""
        self.shutdown()
        self.server_close()

    def page(self) -> bytes:
        """The page with the headers of all traces and no tile."""
        top, bottom = frame(self.header, connect="'self'").split("<!-- data -->")
        data = block("header", gzip(json.dumps(self.header).encode()))
        return top.encode() + data + bottom.encode()

    def answer(self, path: str, question: dict[str, Any] | None) -> bytes | dict[str, Any]:
        """The answer to a path; raises an error where there is none.

        Without a question DATA/TRACE/TILE says how to read a tile's tables, and
        DATA/TRACE/TILE/TABLE/COLUMN is the packed column. With a question there are
        DATA/TRACE/neighbours and DATA/TRACE/match.
        """
        _, number, what, *column = path.strip("/").split("/")
        book = self.books[int(number)]
        with self.lock:
            if question is None:
                tables = book.tables(what)
                if not column:
                    return described(tables)
                return next(c.data for c in tables[column[0]].columns if c.name == column[1])
            tasks = book.bars["tasks"]
            if what == "neighbours":
                return neighbours(book.trace, tasks, int(question["row"]))
            return match(book.trace, tasks, question)


def make_server(
    traces: Sequence[Trace],
    *,
    port: int = 0,
    critical: Sequence[Array | None] = (),
    job: JobPanel | None = None,
) -> ViewServer:
    """A server that listens already; port 0 takes a free port.

    `critical` are, per trace, the task rows on the critical path; `job` is the job whose ranks the
    traces are.
    """
    try:
        return ViewServer(books_of(traces, critical, job), port, job)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"port {port} cannot be used ({reason}); choose another") from error


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if not self._is_local():
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/":
            self._send(self.server.page(), "text/html; charset=utf-8")
        else:
            self._answer(path, None)

    def do_POST(self) -> None:
        if not self._is_local():
            return
        try:
            size = int(self.headers.get("Content-Length") or 0)
            if not 0 < size <= _MOST_BYTES:
                self.send_error(413)
                return
            question = json.loads(self.rfile.read(size))
        except ValueError:
            self.send_error(400)
            return
        self._answer(unquote(urlsplit(self.path).path), question)

    def _is_local(self) -> bool:
        """Whether the request names this machine; else it is refused.

        Another site's page must not read the trace by pointing its own name at loopback.
        """
        port = self.server.server_address[1]
        if self.headers.get("Host") in (f"{LOOPBACK}:{port}", f"localhost:{port}"):
            return True
        self.send_error(403)
        return False

    def _answer(self, path: str, question: dict[str, Any] | None) -> None:
        try:
            answer = self.server.answer(path, question)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration):
            self.send_error(404)
            return
        if isinstance(answer, bytes):
            self._send(answer, "application/octet-stream")
        else:
            self._send(json.dumps(answer).encode(), "application/json")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for a request."""
