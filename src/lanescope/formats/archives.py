"""Archives (tar, also packed, and zip) as folders: their files are unpacked into a temporary place.

Only regular files are unpacked, and only those that somebody looks into. Nothing is written outside
the place, and not more than MOST times the archive's size. A packed file inside counts as unpacked.
"""

from __future__ import annotations

import io
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import storable
from lanescope.formats.packed import (
    BLOCK,
    LONGEST_MAGIC,
    MOST,
    blocks,
    damage_named,
    is_packed,
    too_large,
    unpacking,
)
from lanescope.trace import Trace

if TYPE_CHECKING:  # most folders have no archives
    import tarfile

ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".zip")
_PER_MEMBER = 512
"""Bytes that a member counts at least, so that there are not too many."""
_IS_LINK = "a link or a device in an archive"
NOT_LOOKED_INTO = "no importer looks into files of this name"

Skip = Callable[[Path, str], None]


def is_archive(path: Path) -> bool:
    """Whether a file's name is that of an archive."""
    return path.name.endswith(ENDINGS)


def archive_stem(path: Path) -> str:
    """The archive's name without its ending."""
    ending = max((one for one in ENDINGS if path.name.endswith(one)), key=len)
    return path.name.removesuffix(ending)


@dataclass(slots=True)
class Archives:
    """The archives that are unpacked at the moment; afterwards nothing of them is left on disk."""

    places: dict[Path, Path] = field(default_factory=dict)
    """Where the files lie, and the archive that they are from."""
    _temporary: list[tempfile.TemporaryDirectory[str]] = field(default_factory=list)

    def __enter__(self) -> Archives:
        return self

    def __exit__(self, *_: object) -> None:
        while self._temporary:
            self._temporary.pop().cleanup()

    def open(self, archive: Path, wanted: Callable[[str], bool], skip: Skip) -> Path:
        """Unpack the files whose names are wanted; returns the folder that holds them."""
        temporary = tempfile.TemporaryDirectory(prefix="lanescope-")
        self._temporary.append(temporary)
        place = Path(temporary.name).resolve()
        self.places[place] = archive
        try:
            with archive.open("rb") as file, _damage_named(archive):
                members = _zipped(file) if _is_zip(file) else _tarred(file)
                _unpack(archive, place, members, wanted, skip)
        except OSError as error:
            raise InputError(archive, f"cannot be read ({error.strerror or error})") from error
        return place

    def shown(self, path: str | Path) -> str:
        """A path as it is told to people: inside its archive, not where it was unpacked."""
        for place, archive in self.places.items():
            if Path(path).is_relative_to(place):
                return storable(archive / Path(path).relative_to(place))
        return storable(path)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Let errors name the files of archives as they are told to people."""
        try:
            yield
        except InputError as error:
            shown = self.shown(error.path)
            if shown == storable(error.path):
                raise
            raise InputError(shown, error.problem) from error

    def named(self, trace: Trace) -> Trace:
        """The trace with sources that are told as they are to people."""
        if not self.places:
            return trace
        old = trace.meta.sources
        sources = [msgspec.structs.replace(one, path=self.shown(one.path)) for one in old]
        return trace.with_meta(sources=tuple(sources))


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    is_file: bool
    open: Callable[[], IO[bytes]]


def _unpack(
    archive: Path,
    place: Path,
    members: Iterator[_Member],
    wanted: Callable[[str], bool],
    skip: Skip,
) -> None:
    left = MOST * archive.stat().st_size + BLOCK
    for member in members:
        shown = archive / member.name.lstrip("/")
        left -= _PER_MEMBER
        if left < 0:
            raise too_large(archive)
        if not member.is_file:
            skip(shown, _IS_LINK)
        elif not wanted(PurePosixPath(member.name).name):
            skip(shown, NOT_LOOKED_INTO)
        else:
            target = place / _inside(archive, member.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            with member.open() as content, target.open("wb") as file:
                left -= _copy(shown, content, file, left)
                if left < 0:
                    raise too_large(archive)


def _copy(shown: Path, content: IO[bytes], target: IO[bytes], limit: int) -> int:
    """Write what a member holds, unpacked; returns the bytes. It stops beyond the limit."""
    first = content.read(BLOCK)
    if is_packed(first[:LONGEST_MAGIC]):
        with tempfile.TemporaryFile() as packed:
            size = _write(packed, _pieces(first, content), limit)
            if size > limit:
                return size
            return _write(target, blocks(shown, packed), limit)
    return _write(target, _pieces(first, content), limit)


def _write(target: IO[bytes], pieces: Iterator[bytes], limit: int) -> int:
    size = 0
    for piece in pieces:
        size += target.write(piece)
        if size > limit:
            break
    return size


def _pieces(first: bytes, content: IO[bytes]) -> Iterator[bytes]:
    while first:
        yield first
        first = content.read(BLOCK)


def _inside(archive: Path, name: str) -> PurePosixPath:
    """A member's name, if it stays below the place where the archive is unpacked."""
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or parts[0].startswith("/") or "\0" in name or "\\" in name:
        raise InputError(
            archive, f"has a file {name[:80]!r} that would lie outside; unpack it by hand"
        )
    return PurePosixPath(name)


def _is_zip(file: IO[bytes]) -> bool:
    head = file.read(4)
    file.seek(0)
    return head in (b"PK\x03\x04", b"PK\x05\x06")


@contextmanager
def _damage_named(archive: Path) -> Iterator[None]:
    """Make one sentence of what a damaged archive raises."""
    import tarfile
    import zipfile

    problems = (tarfile.TarError, zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError)
    try:
        with damage_named(archive):
            yield
    except problems as error:
        problem = f"cannot be unpacked ({error}); it is damaged, encrypted, or no archive"
        raise InputError(archive, problem) from error


def _tarred(file: IO[bytes]) -> Iterator[_Member]:
    import tarfile

    packed = is_packed(file.read(LONGEST_MAGIC))
    if not packed and file.seek(0, 2) >= tarfile.BLOCKSIZE:
        file.seek(-tarfile.BLOCKSIZE, 2)
        if file.read() != bytes(tarfile.BLOCKSIZE):
            raise EOFError("it does not end with an empty block")
    file.seek(0)
    with unpacking(file) if packed else nullcontext(file) as stream:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for entry in tar:
                if not entry.isdir():
                    yield _Member(entry.name, entry.isreg(), partial(_taken, tar, entry))


def _taken(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    return tar.extractfile(entry) or io.BytesIO()


def _zipped(file: IO[bytes]) -> Iterator[_Member]:
    import zipfile

    with zipfile.ZipFile(file) as bag:
        for entry in bag.infolist():
            mode = entry.external_attr >> 16
            plain = stat.S_IFMT(mode) in (0, stat.S_IFREG)
            if not entry.is_dir():
                yield _Member(entry.filename, plain, partial(bag.open, entry))
