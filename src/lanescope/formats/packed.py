"""Packed files (gzip, zstd), unpacked into a temporary file that has no name: memory stays bounded.

They are told by their first bytes. A file's name says what it is without its ending .gz or .zst.
"""

from __future__ import annotations

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from lanescope.errors import InputError

_ENDINGS = (".gz", ".zst")
MOST = 200
"""A trace shrinks to a tenth or so; what grows by more than this factor is made to do harm."""
BLOCK = 1 << 20
LONGEST_MAGIC = 4
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


def is_packed(head: bytes) -> bool:
    """Whether a file that begins with these bytes is packed."""
    return head.startswith((_GZIP, _ZSTD))


def plain_name(name: str) -> str:
    """A file's name without the ending of a packed file."""
    return next((name.removesuffix(e) for e in _ENDINGS if name.endswith(e)), name)


def as_gzip(name: str) -> str:
    """A file's name as if it were packed with gzip, where it is packed at all."""
    return name.removesuffix(".zst") + ".gz" if name.endswith(".zst") else name


@contextmanager
def unpacked(path: Path, packed: IO[bytes]) -> Iterator[IO[bytes]]:
    """Unpack a file into an open file.

    Raises InputError where it is damaged, or grows by more than MOST times.
    """
    limit = MOST * packed.seek(0, 2) + BLOCK
    packed.seek(0)
    with tempfile.TemporaryFile() as target:
        for block in blocks(path, packed):
            target.write(block)
            if target.tell() > limit:
                raise too_large(path)
        yield target


def blocks(path: Path, packed: IO[bytes]) -> Iterator[bytes]:
    """What a packed file holds, piece by piece; `path` names it in errors."""
    with damage_named(path), unpacking(packed) as stream:
        while block := stream.read(BLOCK):
            yield block


@contextmanager
def unpacking(packed: IO[bytes]) -> Iterator[IO[bytes]]:
    """A stream of what a packed file holds, from its beginning."""
    packed.seek(0)
    is_gzip = packed.read(len(_GZIP)) == _GZIP
    packed.seek(0)
    stream: Any
    if is_gzip:
        stream = gzip.GzipFile(fileobj=packed)
    else:
        import pyarrow as pa

        stream = pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")
    with stream:
        yield stream


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Make one sentence of what a damaged packed file raises."""
    try:
        yield
    except (EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # The system's, not the file's: no space, no such file.
        problem = f"cannot be unpacked ({error}); it is damaged or cut off"
        raise InputError(path, problem) from error


def too_large(path: Path) -> InputError:
    """The error of a file that is made to fill the disk."""
    return InputError(path, f"unpacks to more than {MOST} times its size, so it was refused")
