"""What a person at a terminal sees while a long step runs. Nothing is printed elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def working(label: str) -> Iterator[None]:
    """Shows a line on the terminal while the block runs: the label and the time since it began.

    The line is removed at the end of the block. There is none where stderr is no terminal.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(label, total=None)
        yield


@contextmanager
def counting(label: str, total: int) -> Iterator[Callable[[], None]]:
    """Shows a line on the terminal while the block runs: how many are done, the rate, time left.

    The block calls what it is given once per thing that is done. Where stderr is no terminal, or
    there is no label, nothing is shown.
    """
    if not label or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Task as Step
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many are done per second."""

        def render(self, task: Step) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "")

    columns = (
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate()),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        step = bar.add_task(label, total=total)
        yield lambda: bar.advance(step)
