"""Serves a recording while it grows: the page asks how far it is, and takes the newest version.

A version is one set of books. The last few are kept, so that a page that is slow still finds the
columns of the version whose header it has.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lanescope.trace import Trace
from lanescope.trace.table import Array
from lanescope.viewer.book import Book, books_of
from lanescope.viewer.job_panel import page_header
from lanescope.viewer.server import ViewServer
from lanescope.viewer.sql import offered

_PLACES = 64
"""Most traces of one version; the page asks for trace k of version v as v × 64 + k."""
_KEPT = 3
"""Versions whose columns can be asked for."""
_GONE_S = 90.0
"""A page that did not ask for so long is gone; a browser calls hidden pages once a minute."""
_MOST_PAGES = 1024


@dataclass(frozen=True, slots=True)
class LiveState:
    """How far a recording is, as the page tells it."""

    state: str = "running"
    """`running`; `stored`, when the page shows the stored trace; `ended`, when it cannot."""
    records: int = 0
    """Records that were made so far."""
    lost: int = 0
    """Records that were lost so far."""
    whole: bool = True
    """Whether the page shows everything that was recorded; else the last part of it."""
    where: str = ""
    """Where the trace is stored, when it is."""


@dataclass
class _Pages:
    """The pages that look at the recording."""

    seen: dict[str, float] = field(default_factory=dict)
    """When each asked last, in seconds."""
    last_s: float = 0.0
    """When one of them asked last, or left."""
    told: set[str] = field(default_factory=set)
    """Those that know how the recording ended."""

    def asks(self, page: str, *, ended: bool) -> None:
        self.last_s = time.monotonic()
        if page in self.seen or len(self.seen) < _MOST_PAGES:
            self.seen[page] = self.last_s
            if ended:
                self.told.add(page)

    def leaves(self, page: str) -> None:
        self.last_s = time.monotonic()
        self.seen.pop(page, None)

    def open(self, within_s: float) -> set[str]:
        since = time.monotonic() - within_s
        return {page for page, moment in list(self.seen.items()) if moment >= since}


class LiveServer(ViewServer):
    """A web server whose traces are replaced while it serves."""

    def __init__(self, empty: Trace, port: int = 0) -> None:
        """`empty` is what the page shows before the first record."""
        super().__init__([], port)
        self._pages = _Pages()
        self._state = LiveState()
        self._version = 0
        self.show([empty], self._state)

    def show(
        self, traces: Sequence[Trace], state: LiveState, critical: Sequence[Array | None] = ()
    ) -> None:
        """Have pages take these traces from now on; no page waits while they are prepared.

        `critical` are, per trace, the task rows on the critical path.
        """
        books = books_of(traces[:_PLACES], critical)
        headers = [book.tiled_header() for book in books]
        for header in headers if state.state == "running" else ():
            header["losses"] = {**header["losses"], "lost": 0, "broken": 0, "unknown": 0}
        with self.lock:
            self._version += 1
            first = self._version * _PLACES
            oldest = first - (_KEPT - 1) * _PLACES
            kept = {place: book for place, book in self.books.items() if place >= oldest}
            self.books = kept | {first + k: book for k, book in enumerate(books)}
            self._state = state
            about = {"first": first, "version": self._version, "state": state.state}
            self.header = {**page_header(True, headers, None), "live": about, "sql": offered()}

    def tell(self, state: LiveState) -> None:
        """Change what pages are told, and not what they show."""
        self._state = state

    def is_watched(self, within_s: float = _GONE_S) -> bool:
        """Whether a page asked lately."""
        return bool(self._pages.open(within_s))

    def is_closed(self, since_s: float) -> bool:
        """Whether no page has been open for so many seconds; one that loads anew leaves first."""
        late = time.monotonic() - self._pages.last_s > since_s
        return late and not self.is_watched()

    def is_told(self) -> bool:
        """Whether every page knows how the recording ended."""
        return self._pages.open(_GONE_S) <= self._pages.told

    def together(self, number: int) -> list[Book]:
        """The books of the version that this one belongs to."""
        version = number // _PLACES
        return [book for place, book in self.books.items() if place // _PLACES == version]

    def answer(self, path: str, question: dict[str, Any] | None) -> bytes | dict[str, Any]:
        """The answer to a path; see ViewServer.

        LIVE/PAGE says how far the recording is, LIVE/PAGE/header is the newest header, and
        LIVE/PAGE/leave says that the page is closed. PAGE is a name that the page chose.
        """
        what, page, *more = path.strip("/").split("/")
        if what != "live":
            return super().answer(path, question)
        if more == ["leave"]:
            self._pages.leaves(page)
            return {}
        state = self._state
        self._pages.asks(page[:64], ended=state.state != "running")
        if more == ["header"]:
            return self.header
        return {
            "version": self._version,
            "state": state.state,
            "records": state.records,
            "lost": state.lost,
            "whole": state.whole,
            "where": state.where,
        }
