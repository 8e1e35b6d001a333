"""`lanescope collect --view` with a program that records at a given pace, for tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.capture.programs import built


def paced(folder: Path) -> Path:
    """paced.c as a program."""
    return built(Path(__file__).parent / "paced.c", folder / "paced")


@contextmanager
def collecting(folder: Path, *command: object, options: tuple[str, ...] = ()) -> Iterator[Any]:
    """The command while it runs, and the link that it printed."""
    start = [sys.executable, "-m", "lanescope", "collect", "--view", *options]
    line = [*start, "-o", str(folder / "live.lanes"), "--", *map(str, command)]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen(line, start_new_session=True, **pipes)
    try:
        link = process.stderr.readline().split()[0]
        assert link.startswith("http://127.0.0.1:"), link
        yield process, link
    finally:
        with suppress(ProcessLookupError):  # also the program that it started
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
