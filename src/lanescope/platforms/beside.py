"""Runs long work in a second thread, so that the calling thread can handle an interrupt."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Returned = TypeVar("Returned")


def run_beside(work: Callable[[], Returned], cancel: Callable[[], None]) -> Returned:
    """Return what `work` returns, or raise what it raises.

    An interrupt (Ctrl-C) calls `cancel`; the work is then waited for until it ends by itself.
    """
    with ThreadPoolExecutor(1, "lanescope run") as thread:
        running = thread.submit(work)
        while not running.done():
            try:
                wait([running])
            except KeyboardInterrupt:
                cancel()
        return running.result()
