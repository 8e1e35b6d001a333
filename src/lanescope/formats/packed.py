"""Gzip files, unpacked into a temporary file that has no name: memory stays bounded."""

from __future__ import annotations

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lanescope.errors import InputError

MAGIC = b"\x1f\x8b"
MOST = 200
"""A trace shrinks to a tenth or so; what grows by more than this factor is made to do harm."""
_BLOCK = 1 << 20


@contextmanager
def unpacked(path: Path, packed: IO[bytes]) -> Iterator[IO[bytes]]:
    """Unpack a gzip file into an open file.

    Raises InputError where it is damaged, or grows by more than MOST times.
    """
    limit = MOST * packed.seek(0, 2) + _BLOCK
    packed.seek(0)
    with tempfile.TemporaryFile() as target:
        try:
            with gzip.GzipFile(fileobj=packed) as stream:
                while block := stream.read(_BLOCK):
                    target.write(block)
                    if target.tell() > limit:
                        problem = f"unpacks to more than {MOST} times its size, so it was refused"
                        raise InputError(path, problem)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            problem = f"cannot be unpacked ({error}); it is damaged or cut off"
            raise InputError(path, problem) from error
        yield target
