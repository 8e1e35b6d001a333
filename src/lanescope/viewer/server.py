"""Serves the page on this machine only: first the page, then tiles as the reader looks at them.

Whoever opens the printed link gets a cookie, and only who has it is answered: other users of this
machine can reach the port, too.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from lanescope.errors import InputError, UsageError
from lanescope.trace import Trace
from lanescope.viewer.area import area_figures
from lanescope.viewer.book import Book, books_of, described
from lanescope.viewer.columns import gzip
from lanescope.viewer.connections import Connections
from lanescope.viewer.job_panel import JobPanel, page_header
from lanescope.viewer.page import block, frame
from lanescope.viewer.paths import path as path_between
from lanescope.viewer.questions import neighbours, outliers
from lanescope.viewer.search import find
from lanescope.viewer.sql import SqlTables, offered

LOOPBACK = "127.0.0.1"
_MOST_BYTES = 1 << 20
"""Longest question that is read."""
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer says: not to be kept, framed, guessed at, or read by another site."""
_WRONG = (
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
    *(StopIteration, RecursionError),
)
"""What a question that makes no sense may raise."""


class ViewServer(ThreadingHTTPServer):
    """A web server for some traces that listens on loopback only."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, books: list[Book], port: int, job: JobPanel | None = None) -> None:
        self._sql: dict[int, SqlTables] = {}
        super().__init__((LOOPBACK, port), _Handler)
        self.books = dict(enumerate(books))
        """The books by the number that the page asks for."""
        self.lock = Lock()
        self.connections = Connections()
        self.token = secrets.token_urlsafe(24)
        headers = [book.tiled_header() for book in books]
        self.header = page_header(True, headers, job) | {"sql": offered()}
        self.ranks: list[int] | None = None if job is None else job.about["shown"]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error; a reader who has gone away is none."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, while there is room for one more."""
        if self.connections.add(request):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def close_request(self, request: Any) -> None:
        """Close a connection and make room for another."""
        self.connections.remove(request)
        super().close_request(request)

    def service_actions(self) -> None:
        """End the connections whose time is over; called again and again while it serves."""
        self.connections.end_late()

    @property
    def url(self) -> str:
        """The address to open in a browser. It holds the token: who knows it may read."""
        return f"http://{LOOPBACK}:{self.server_address[1]}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Name of the cookie; cookies do not tell ports apart."""
        return f"lanescope-{self.server_address[1]}"

    def knows(self, token: str | None) -> bool:
        """Whether this is the token."""
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def _tables_of(self, number: int) -> SqlTables:
        """The tables of a trace for SQL; those of traces that are shown no more go."""
        with self.lock:
            for old in self._sql.keys() - self.books.keys():
                self._sql.pop(old).close()
            if number not in self._sql:
                self._sql[number] = SqlTables(self.books[number].trace)
            return self._sql[number]

    def server_close(self) -> None:
        """Give the port back, and remove the files of questions."""
        super().server_close()
        for tables in self._sql.values():
            tables.close()

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
        DATA/TRACE/neighbours, DATA/TRACE/path, DATA/TRACE/outliers, DATA/TRACE/find, DATA/TRACE/sql
        and DATA/TRACE/area; an area may have lanes of all traces.
        """
        _, number, what, *column = path.strip("/").split("/")
        book = self.books[int(number)]
        if what == "sql" and question is not None:
            return self._tables_of(int(number)).answer(question["sql"])
        with self.lock:
            if question is None:
                tables = book.tables(what)
                if not column:
                    return described(tables)
                return next(c.data for c in tables[column[0]].columns if c.name == column[1])
            tasks = book.bars["tasks"]
            if what == "neighbours":
                hops = int(question.get("hops", 1))
                return neighbours(book.trace, tasks, int(question["row"]), hops)
            if what == "path":
                rows = int(question["from"]), int(question["to"])
                return path_between(book.trace, tasks, rows)
            if what == "outliers":
                return outliers(book.trace, tasks, int(question["name"]))
            if what == "area":
                books = self.together(int(number))
                return area_figures(books, self._labels(books), question)
            return find(book, question)

    def together(self, number: int) -> list[Book]:
        """The books of the page that asks for this one, in the page's order."""
        return list(self.books.values())

    def _labels(self, books: list[Book]) -> list[str]:
        """What tells each book from the others of its page."""
        if self.ranks is not None:
            return [f"Rank {rank}" for rank in self.ranks]
        several = len(books) > 1
        return [f"trace {chr(65 + k % 26)}" if several else "" for k in range(len(books))]


def make_server(
    traces: Sequence[Trace],
    *,
    port: int = 0,
    places: Sequence[str | None] = (),
    job: JobPanel | None = None,
) -> ViewServer:
    """A server that listens already; port 0 takes a free port.

    `places` is where each trace came from: it tells those of one name apart. `job` is the job whose
    ranks the traces are.
    """
    try:
        return ViewServer(books_of(traces, places, job), port, job)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"port {port} cannot be used ({reason}); choose another") from error


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    connection: socket
    protocol_version = "HTTP/1.1"
    server_version = "lanescope"
    sys_version = ""

    def handle_one_request(self) -> None:
        """Answer one request of a connection; one that takes too long is cut off."""
        self.server.connections.wait(self.connection)
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer the page, or a tile."""
        address = urlsplit(self.path)
        path = unquote(address.path)
        if not self._is_local():
            return
        if path == "/" and self.server.knows(parse_qs(address.query).get("token", [None])[0]):
            self.server.connections.answer(self.connection, known=True)
            self._send_cookie()
        elif not self._is_known():
            return
        elif path == "/":
            self._send(self.server.page(), "text/html; charset=utf-8")
        else:
            self._answer(path, None)

    def do_POST(self) -> None:
        """Answer a question about a trace."""
        if not self._is_local() or not self._is_known():
            return
        try:
            size = int(self.headers.get("Content-Length") or 0)
            if not 0 < size <= _MOST_BYTES:
                self._refuse(413, "the question is too long, or has no length")
                return
            question = json.loads(self.rfile.read(size))
        except (ValueError, RecursionError):
            self._refuse(400, "the question is no JSON")
            return
        self._answer(unquote(urlsplit(self.path).path), question)

    def _is_local(self) -> bool:
        """Whether the request names this machine and comes from its own page; else it is refused.

        Another site's page must not read the trace by pointing its own name at loopback, and must
        not ask from where it is.
        """
        port = self.server.server_address[1]
        hosts = (f"{LOOPBACK}:{port}", f"localhost:{port}")
        origin = self.headers.get("Origin")
        here = origin is None or origin in [f"http://{host}" for host in hosts]
        if here and self.headers.get("Host") in hosts:
            return True
        self._refuse(403, "the request comes from another site")
        return False

    def _is_known(self) -> bool:
        """Whether the request has the cookie of who opened the link; else it is refused."""
        pairs = (pair.strip().partition("=") for pair in self.headers.get("Cookie", "").split(";"))
        known = any(
            self.server.knows(value) for name, _, value in pairs if name == self.server.cookie
        )
        self.server.connections.answer(self.connection, known=known)
        if not known:
            self._refuse(403, "open the whole link that lanescope printed, with its token")
        return known

    def _answer(self, path: str, question: Any) -> None:
        try:
            answer = self.server.answer(path, question)
        except _WRONG:
            self._refuse(404, "there is no answer to that")
            return
        except InputError as error:
            self._refuse(500, str(error))
            return
        if isinstance(answer, bytes):
            self._send(answer, "application/octet-stream")
        else:
            self._send(json.dumps(answer).encode(), "application/json")

    def _send_cookie(self) -> None:
        """Hand out the cookie, and lead to the page, whose address has no token."""
        cookie = f"{self.server.cookie}={self.server.token}; HttpOnly; SameSite=Lax; Path=/"
        self._send(b"", "text/plain", 303, {"Set-Cookie": cookie, "Location": "/"})

    def _refuse(self, status: int, why: str) -> None:
        """Say why, and end the connection: what else it has sent is not read."""
        self.close_connection = True
        more = {"Connection": "close"}
        self._send(f"{why}\n".encode(), "text/plain; charset=utf-8", status, more)

    def _send(
        self, body: bytes, kind: str, status: int = 200, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (_HEADERS | (more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for a request."""
