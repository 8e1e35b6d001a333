"""Runs long work in a second thread, so that the calling thread can handle an interrupt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from lanescope.errors import LanescopeError

Returned = TypeVar("Returned")


def run_beside(work: Callable[[], Returned], cancel: Callable[[], None]) -> Returned:
    """Return what `work` returns, or raise what it raises.

    An interrupt (Ctrl-C) calls `cancel`; the work is then waited for until it ends by itself.
    """
    done = threading.Event()
    results: list[Returned] = []
    problems: list[LanescopeError] = []

    def run() -> None:
        try:
            results.append(work())
        except LanescopeError as error:
            problems.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=run, name="lanescope run")
    thread.start()
    while not done.is_set():
        try:
            done.wait()
        except KeyboardInterrupt:
            cancel()
    thread.join()
    if problems:
        raise problems[0]
    [result] = results
    return result
