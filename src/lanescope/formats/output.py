"""Writes a file whole or not at all, and lets another thread do the writing."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from lanescope.errors import OutputError
from lanescope.trace.replacing import draft_path, held, sweep


@contextmanager
def atomic_output(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a stream into `path`: afterwards it is the whole new file, or what it was before.

    A name that ends in .gz or .zst is compressed, the same bytes each time. Raises OutputError
    where the target cannot be written.
    """
    target = Path(path)
    temporary = draft_path(target)
    try:
        _refuse_special(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target)
        try:
            temporary.touch(exist_ok=False)
            with held(temporary):
                with temporary.open("r+b") as file, _compressed(target, file) as stream:
                    yield stream
                temporary.replace(target)
        finally:
            with suppress(OSError):  # the next writer sweeps it
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"{target} could not be written ({error.strerror or error}); "
            "free some space or choose another place with -o"
        ) from error


def _refuse_special(target: Path) -> None:
    if target.is_dir():
        raise OutputError(
            f"{target} is a directory, so no file can be written there; "
            "choose another place with -o"
        )
    if target.parent.is_file():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if target.exists() and not target.is_file():
        raise OutputError(
            f"{target} is no regular file, so it was left alone; choose another place with -o"
        )


@contextmanager
def _compressed(target: Path, file: BinaryIO) -> Iterator[BinaryIO]:
    if target.suffix == ".zst":
        import pyarrow as pa

        with pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), "zstd") as packed:
            yield packed
        return
    if target.suffix != ".gz":
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        yield cast(BinaryIO, packed)


class WriteBehind:
    """Writes (and compresses) one block in another thread while the caller makes the next.

    An error of a write is raised by the next one, or at the end of the `with` block.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[int] | None = None

    def write(self, block: bytes | memoryview) -> None:
        """Hand over a block; waits until the block before it is written."""
        self._wait()
        self._last = self._thread.submit(self._stream.write, block)

    def __enter__(self) -> WriteBehind:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._wait()
        finally:
            self._thread.shutdown()

    def _wait(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            last.result()
