"""A progress bar for work that takes longer than a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

_QUIET_S = 1.0


def each(items: Sequence[T], label: str) -> Iterable[T]:
    """The items one by one, with a bar once they have taken a second."""
    if not sys.stderr.isatty():
        return items
    return _with_bar(items, label)


def _with_bar(items: Sequence[T], label: str) -> Iterator[T]:
    started = time.monotonic()
    bar = None
    try:
        for number, item in enumerate(items):
            if bar is None and time.monotonic() - started > _QUIET_S:
                bar = _bar()
                bar.add_task(label, total=len(items))
                bar.start()
            if bar is not None:
                bar.update(bar.task_ids[0], completed=number)
            with working(f"{label} {number + 1} of {len(items)}", quiet=bar is not None):
                yield item
    finally:
        if bar is not None:
            bar.stop()


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)


@contextmanager
def working(label: str, *, quiet: bool = False) -> Iterator[None]:
    """A spinner while one long step runs."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(label):
        yield
