"""The process behind `--view`: it reads a capture while it is recorded, and serves its page.

It is a process of its own, with low priority, so that neither a slow browser nor many of them keep
the recording from its work. It prints the link, takes one line about the end of the recording from
its input, and ends when nobody looks any more, or when its input ends, which is when the command is
gone.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

import msgspec

from lanescope.capture.directory import REGION, process_directories, process_suffixes
from lanescope.capture.live import LiveCapture
from lanescope.errors import InputError, LanescopeError
from lanescope.facade.opening import opened_lazily
from lanescope.facade.shown import shown
from lanescope.trace import Meta, Trace
from lanescope.viewer import LiveServer, LiveState

_LOOK_S = 0.25
"""Time between two looks for new records, in seconds."""
_SHARE = 4
"""A version is made at most so seldom that this process is busy for a quarter of the time."""
_MOST_PROCESSES = 8
"""Processes that are shown below each other."""
_TOLD_S = 2.0
"""How long a page may take to learn that the recording was interrupted, in seconds."""
_CLOSED_S = 3.0
"""How long after the last page was closed it may be opened again, in seconds."""


class LiveEnd(msgspec.Struct, frozen=True):
    """How a recording ended: one line of JSON on the input."""

    traces: tuple[str, ...] = ()
    """The stored traces that the page shows from now on."""
    where: str = ""
    """Where they are, in words."""
    stays: bool = False
    """Whether the page is served until it is closed."""


class Watcher:
    """Follows the captures of a directory, and makes versions for the pages that look."""

    def __init__(self, directory: Path, server: LiveServer) -> None:
        self._directory = directory
        self._server = server
        self._captures: dict[Path, LiveCapture] = {}
        self._next_s = 0.0
        self._is_new = False

    def look(self) -> None:
        """Read what is new; make a version of it where a page looks and it is time."""
        self._open_new()
        for one in self._captures.values():
            self._is_new |= one.look()
        state = self._state()
        now = time.monotonic()
        if not self._is_new or now < self._next_s or not self._server.is_watched(10.0):
            self._server.tell(state)
            return
        begun = time.process_time()
        self._is_new = False
        self._server.show([one.trace() for one in self._captures.values()], state)
        self._next_s = now + max(2 * _LOOK_S, _SHARE * (time.process_time() - begun))

    def _open_new(self) -> None:
        if not self._directory.is_dir():
            return
        alone = (self._directory / REGION).exists()
        paths = [self._directory] if alone else process_directories(self._directory)
        for path, suffix in zip(paths, process_suffixes(paths), strict=True):
            if path not in self._captures and len(self._captures) < _MOST_PROCESSES:
                try:
                    self._captures[path] = LiveCapture(path, suffix)
                except (InputError, OSError):  # not whole yet, or gone already
                    continue

    def _state(self) -> LiveState:
        counts = [one.counts for one in self._captures.values()]
        return LiveState(
            records=sum(one.recorded for one in counts),
            lost=sum(one.lost for one in counts),
            whole=not any(one.left_out for one in self._captures.values()),
        )


def serve_live(directory: Path, name: str, *, told: TextIO, output: TextIO) -> None:
    """Serve a capture until it has ended and nobody looks any more."""
    empty = Trace(meta=Meta(name=name, tool="lanescope", origin="measured"))
    server = LiveServer(empty)
    ended = Event()
    serving = Thread(target=server.serve_forever, args=(_LOOK_S,), daemon=True)
    serving.start()
    print(server.url, file=output, flush=True)
    watching = Thread(target=_watch, args=(Watcher(directory, server), ended), daemon=True)
    watching.start()
    line = told.readline()
    ended.set()
    watching.join()
    if line:
        _end(server, msgspec.json.decode(line, type=LiveEnd), told)
    server.stop()


def _watch(watcher: Watcher, ended: Event) -> None:
    while not ended.wait(_LOOK_S):
        try:
            watcher.look()
        except (LanescopeError, OSError, MemoryError) as error:
            print(f"--view: this could not be shown ({error})", file=sys.stderr)


def _end(server: LiveServer, end: LiveEnd, told: TextIO) -> None:
    """Show the stored traces as long as a page is open, or tell pages where they are."""
    stays = end.stays and server.is_watched() and _show_stored(server, end)
    if not stays:
        server.tell(LiveState(state="ended", where=end.where))
    gone = Event()
    Thread(target=_until_end, args=(told, gone), daemon=True).start()
    begun = time.monotonic()
    while not gone.wait(_LOOK_S / 5):
        late = time.monotonic() - begun
        if not stays and (server.is_told() or late > _TOLD_S):
            return
        if stays and server.is_closed(_CLOSED_S):
            return


def _show_stored(server: LiveServer, end: LiveEnd) -> bool:
    """Have pages show the stored traces; False where these cannot be read."""
    try:
        found = shown(end.traces, opened_lazily)
        state = LiveState(state="stored", where=end.where)
        server.show(found.traces, state, found.options["places"])
    except (LanescopeError, MemoryError):
        return False
    return True


def _until_end(told: TextIO, gone: Event) -> None:
    told.read()
    gone.set()


def main() -> int:
    """Serve the capture that the command line names."""
    directory, name = sys.argv[1:]
    os.nice(10)
    serve_live(Path(directory), name, told=sys.stdin, output=sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
