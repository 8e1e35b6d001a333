"""What a person at a terminal sees while a long step runs. Nothing is printed elsewhere.

Steps may lie in each other: the innermost one is shown. `silent` keeps all of them from showing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

Advance: TypeAlias = Callable[..., None]
"""Says that one more is done, or so many more."""

_shown: list[Progress] = []
"""The lines of the steps that run, the innermost last."""
_silent: list[bool] = []


@contextmanager
def silent() -> Iterator[None]:
    """Show nothing while the block runs."""
    _silent.append(True)
    try:
        yield
    finally:
        _silent.pop()


def shows_progress() -> bool:
    """Whether a step shows a line: stderr is a terminal, and nobody asked for silence."""
    return not _silent and sys.stderr.isatty()


@contextmanager
def working(label: str) -> Iterator[None]:
    """Shows a line on the terminal while the block runs: the label and the time since it began.

    The line is removed at the end of the block. There is none where stderr is no terminal.
    """
    if not shows_progress():
        yield
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    with _line(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()) as bar:
        bar.add_task(label, total=None)
        yield


@contextmanager
def counting(label: str, total: int) -> Iterator[Advance]:
    """Shows a line on the terminal while the block runs: how many are done, the rate, time left.

    The block calls what it is given once per thing that is done, or with a number of them. Where
    stderr is no terminal, or there is no label, nothing is shown.
    """
    if not label or not shows_progress():
        yield _nothing
        return
    from rich.progress import MofNCompleteColumn, ProgressColumn
    from rich.progress import Task as Step
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many are done per second."""

        def render(self, task: Step) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "")

    with _counted(label, total, MofNCompleteColumn(), Rate()) as advance:
        yield advance


@contextmanager
def reading(label: str, total_bytes: int) -> Iterator[Advance]:
    """Like `counting`, of bytes; the block says how many more it has read."""
    if not label or not shows_progress():
        yield _nothing
        return
    from rich.progress import DownloadColumn, TransferSpeedColumn

    with _counted(label, total_bytes, DownloadColumn(), TransferSpeedColumn()) as advance:
        yield advance


@contextmanager
def _counted(label: str, total: int, *columns: ProgressColumn) -> Iterator[Advance]:
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    every = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
    with _line(*every) as bar:
        step = bar.add_task(label, total=total)
        yield lambda more=1: bar.advance(step, more)


@contextmanager
def _line(*columns: ProgressColumn) -> Iterator[Progress]:
    """A line for one step; that of the step around it comes back afterwards."""
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    if _shown:
        _shown[-1].stop()
    _shown.append(bar)
    try:
        with bar:
            yield bar
    finally:
        _shown.remove(bar)  # not always the innermost: steps of other threads end when they like
        if _shown:
            _shown[-1].start()


def _nothing(*more: int) -> None:
    """Nobody looks."""
