"""A place: where a stored trace is or may be, on this machine or on an object store.

People name it by a path, by a URL, or by a file system of pyarrow's and a path in it:

    runs/a.lanes                        file:///data/runs/a.lanes
    s3://bucket/runs/a.lanes?region=eu-west-1&endpoint_override=http://127.0.0.1:5000
    gs://bucket/runs/a.lanes            abfs://container@account.dfs.core.windows.net/runs/a.lanes
    hdfs://host:8020/runs/a.lanes       (pyarrow.fs.S3FileSystem(…), "bucket/runs/a.lanes")

What stands behind the question mark are pyarrow's options of that file system.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fsencode, fspath
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from lanescope.errors import InputError, UsageError
from lanescope.trace.later import pa
from lanescope.trace.stores import ADVICE, SCHEMES, Store, handed_in, reason_of, store_of

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SPOILT = re.compile(rf"({'|'.join(SCHEMES)}|file):/[^/]")
"""What pathlib makes of a URL: it drops a slash."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder; `str(place)` is for people, `place.url` opens it again."""

    key: str
    """The path, on a store below what `store` has as its root."""
    store: Store | None = None
    """None for this machine's own files."""

    def __str__(self) -> str:
        """The path, or the URL without credentials and options."""
        return self.key if self.store is None else f"{self.store.shown}/{self.key}"

    def __truediv__(self, name: str) -> Place:
        """What is called `name` in this folder."""
        if self.store is None:
            return Place(str(Path(self.key, name)))
        return Place(f"{self.key}/{name}" if self.key else name, self.store)

    @property
    def local(self) -> Path | None:
        """The path, where it is one of this machine."""
        return Path(self.key) if self.store is None else None

    @property
    def url(self) -> str:
        """What opens this place in another process: the path, or the URL with all it was given."""
        if self.store is None:
            return self.key
        query = f"?{self.store.query}" if self.store.query else ""
        return f"{self.store.base}/{quote(self.key)}{query}"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self._path.name

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self._path.stem

    @property
    def suffix(self) -> str:
        """The ending of the name, such as `.lanes`."""
        return self._path.suffix

    @property
    def _path(self) -> PurePath:
        return PurePath(self.key) if self.store is None else PurePosixPath(self.key)

    def exists(self) -> bool:
        """Whether there is a file here; on this machine also a folder."""
        if self.store is None:
            return Path(self.key).exists()
        from pyarrow import fs

        with reading(self):
            info = self.store.filesystem.get_file_info(self.store.path(self.key))
        return bool(info.type == fs.FileType.File)

    def open(self) -> Any:
        """The file as an Arrow stream that can be read anywhere; here it is mapped.

        Raises:
            FileNotFoundError: there is no such file.
            InputError: the store does not answer as it should.
        """
        if self.store is None:
            return pa.memory_map(fsencode(self.key))
        with reading(self):
            return self.store.filesystem.open_input_file(self.store.path(self.key))

    def open_unmapped(self) -> Any:
        """Like `open`, but not mapped: what was read of a large file stays in nobody's memory."""
        return pa.OSFile(fsencode(self.key)) if self.store is None else self.open()

    def read_bytes(self) -> bytes:
        """The whole file; errors are those of `open`, or of the system for a file here."""
        if self.store is None:
            return Path(self.key).read_bytes()
        with self.open() as stream, reading(self):
            content: bytes = stream.read()
        return content


PlaceLike: TypeAlias = str | PathLike[str] | Place | tuple[Any, str]
"""A path, a URL, a Place, or a file system of pyarrow's with a path in it."""


def place_of(named: PlaceLike) -> Place:
    """The place that people name.

    Raises:
        UsageError: the URL is of a kind that is not known, or was spoilt by pathlib.
        InputError: the file system of the URL cannot be opened.
    """
    if isinstance(named, Place):
        return named
    if isinstance(named, tuple):
        filesystem, path = named
        local = filesystem.type_name == "local"
        return Place(str(Path(path))) if local else Place(path.strip("/"), handed_in(filesystem))
    text = fspath(named)
    if not is_url(text):
        return Place(str(_unspoilt(text)))
    url = urlsplit(text, allow_fragments=False)
    key = unquote(url.path)
    if url.scheme == "file" and url.netloc in ("", "localhost"):
        return Place(str(Path(key)))
    return Place(key.strip("/"), store_of(url))


def is_url(named: object) -> bool:
    """Whether this is text that begins like a URL."""
    return isinstance(named, str) and _URL.match(named) is not None


def local_path(named: str | PathLike[str]) -> Path:
    """A path of this machine, for what can be nowhere else.

    Raises:
        UsageError: it is a URL.
    """
    if not is_url(named):
        return _unspoilt(fspath(named))
    place = place_of(named)
    if place.local is None:
        raise UsageError(f"expected a path of this machine, found the URL {place}")
    return place.local


def _unspoilt(text: str) -> Path:
    if _SPOILT.match(text):
        raise UsageError(
            f"{text}: pathlib drops a slash of a URL; give URLs as text, such as 's3://bucket/…'"
        )
    return Path(text)


@contextmanager
def reading(place: Place) -> Iterator[None]:
    """What a store does not do as asked is an InputError; what is not there stays as it is."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        if place.store is None:
            raise
        raise InputError(place, f"cannot be read ({reason_of(error)}); {ADVICE}") from error
