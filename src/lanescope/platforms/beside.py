"""Runs something long beside the calling thread, so that an interrupt reaches that one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from lanescope.errors import LanescopeError

Result = TypeVar("Result")


def run_beside(work: Callable[[], Result], cancel: Callable[[], None]) -> Result:
    """What `work` returns or raises; an interrupt calls `cancel`, and it goes on to its end."""
    done = threading.Event()
    results: list[Result] = []
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
