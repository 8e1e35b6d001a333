"""The open connections of a server: at most so many, and none for longer than its time.

A client that has shown the token is known. Where there are too many, one that is not known makes
room for the next, so that whoever fills the server with half-open connections shuts out nobody.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from socket import SHUT_RDWR, socket
from threading import Lock

MOST = 64
"""Connections at once; a browser opens six."""
READING_S = 10.0
"""Seconds in which a request must have arrived."""
IDLE_S = 60.0
"""Seconds that a known client may stay silent."""
ANSWERING_S = 60.0
"""Seconds in which an answer must have been taken."""


@dataclass
class _Open:
    connection: socket
    deadline: float
    known: bool = False


class Connections:
    """Keeps count of the connections of one server."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: socket) -> bool:
        """Take one more; False where all places are taken by known clients."""
        with self._lock:
            if len(self._open) >= MOST:
                strangers = [one for one in self._open.values() if not one.known]
                if not strangers:
                    return False
                self._end(min(strangers, key=lambda one: one.deadline))
            self._open[id(connection)] = _Open(connection, time.monotonic() + READING_S)
            return True

    def remove(self, connection: socket) -> None:
        """Forget a connection that was closed."""
        with self._lock:
            self._open.pop(id(connection), None)

    def wait(self, connection: socket) -> None:
        """The next request of a connection must arrive in time."""
        one = self._open.get(id(connection))
        if one is not None:
            one.deadline = time.monotonic() + (IDLE_S if one.known else READING_S)

    def answer(self, connection: socket, *, known: bool) -> None:
        """A request has arrived; its answer must be taken in time."""
        one = self._open.get(id(connection))
        if one is not None:
            one.known |= known
            one.deadline = time.monotonic() + ANSWERING_S

    def end_late(self) -> None:
        """End every connection whose time is over."""
        now = time.monotonic()
        with self._lock:
            for one in [one for one in self._open.values() if one.deadline < now]:
                self._end(one)

    def _end(self, one: _Open) -> None:
        """End a connection; its thread then closes it."""
        self._open.pop(id(one.connection), None)
        with suppress(OSError):
            one.connection.shutdown(SHUT_RDWR)
