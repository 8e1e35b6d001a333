"""A lock that threads get in the order in which they asked for it.

One that drains without a pause would otherwise keep the signs of life from the connection.
"""

from __future__ import annotations

import threading


class FairLock:
    """A fair lock, for `with`."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._asked = 0
        self._served = 0

    def __enter__(self) -> None:
        with self._change:
            mine, self._asked = self._asked, self._asked + 1
            while mine != self._served:
                self._change.wait()

    def __exit__(self, *_: object) -> None:
        with self._change:
            self._served += 1
            self._change.notify_all()
