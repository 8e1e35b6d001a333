"""`--view`: a page that shows a recording while it grows, from a process of its own."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds --view."""
    parser.add_argument(
        "--view",
        action="store_true",
        help="print a link to a page that shows the lanes while they grow; it becomes the stored "
        "trace, and the command ends when it is closed",
    )


class Viewing:
    """The process that serves the page, or none."""

    def __init__(self, process: subprocess.Popen[str] | None) -> None:
        self._process = process
        self._stored: tuple[Path, ...] = ()
        self._where = ""

    def stored(self, traces: Sequence[Path], where: Path) -> None:
        """Remember the traces that the page shows in the end, and where they are."""
        self._stored, self._where = tuple(traces), str(where)

    def stay(self) -> None:
        """Serve the stored traces until every page is closed; Ctrl-C ends that, too."""
        if self._process is not None and self._stored:
            self._tell(stays=True)

    def close(self) -> None:
        """Tell pages where the traces are, and end the process."""
        if self._process is None:
            return
        self._tell(stays=False)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5.0)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _tell(self, *, stays: bool) -> None:
        """Say how the recording ended, and wait until the process has ended."""
        import msgspec

        assert self._process is not None
        assert self._process.stdin is not None
        traces = [str(path.absolute()) for path in self._stored if stays]
        end = {"traces": traces, "where": self._where, "stays": stays}
        with suppress(OSError, KeyboardInterrupt):  # it may be gone; the recording is stored
            self._process.stdin.write(f"{msgspec.json.encode(end).decode()}\n")
            self._process.stdin.flush()
            self._process.wait()


@contextmanager
def viewing(args: argparse.Namespace, directory: Path, name: str) -> Iterator[Viewing]:
    """Serve a page of the capture in a directory while something is done, if --view is given."""
    if not args.view:
        yield Viewing(None)
        return
    # A session of its own: Ctrl-C is for the recording, and this process ends after it.
    process = subprocess.Popen(
        [sys.executable, "-m", "lanescope.facade.live", str(directory.absolute()), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    view = Viewing(process)
    try:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        if link:
            print(f"{link}  (shows the lanes while they grow)", file=sys.stderr, flush=True)
        else:
            print("--view: the page could not be served; recording goes on", file=sys.stderr)
        yield view
    finally:
        view.close()
